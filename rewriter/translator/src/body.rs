//! The body of a method: its instructions by number, where blocks begin, what is caught where, and which local variables are still read.

use std::collections::HashMap;
use std::rc::Rc;

use cafebabe::attributes::AttributeData;
use cafebabe::bytecode::Opcode;
use sluice_planner::effects::{Method, method_descriptor};

use crate::refusal::{RefusalKind, Run, refuse};

/// The class that is caught, none for all, and the handler's first instruction.
pub(crate) type Handler = (Option<Rc<str>>, usize);
/// What is caught at an instruction.
pub(crate) type Handlers = Rc<[Handler]>;

/// The body of a method.
pub(crate) struct Body<'a> {
    pub(crate) method: Method<'a>,
    pub(crate) class: Rc<str>,
    pub(crate) name: Rc<str>,
    pub(crate) descriptor: Rc<str>,
    /// The name of its source file.
    file: String,
    by_offset: HashMap<usize, usize>,
    /// Whether another instruction than the one before leads here.
    pub(crate) leads: Vec<bool>,
    /// By instruction: which local variables are read from here on.
    live: Vec<Bits>,
    pub(crate) handlers: Vec<Handlers>,
    /// By instruction: the first one with the same handlers.
    pub(crate) regions: Vec<usize>,
    pub(crate) locals: usize,
    /// How many instructions return.
    pub(crate) returns: usize,
}

/// Numbers of local variables.
type Bits = Vec<u64>;

impl<'a> Body<'a> {
    pub(crate) fn new(method: &Method<'a>) -> Run<Body<'a>> {
        let info = method.info();
        let broken = |what: &str| refuse(RefusalKind::Code, format!("{} {what}", info.name));
        let Some(code) = method.code().filter(|code| code.bytecode.is_some()) else {
            return broken("has no code");
        };
        let opcodes = method.opcodes();
        let by_offset: HashMap<_, _> =
            opcodes.iter().enumerate().map(|(at, (offset, _))| (*offset, at)).collect();
        let mut handlers: Vec<Vec<Handler>> = vec![Vec::new(); opcodes.len()];
        for entry in &code.exception_table {
            let Some(&target) = by_offset.get(&usize::from(entry.handler_pc)) else {
                return broken("has a handler between instructions");
            };
            let class = entry.catch_type.as_ref().map(|class| Rc::<str>::from(&**class));
            let range = usize::from(entry.start_pc)..usize::from(entry.end_pc);
            for (at, (offset, _)) in opcodes.iter().enumerate() {
                // A handler that covers its own beginning is javac's way to guard a monitor or a resource.
                if range.contains(offset) {
                    handlers[at].push((class.clone(), target));
                }
            }
        }
        let file =
            method.class.file.attributes.iter().find_map(|attribute| match &attribute.data {
                AttributeData::SourceFile(name) => Some(name.to_string()),
                _ => None,
            });
        let mut body = Body {
            method: method.clone(),
            class: method.class.name().into(),
            name: info.name.as_ref().into(),
            descriptor: info.descriptor.to_string().into(),
            file: file.unwrap_or_else(|| "unknown source".to_owned()),
            by_offset,
            returns: opcodes.iter().filter(|(_, opcode)| returns(opcode)).count(),
            leads: vec![false; opcodes.len()],
            live: Vec::new(),
            regions: regions(&handlers),
            handlers: handlers.into_iter().map(Into::into).collect(),
            locals: usize::from(code.max_locals).max(parameter_slots(method)),
        };
        body.find_leads();
        body.find_live();
        Ok(body)
    }

    pub(crate) fn opcode(&self, at: usize) -> Option<&Opcode<'a>> {
        self.method.opcodes().get(at).map(|(_, opcode)| opcode)
    }

    /// The instruction that a jump leads to.
    pub(crate) fn target(&self, at: usize, jump: i32) -> Run<usize> {
        let offset = self.method.opcodes().get(at).map_or(0, |(offset, _)| *offset);
        let target = i64::try_from(offset).ok().map(|offset| offset + i64::from(jump));
        let target = target.and_then(|target| usize::try_from(target).ok());
        match target.and_then(|target| self.by_offset.get(&target)) {
            Some(at) => Ok(*at),
            None => refuse(RefusalKind::Code, "a jump between instructions"),
        }
    }

    /// `Class.method (File.java:12)`.
    pub(crate) fn place(&self, at: usize) -> String {
        let class = self.class.rsplit('/').next().unwrap_or(&self.class).replace('$', ".");
        format!("{class}.{} ({})", self.name, self.source(at))
    }

    /// `File.java:12`.
    pub(crate) fn source(&self, at: usize) -> String {
        match self.line(at) {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.clone(),
        }
    }

    pub(crate) fn line(&self, at: usize) -> Option<u16> {
        self.method.line(self.method.opcodes().get(at)?.0)
    }

    /// Whether a local variable may be read at or after an instruction.
    pub(crate) fn is_live(&self, at: usize, local: usize) -> bool {
        self.live.get(at).is_some_and(|bits| bits[local / 64] >> (local % 64) & 1 == 1)
    }

    /// The instructions that may follow, without handlers.
    fn successors(&self, at: usize) -> Vec<usize> {
        let Some(opcode) = self.opcode(at) else { return Vec::new() };
        let mut jumps = jumps(opcode);
        let mut next: Vec<usize> =
            jumps.drain(..).filter_map(|jump| self.target(at, jump).ok()).collect();
        if falls_through(opcode) {
            next.push(at + 1);
        }
        next
    }

    fn find_leads(&mut self) {
        for at in 0..self.leads.len() {
            let Some(opcode) = self.opcode(at) else { continue };
            let (jumps, falls) = (jumps(opcode), falls_through(opcode));
            let targets: Vec<usize> =
                jumps.iter().filter_map(|jump| self.target(at, *jump).ok()).collect();
            targets.into_iter().for_each(|target| self.leads[target] = true);
            if !jumps.is_empty() && falls && at + 1 < self.leads.len() {
                self.leads[at + 1] = true;
            }
            let handlers = Rc::clone(&self.handlers[at]);
            for (_, target) in handlers.iter().cloned() {
                self.leads[target] = true;
            }
        }
    }

    fn find_live(&mut self) {
        let words = self.locals / 64 + 1;
        let count = self.leads.len();
        let mut live = vec![vec![0u64; words]; count];
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..count).rev() {
                let mut bits = vec![0u64; words];
                for next in self.successors(at) {
                    if let Some(there) = live.get(next) {
                        bits.iter_mut().zip(there).for_each(|(bit, there)| *bit |= there);
                    }
                }
                let Some(opcode) = self.opcode(at) else { continue };
                let (read, written) = local(opcode);
                if let Some(local) = written.filter(|local| *local < self.locals) {
                    bits[local / 64] &= !(1 << (local % 64));
                }
                if let Some(local) = read.filter(|local| *local < self.locals) {
                    bits[local / 64] |= 1 << (local % 64);
                }
                for (_, target) in self.handlers[at].iter() {
                    bits.iter_mut().zip(&live[*target]).for_each(|(bit, there)| *bit |= there);
                }
                if bits != live[at] {
                    live[at] = bits;
                    changed = true;
                }
            }
        }
        self.live = live;
    }
}

/// By instruction: the first one with the same handlers.
fn regions(handlers: &[Vec<Handler>]) -> Vec<usize> {
    let mut first: HashMap<&[Handler], usize> = HashMap::new();
    handlers.iter().enumerate().map(|(at, list)| *first.entry(list).or_insert(at)).collect()
}

fn parameter_slots(method: &Method<'_>) -> usize {
    let descriptor = method.info().descriptor.to_string();
    let (parameters, _) = method_descriptor(&descriptor);
    let wide = parameters.iter().filter(|ty| matches!(**ty, "J" | "D")).count();
    parameters.len() + wide + usize::from(!method.is_static())
}

/// Where an instruction may jump to.
fn jumps(opcode: &Opcode<'_>) -> Vec<i32> {
    use Opcode as O;
    match opcode {
        O::Goto(jump)
        | O::IfAcmpeq(jump)
        | O::IfAcmpne(jump)
        | O::IfIcmpeq(jump)
        | O::IfIcmpge(jump)
        | O::IfIcmpgt(jump)
        | O::IfIcmple(jump)
        | O::IfIcmplt(jump)
        | O::IfIcmpne(jump)
        | O::Ifeq(jump)
        | O::Ifge(jump)
        | O::Ifgt(jump)
        | O::Ifle(jump)
        | O::Iflt(jump)
        | O::Ifne(jump)
        | O::Ifnonnull(jump)
        | O::Ifnull(jump)
        | O::Jsr(jump) => vec![*jump],
        O::Lookupswitch(table) => {
            let targets = table.match_offsets.iter().map(|(_, jump)| *jump);
            targets.chain([table.default]).collect()
        }
        O::Tableswitch(table) => table.jumps.iter().copied().chain([table.default]).collect(),
        _ => Vec::new(),
    }
}

fn falls_through(opcode: &Opcode<'_>) -> bool {
    use Opcode as O;
    !matches!(
        opcode,
        O::Goto(_)
            | O::Jsr(_)
            | O::Ret(_)
            | O::Lookupswitch(_)
            | O::Tableswitch(_)
            | O::Athrow
            | O::Return
            | O::Areturn
            | O::Ireturn
            | O::Lreturn
            | O::Freturn
            | O::Dreturn
    )
}

fn returns(opcode: &Opcode<'_>) -> bool {
    use Opcode as O;
    matches!(opcode, O::Return | O::Areturn | O::Ireturn | O::Lreturn | O::Freturn | O::Dreturn)
}

/// The local variable that an instruction reads, and the one that it writes.
fn local(opcode: &Opcode<'_>) -> (Option<usize>, Option<usize>) {
    use Opcode as O;
    match opcode {
        O::Aload(at) | O::Iload(at) | O::Lload(at) | O::Fload(at) | O::Dload(at) => {
            (Some(usize::from(*at)), None)
        }
        O::Astore(at) | O::Istore(at) | O::Lstore(at) | O::Fstore(at) | O::Dstore(at) => {
            (None, Some(usize::from(*at)))
        }
        O::Iinc(at, _) => (Some(usize::from(*at)), Some(usize::from(*at))),
        _ => (None, None),
    }
}
