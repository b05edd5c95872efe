//! The machine that runs code on one event at a time.
use super::code::{Code, Instruction, NO_CATCH, Place};
use super::store::Output;
use crate::builtin::ARGUMENTS_LIMIT;
use crate::heap::Heap;
use crate::memory::{Budget, Memory, Span};
use crate::op::{apply_binary, apply_unary};
use crate::reason::Reason;
use crate::units::Cursor;
use sluice_wire::{Event, EventsBuffer, Reader};

/// What a machine keeps from event to event: memory to use again.
#[derive(Debug)]
pub(crate) struct Machine {
    slots: Vec<u64>,
    made: Vec<u8>,
    elements: Vec<u64>,
    heap: Heap,
}

/// The function at which an event died, and why.
pub(crate) type Failure = (usize, Reason);

/// Memory beyond this is given back after an event that needed it.
const KEEP_BYTES: usize = 1 << 20;

impl Machine {
    pub(crate) fn new(code: &Code) -> Machine {
        Machine {
            slots: code.slots.clone(),
            made: Vec::new(),
            elements: Vec::new(),
            heap: Heap::default(),
        }
    }

    /// Runs the code on an event and appends its outputs; after a failure some of them may stand there. Raises
    /// `highest` to the times that the assigner gives.
    pub(crate) fn run(
        &mut self,
        code: &Code,
        budget: Budget,
        event: &Event<'_>,
        out: &mut EventsBuffer,
        highest: &mut Option<i64>,
    ) -> Result<(), Failure> {
        self.made.clear();
        self.made.shrink_to(KEEP_BYTES);
        self.elements.clear();
        self.elements.shrink_to(KEEP_BYTES / 8);
        self.heap.clear();
        self.slots[code.null as usize] = u64::from(event.value.is_none());
        if event.value.is_none() {
            code.load.clear(&mut self.slots);
        }
        if let Some(value) = event.value {
            if value.len() >= Span::INPUT_LIMIT {
                return Err((0, Reason::Memory));
            }
            let loaded = code.load.run(&mut Reader::new(value), &mut self.slots);
            loaded.map_err(|error| (0, Reason::Undecodable(error)))?;
        }
        let memory = Memory {
            input: event.value.unwrap_or_default(),
            constants: &code.texts,
            made: &mut self.made,
            elements: &mut self.elements,
            heap: &mut self.heap,
            frozen: &code.frozen,
            classes: &code.classes,
            cursor: Cursor::default(),
            caught: None,
            charged: 0,
            steps: 0,
            budget,
        };
        let limit = out.byte_len().saturating_add(budget.bytes);
        let args = [0; ARGUMENTS_LIMIT];
        let (slots, time) = (&mut self.slots[..], event.time);
        let mut run = Run { code, slots, memory, event, out, limit, time, highest, args };
        run.go().map_err(|(at, reason)| (usize::from(code.stages[at as usize]), reason))
    }
}

/// An event in work.
struct Run<'a> {
    code: &'a Code,
    slots: &'a mut [u64],
    memory: Memory<'a>,
    event: &'a Event<'a>,
    out: &'a mut EventsBuffer,
    /// The most bytes that `out` may hold.
    limit: usize,
    time: Option<i64>,
    highest: &'a mut Option<i64>,
    /// The arguments of the call in work.
    args: [u64; ARGUMENTS_LIMIT],
}

impl Run<'_> {
    #[inline]
    fn slot(&self, slot: u32) -> u64 {
        self.slots[slot as usize]
    }

    fn go(&mut self) -> Result<(), (Place, Reason)> {
        let instructions = &self.code.instructions[..];
        let mut at = 0;
        loop {
            let instruction = instructions[at as usize];
            at += 1;
            match instruction {
                Instruction::Unary { op, result, a } => {
                    self.slots[result as usize] = apply_unary(op, self.slot(a));
                }
                // What may fail is another instruction.
                Instruction::Binary { op, result, a, b } => {
                    if let Ok(bits) = apply_binary(op, self.slot(a), self.slot(b)) {
                        self.slots[result as usize] = bits;
                    }
                }
                Instruction::Divide { op, result, a, b, catch } => {
                    match apply_binary(op, self.slot(a), self.slot(b)) {
                        Ok(bits) => self.slots[result as usize] = bits,
                        Err(reason) => at = self.caught(at, catch, reason)?,
                    }
                }
                Instruction::Call { run, result, args, count, catch } => {
                    let (from, count) = (args as usize, usize::from(count));
                    let slots = &self.code.args[from..from + count];
                    for (value, slot) in self.args.iter_mut().zip(slots) {
                        *value = self.slots[*slot as usize];
                    }
                    match run(&mut self.memory, &self.args[..count]) {
                        Ok(bits) => self.slots[result as usize] = bits,
                        Err(reason) => at = self.caught(at, catch, reason)?,
                    }
                }
                Instruction::AddInt { result, a, b } => {
                    let sum = (self.slot(a) as u32).wrapping_add(self.slot(b) as u32);
                    self.slots[result as usize] = u64::from(sum);
                }
                Instruction::CharAt { result, text, index, catch } => {
                    match self.char_at(self.slot(text), self.slot(index)) {
                        Ok(unit) => self.slots[result as usize] = unit,
                        Err(reason) => at = self.caught(at, catch, reason)?,
                    }
                }
                Instruction::Length { result, text } => {
                    self.slots[result as usize] = self.memory.units(self.slot(text)) as u64;
                }
                Instruction::UnlessLess { a, b, to } => {
                    if self.slot(a) as i32 >= self.slot(b) as i32 {
                        at = to;
                    }
                }
                Instruction::UnlessAtMost { a, b, to } => {
                    if self.slot(a) as i32 > self.slot(b) as i32 {
                        at = to;
                    }
                }
                Instruction::UnlessEqual { a, b, to } => {
                    if self.slot(a) != self.slot(b) {
                        at = to;
                    }
                }
                Instruction::UnlessDifferent { a, b, to } => {
                    if self.slot(a) == self.slot(b) {
                        at = to;
                    }
                }
                Instruction::Loop(to) => {
                    self.memory.steps += 1;
                    if self.memory.steps > self.memory.budget.steps {
                        return Err((at - 1, Reason::Steps));
                    }
                    at = to;
                }
                Instruction::Element { result, list, index } => {
                    self.slots[result as usize] = self.memory.list(self.slot(list))[index as usize];
                }
                Instruction::Move { result, from } => self.slots[result as usize] = self.slot(from),
                Instruction::Jump(to) => at = to,
                Instruction::Unless { condition, to } => {
                    if self.slot(condition) == 0 {
                        at = to;
                    }
                }
                Instruction::Switch { slot, table } => {
                    at = self.code.tables[table as usize][self.slot(slot) as usize];
                }
                Instruction::Time(slot) => {
                    // Flink's word for no time.
                    let time = Some(self.slot(slot) as i64).filter(|ms| *ms != i64::MIN);
                    self.time = time;
                    *self.highest = (*self.highest).max(time);
                }
                Instruction::Emit => {
                    self.emit();
                    if self.out.byte_len() > self.limit {
                        return Err((at - 1, Reason::Memory));
                    }
                }
                Instruction::Throw(reason) => {
                    return Err((at - 1, self.code.reasons[reason as usize].clone()));
                }
                Instruction::Halt => return Ok(()),
            }
        }
    }

    #[inline]
    fn char_at(&mut self, text: u64, index: u64) -> Result<u64, Reason> {
        if Span(text).is_ascii()
            && let Some(c) = self.memory.bytes(text).get(index as u32 as usize)
        {
            return Ok(u64::from(*c));
        }
        crate::library::char_at(&mut self.memory, &[text, index])
    }

    #[inline]
    fn emit(&mut self) {
        let (delta, time) = (self.event.delta, self.time);
        match &self.code.output {
            Output::Input => self.out.push(delta, time, self.event.value),
            Output::Value(Some(null), _) if self.slot(*null) != 0 => {
                self.out.push(delta, time, None)
            }
            Output::Value(_, stores) => {
                let (memory, slots) = (&self.memory, &*self.slots);
                self.out.push_with(delta, time, |out| {
                    stores.iter().for_each(|store| store.run(memory, slots, out));
                });
            }
        }
    }

    /// Where an exception goes that the instruction before `at` threw.
    #[cold]
    fn caught(
        &mut self,
        at: Place,
        catch: Place,
        reason: Reason,
    ) -> Result<Place, (Place, Reason)> {
        match catch != NO_CATCH && reason.is_exception() {
            true => {
                self.memory.caught = Some(reason);
                Ok(catch)
            }
            false => Err((at - 1, reason)),
        }
    }
}
