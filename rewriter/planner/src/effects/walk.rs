//! From method to method: each is run once for each kind of arguments, on values of which only some things are known.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use cafebabe::bytecode::Opcode;

use super::finding::{Effects, Finding, FindingKind, Note, NoteKind, Place, dotted};
use super::frame::{Frame, Malformed};
use super::pool::{Method, Pool};
use super::value::{Origin, Root, Value, join};

/// The most instructions of one function, counted as often as they are looked at.
const MOST_STEPS: usize = 400_000;

/// How deep calls are followed.
const MOST_DEPTH: usize = 48;

/// When code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// For each event.
    Each,
    /// Once: `open`, `close`, initialisers of classes. What is written then is no memory of events.
    Once,
}

/// A place in the code: an instruction of a method, or the function as a whole.
pub struct At<'m, 'a> {
    pub class: &'m str,
    pub name: &'m str,
    pub method: Option<(&'m Method<'a>, usize)>,
}

/// A lambda: the method behind it, and what it captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lambda {
    pub owner: String,
    pub name: String,
    pub descriptor: String,
    pub kind: cafebabe::constant_pool::ReferenceKind,
    pub captured: Vec<Value>,
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    class: String,
    name: String,
    descriptor: String,
    arguments: Vec<Value>,
    phase: Phase,
}

/// What is learned of one function.
pub struct Analysis<'a> {
    pub pool: Rc<Pool<'a>>,
    pub phase: Phase,
    pub lambdas: Vec<Lambda>,
    findings: BTreeSet<Finding>,
    notes: BTreeSet<Note>,
    reads_time: Option<Place>,
    /// Results by method and arguments; none while it is being run.
    results: HashMap<Key, Option<Value>>,
    initialised: HashSet<String>,
    /// Shared objects that lie in fields of objects that are not, by field.
    taints: BTreeMap<String, Root>,
    /// Lambdas that lie in fields, by field.
    held_lambdas: BTreeMap<String, BTreeSet<u32>>,
    statics: BTreeMap<(String, String), Place>,
    steps: usize,
    depth: usize,
}

impl<'a> Analysis<'a> {
    pub fn new(pool: Rc<Pool<'a>>) -> Self {
        Self {
            pool,
            phase: Phase::Each,
            lambdas: Vec::new(),
            findings: BTreeSet::new(),
            notes: BTreeSet::new(),
            reads_time: None,
            results: HashMap::new(),
            initialised: HashSet::new(),
            taints: BTreeMap::new(),
            held_lambdas: BTreeMap::new(),
            statics: BTreeMap::new(),
            steps: 0,
            depth: 0,
        }
    }

    /// How much is known of what lies in fields; while it grows, methods must be run again.
    pub fn knowledge(&self) -> (usize, usize) {
        (self.taints.len(), self.held_lambdas.values().map(BTreeSet::len).sum())
    }

    /// Forgets results, but not what lies in fields.
    pub fn again(&mut self) {
        self.results.clear();
        self.initialised.clear();
    }

    /// All that was found.
    pub fn finish(mut self, main_class: &str) -> Effects {
        self.foreign_statics(main_class);
        Effects {
            findings: self.findings.into_iter().collect(),
            notes: self.notes.into_iter().collect(),
            reads_time: self.reads_time,
        }
    }

    pub fn find(&mut self, kind: FindingKind, what: String, at: &At<'_, 'a>) {
        self.findings.insert(Finding { kind, what, place: place(at) });
    }

    pub fn note(&mut self, kind: NoteKind, what: String, at: &At<'_, 'a>) {
        self.notes.insert(Note { kind, what, place: place(at) });
    }

    pub fn reads_time(&mut self, at: &At<'_, 'a>) {
        self.reads_time.get_or_insert_with(|| place(at));
    }

    pub fn tainted(&self, field: &str) -> Option<Root> {
        self.taints.get(field).cloned()
    }

    pub fn taint(&mut self, field: &str, root: Root) {
        self.taints.entry(field.to_owned()).or_insert(root);
    }

    pub fn lambdas_in(&self, field: &str) -> BTreeSet<u32> {
        self.held_lambdas.get(field).cloned().unwrap_or_default()
    }

    pub fn remember_lambdas(&mut self, field: &str, value: &Value) {
        if !value.lambdas.is_empty() {
            self.held_lambdas.entry(field.to_owned()).or_default().extend(&value.lambdas);
        }
    }

    /// The number of a lambda.
    pub fn lambda(&mut self, lambda: Lambda) -> u32 {
        let known = self.lambdas.iter().position(|known| *known == lambda);
        let at = known.unwrap_or_else(|| {
            self.lambdas.push(lambda);
            self.lambdas.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    pub fn read_static(&mut self, class: &str, field: &str, at: &At<'_, 'a>) {
        if self.pool.is_users(class) {
            let key = (class.to_owned(), field.to_owned());
            self.statics.entry(key).or_insert_with(|| place(at));
        }
    }

    /// Runs the initialiser of a class of the user, once.
    pub fn initialise(&mut self, class: &str, at: &At<'_, 'a>) {
        if !self.pool.is_there(class) {
            self.find(FindingKind::Missing, dotted(class), at);
        }
        if !self.pool.is_users(class) || !self.initialised.insert(class.to_owned()) {
            return;
        }
        if let Some(method) = self.pool.own(class, "<clinit>", "()V") {
            let before = std::mem::replace(&mut self.phase, Phase::Once);
            self.run(&method, &[]);
            self.phase = before;
        }
    }

    /// Runs a method of the user; what it returns.
    pub fn run(&mut self, method: &Method<'a>, arguments: &[Value]) -> Value {
        let from_arguments =
            arguments.iter().fold(Origin::Own, |origin, value| join(&origin, &value.origin));
        let unknown = Value::of(from_arguments);
        let info = method.info();
        let (class, name) = (method.class.name().to_owned(), info.name.to_string());
        let key = Key {
            class: class.clone(),
            name: name.clone(),
            descriptor: info.descriptor.to_string(),
            arguments: arguments.iter().map(|v| Value { site: None, ..v.clone() }).collect(),
            phase: self.phase,
        };
        if let Some(known) = self.results.get(&key) {
            return known.clone().unwrap_or(unknown);
        }
        let at = At { class: &class, name: &name, method: None };
        if method.is_native() {
            self.find(FindingKind::Unknown, "it is native code".to_owned(), &at);
            return unknown;
        }
        if self.depth == MOST_DEPTH || self.steps > MOST_STEPS {
            self.find(FindingKind::Unknown, "there is too much code to follow".to_owned(), &at);
            return unknown;
        }
        let key_arguments = key.arguments.clone();
        self.results.insert(key, None);
        self.depth += 1;
        let result = self.run_code(method, arguments);
        self.depth -= 1;
        let result = result.unwrap_or_else(|Malformed| {
            self.find(FindingKind::Unknown, "its bytecode can't be followed".to_owned(), &at);
            unknown
        });
        let result = Value { site: None, ..result };
        let key = Key {
            class,
            name,
            descriptor: info.descriptor.to_string(),
            arguments: key_arguments,
            phase: self.phase,
        };
        self.results.insert(key, Some(result.clone()));
        result
    }

    fn run_code(&mut self, method: &Method<'a>, arguments: &[Value]) -> Result<Value, Malformed> {
        let code = method.code().ok_or(Malformed)?;
        let opcodes = method.opcodes();
        let bytecode = code.bytecode.as_ref().ok_or(Malformed)?;
        let mut frames: Vec<Option<Frame>> = vec![None; opcodes.len()];
        let mut waiting = VecDeque::from([0]);
        let mut results = Vec::new();
        *frames.first_mut().ok_or(Malformed)? =
            Some(Frame::new(arguments, usize::from(code.max_locals)));
        while let Some(at) = waiting.pop_front() {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return Err(Malformed);
            }
            let (offset, opcode) = &opcodes[at];
            let mut frame = frames[at].clone().ok_or(Malformed)?;
            let mut reach = |target: usize, frame: &Frame| -> Result<(), Malformed> {
                let changed = match frames.get_mut(target).ok_or(Malformed)? {
                    Some(known) => known.merge(frame)?,
                    unknown => {
                        *unknown = Some(frame.clone());
                        true
                    }
                };
                if changed && !waiting.contains(&target) {
                    waiting.push_back(target);
                }
                Ok(())
            };
            for handler in &code.exception_table {
                let range = usize::from(handler.start_pc)..usize::from(handler.end_pc);
                if range.contains(offset) {
                    let target = bytecode.get_opcode_index(usize::from(handler.handler_pc));
                    let caught = Frame {
                        locals: frame.locals.clone(),
                        stack: vec![Value::of(Origin::Event)],
                    };
                    reach(target.ok_or(Malformed)?, &caught)?;
                }
            }
            let next = self.step(method, *offset, opcode, &mut frame, &mut results)?;
            if next.on {
                reach(at + 1, &frame)?;
            }
            for jump in next.jumps {
                let target = i64::try_from(*offset).map_err(|_| Malformed)? + i64::from(jump);
                let target = usize::try_from(target).map_err(|_| Malformed)?;
                reach(bytecode.get_opcode_index(target).ok_or(Malformed)?, &frame)?;
            }
        }
        Ok(results
            .iter()
            .skip(1)
            .fold(results.first().cloned().unwrap_or_else(Value::own), |joined, result| {
                joined.join(result)
            }))
    }

    /// Static fields that were read, but are set by code that does not run where the function does, such as `main`.
    fn foreign_statics(&mut self, main_class: &str) {
        let ran: HashSet<(String, String, String)> = self
            .results
            .keys()
            .map(|key| (key.class.clone(), key.name.clone(), key.descriptor.clone()))
            .collect();
        for ((class, field), place) in std::mem::take(&mut self.statics) {
            let set_elsewhere = [class.as_str(), main_class].iter().any(|writer| {
                let Some(writer) = self.pool.class(writer) else { return false };
                let methods = writer.file.methods.iter().filter(|method| method.name != "<clinit>");
                methods.into_iter().any(|info| {
                    let descriptor = info.descriptor.to_string();
                    let key = (writer.name().to_owned(), info.name.to_string(), descriptor.clone());
                    let method = self.pool.own(writer.name(), &info.name, &descriptor);
                    !ran.contains(&key)
                        && method.is_some_and(|method| writes_static(&method, &class, &field))
                })
            });
            if set_elsewhere {
                let what = format!("{}.{field}", crate::graph::simple(&class));
                self.findings.insert(Finding { kind: FindingKind::ForeignStatic, what, place });
            }
        }
    }
}

fn writes_static(method: &Method<'_>, class: &str, field: &str) -> bool {
    method.opcodes().iter().any(|(_, opcode)| {
        matches!(opcode, Opcode::Putstatic(to) if to.class_name == class && to.name_and_type.name == field)
    })
}

fn place(at: &At<'_, '_>) -> Place {
    Place {
        class: at.class.to_owned(),
        method: at.name.to_owned(),
        line: at.method.and_then(|(method, offset)| method.line(offset)),
    }
}
