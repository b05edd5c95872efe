//! One pass over a function: the methods' instructions are followed with what is known of their values, block by block, each block once.
//!
//! What must be known before - which places of a block take different values on different ways, which objects are seen by others and so
//! live in the heap - is learnt: a pass that meets something new is followed by another, until nothing is new ([`Learnt`]).

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

use sluice_model::FunctionKind;
use sluice_planner::effects::{Method, Pool};
use sluice_wire::Type;

use crate::body::Body;
use crate::constants::Constants;
use crate::library::Library;
use crate::meet::Entry;
use crate::refusal::{RefusalKind, Refused, Run, Stop, refuse};
use crate::state::{ContextId, Frame, Slot, State};
use crate::text::Text;
use crate::value::{Boxed, Form, ObjectId, Reg, Value};

/// The most registers and blocks of a function.
const SIZE_LIMIT: usize = 30_000;
/// The most methods within methods.
const DEPTH_LIMIT: usize = 40;
/// The most passes.
const PASSES_LIMIT: usize = 400;

/// Where a block begins.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    /// At an instruction.
    Code(ContextId, usize),
    /// Behind the call that made the context.
    Return(ContextId),
    /// Where an exception of an instruction of the context arrives.
    Caught(ContextId, usize),
    /// Where its handler is chosen; the exception is on the stack.
    Choice(ContextId, usize),
    /// At a call whose receiver is of the class of that number.
    Call(ContextId, usize, usize),
}

/// What becomes of the result of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// It goes on the stack.
    Push,
    /// It is put into a box first, as an interface's method returns it.
    Box(Boxed),
    /// It is taken out of its box first.
    Unbox(Boxed),
    /// It is dropped.
    Drop,
    /// It takes the place of an object on the stack, and the instruction begins again.
    Replace(usize),
}

/// A method that is inlined at a call.
pub(crate) struct Context<'a> {
    /// The calling context and instruction; none of the function itself.
    pub(crate) parent: Option<(ContextId, usize)>,
    pub(crate) body: Rc<Body<'a>>,
    pub(crate) after: After,
}

/// What the kind of a function makes of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Map,
    FlatMap,
    Filter,
    Timestamp,
}

/// What is to be translated.
pub(crate) struct Subject<'s, 'a> {
    pub(crate) pool: &'s Pool<'a>,
    pub(crate) names: &'s [&'a str],
    pub(crate) constants: Constants,
    pub(crate) library: &'s dyn Library,
    pub(crate) kind: Option<FunctionKind>,
    pub(crate) role: Role,
    pub(crate) function: &'s sluice_planner::graph::UserFunction,
    pub(crate) input: &'s Type,
    pub(crate) output: &'s Type,
}

/// What the passes before learnt.
#[derive(Default)]
pub(crate) struct Learnt {
    /// What the places of blocks take.
    pub(crate) forms: HashMap<(Key, Slot), Form>,
    /// Objects that live in the heap, by the instruction that makes them.
    pub(crate) heap: BTreeSet<(ContextId, u32)>,
    /// The classes of the user of which there are objects in the heap.
    pub(crate) classes: Vec<Rc<str>>,
    /// Whether the event's object lives in the heap.
    pub(crate) heap_input: bool,
    /// The objects that stand for what two ways brought.
    pub(crate) met: Vec<(Key, Slot)>,
    pub(crate) news: bool,
}

impl Learnt {
    /// The number of the object at a place of a block.
    pub(crate) fn met(&mut self, key: &Key, slot: &Slot) -> ObjectId {
        let known = self.met.iter().position(|(k, s)| k == key && s == slot);
        let at = known.unwrap_or_else(|| {
            self.met.push((key.clone(), slot.clone()));
            self.met.len() - 1
        });
        ObjectId::Met(at as u32)
    }

    /// There are objects of that class in the heap.
    pub(crate) fn lives(&mut self, class: &str) {
        if !self.classes.iter().any(|known| **known == *class) {
            self.classes.push(class.into());
            self.news = true;
        }
    }

    /// A place takes values of that form too.
    pub(crate) fn takes(&mut self, key: &Key, slot: &Slot, form: &Form) {
        let place = (key.clone(), slot.clone());
        let joined = match self.forms.get(&place) {
            Some(known) => known.join(form),
            None => form.clone(),
        };
        if self.forms.get(&place) != Some(&joined) {
            self.forms.insert(place, joined);
            self.news = true;
        }
    }
}

/// How execution goes on behind an instruction.
pub(crate) enum Flow {
    /// With the next one.
    Next,
    /// With that one.
    Go(usize),
    /// With the first of the method whose frame was pushed.
    Enter,
    /// Behind the call of the method whose frame was popped.
    Resume(usize),
    /// With that one, which is in work already.
    Again(usize),
    /// The block has ended.
    End,
}

/// A pass.
pub(crate) struct Pass<'p, 'a> {
    pub(crate) subject: &'p Subject<'p, 'a>,
    pub(crate) learnt: &'p mut Learnt,
    pub(crate) contexts: &'p mut Vec<Context<'a>>,
    pub(crate) bodies: &'p mut BTreeMap<(String, String, String), Rc<Body<'a>>>,
    pub(crate) text: Text,
    pub(crate) entries: HashMap<Key, Entry>,
    pub(crate) open: VecDeque<Key>,
    pub(crate) state: State,
    /// The instruction in work.
    pub(crate) at: usize,
    /// The registers of constants.
    pub(crate) constant_registers: BTreeMap<usize, Reg>,
    /// Registers with the text behind a reference or a text that may be null, and the register of that.
    pub(crate) texts: BTreeMap<Reg, Reg>,
    /// What `open` left in the function's fields.
    pub(crate) kept: BTreeSet<Reg>,
    /// The register of the event.
    pub(crate) input: Reg,
    /// How many calls were entered since the pass began.
    pub(crate) entered: usize,
}

/// Translates a function to text.
pub(crate) fn translate<'s>(subject: &'s Subject<'s, '_>, name: &str) -> Result<String, Refused> {
    let mut learnt = Learnt::default();
    let mut contexts = Vec::new();
    let mut bodies = BTreeMap::new();
    for _ in 0..PASSES_LIMIT {
        learnt.news = false;
        let mut pass = Pass {
            subject,
            learnt: &mut learnt,
            contexts: &mut contexts,
            bodies: &mut bodies,
            text: Text::default(),
            entries: HashMap::new(),
            open: VecDeque::new(),
            state: State::default(),
            at: 0,
            constant_registers: BTreeMap::new(),
            texts: BTreeMap::new(),
            kept: BTreeSet::new(),
            input: 0,
            entered: 0,
        };
        let result = pass.run();
        let text = pass.finished(name);
        match result {
            Ok(()) if !learnt.news => return Ok(text),
            Ok(()) | Err(Stop::Again) => {}
            // It may come of what the next pass knows better.
            Err(Stop::Refused(_)) if learnt.news => {}
            Err(Stop::Refused(refused)) => return Err(refused),
        }
    }
    Err(Refused {
        kind: RefusalKind::Size,
        place: String::new(),
        text: "its control flow is too involved".to_owned(),
    })
}

impl<'a> Pass<'_, 'a> {
    fn run(&mut self) -> Run<()> {
        let first = self.text.block();
        self.text.go_on_in(first);
        let begun = self.begin();
        self.located(begun).and_then(|flow| self.follow(flow))?;
        while let Some(key) = self.open.pop_front() {
            let entry = &self.entries[&key];
            let block = entry.block;
            self.state = entry.state.clone();
            self.text.go_on_in(block);
            let flow = match &key {
                Key::Code(_, at) => Ok(Flow::Go(*at)),
                Key::Return(context) if self.is_open(*context) => self.begin_event(),
                Key::Return(context) => Ok(self.behind(*context)),
                Key::Caught(context, at) => self.caught(*context, *at),
                Key::Choice(context, at) => self.choose_handler(*context, *at),
                Key::Call(_, at, class) => {
                    self.at = *at;
                    let called = self.call_of_class(*class);
                    self.located(called)
                }
            };
            let flow = match (&key, flow?) {
                (Key::Code(..), Flow::Go(at)) => self.block_from(at, true),
                (_, flow) => self.follow(flow),
            };
            flow?;
            if self.text.size() > SIZE_LIMIT {
                return refuse(RefusalKind::Size, "it is too large");
            }
        }
        Ok(())
    }

    /// Goes on as an instruction said.
    fn follow(&mut self, flow: Flow) -> Run<()> {
        match flow {
            Flow::End => Ok(()),
            Flow::Next => self.block_from(self.at + 1, false),
            Flow::Go(at) | Flow::Resume(at) => self.block_from(at, false),
            Flow::Again(at) => self.block_from(at, true),
            Flow::Enter => self.block_from(0, false),
        }
    }

    /// Executes instructions up to the end of the block. `begins`: the block begins at this instruction.
    fn block_from(&mut self, at: usize, begins: bool) -> Run<()> {
        let mut at = at;
        let mut begins = begins;
        loop {
            let context = self.state.top().context;
            let body = self.body(context);
            if body.leads.get(at).copied().unwrap_or(false) && !begins {
                let state = self.state.clone();
                let target = self.edge(state, Key::Code(context, at))?;
                self.text.end(format!("jump {target}"));
                return Ok(());
            }
            begins = false;
            self.at = at;
            self.text.at_source(body.source(at));
            let result = self.execute(&body, at);
            at = match self.located(result)? {
                Flow::Again(to) => {
                    begins = true;
                    to
                }
                Flow::Next => at + 1,
                Flow::Go(to) | Flow::Resume(to) => to,
                Flow::Enter => 0,
                Flow::End => return Ok(()),
            };
        }
    }

    /// A result whose refusal names the instruction in work.
    fn located<T>(&mut self, result: Run<T>) -> Run<T> {
        result.map_err(|stop| match stop {
            Stop::Refused(mut refused) if refused.place.is_empty() => {
                if let Some(frame) = self.state.frames.last() {
                    let body = &self.contexts[frame.context as usize].body;
                    refused.place = format!("{}: ", body.place(self.at));
                }
                Stop::Refused(refused)
            }
            other => other,
        })
    }

    pub(crate) fn body(&self, context: ContextId) -> Rc<Body<'a>> {
        Rc::clone(&self.contexts[context as usize].body)
    }

    /// Where the caller of a context goes on.
    pub(crate) fn behind(&self, context: ContextId) -> Flow {
        let context = &self.contexts[context as usize];
        let at = context.parent.map_or(0, |(_, at)| at);
        match context.after {
            After::Replace(_) => Flow::Again(at),
            _ => Flow::Resume(at + 1),
        }
    }

    /// The context in work.
    pub(crate) fn here(&mut self) -> ContextId {
        self.state.top().context
    }

    /// Enters a method: its frame is pushed.
    pub(crate) fn enter(
        &mut self,
        method: &Method<'a>,
        args: Vec<Value>,
        after: After,
    ) -> Run<Flow> {
        let info = method.info();
        let name = || format!("{}.{}", dotted(method.class.name()), info.name);
        if method.is_native() {
            return refuse(RefusalKind::Unsupported, format!("{} is native", name()));
        }
        if info.access_flags.contains(cafebabe::MethodAccessFlags::SYNCHRONIZED) {
            return refuse(RefusalKind::Unsupported, format!("{} is synchronized", name()));
        }
        let key =
            (method.class.name().to_owned(), info.name.to_string(), info.descriptor.to_string());
        let body = match self.bodies.get(&key) {
            Some(body) => Rc::clone(body),
            None => {
                let body = Rc::new(Body::new(method)?);
                self.bodies.insert(key, Rc::clone(&body));
                body
            }
        };
        for frame in &self.state.frames {
            if Rc::ptr_eq(&self.contexts[frame.context as usize].body, &body) {
                return refuse(RefusalKind::Recursion, format!("{} calls itself", name()));
            }
        }
        self.entered += 1;
        if self.state.frames.len() >= DEPTH_LIMIT || self.entered > SIZE_LIMIT {
            return refuse(RefusalKind::Size, "its calls go too deep");
        }
        let parent = self.state.frames.last().map(|frame| (frame.context, self.at));
        let known = self.contexts.iter().position(|context| {
            context.parent == parent && context.after == after && Rc::ptr_eq(&context.body, &body)
        });
        let context = known.unwrap_or_else(|| {
            self.contexts.push(Context { parent, body: Rc::clone(&body), after });
            self.contexts.len() - 1
        });
        let mut locals = Vec::with_capacity(body.locals);
        let wide = parameter_widths(&body, args.len());
        for (arg, wide) in args.into_iter().zip(wide) {
            locals.push(arg);
            if wide {
                locals.push(Value::Dead("the second half of a wide value"));
            }
        }
        locals.resize(body.locals.max(locals.len()), Value::Dead("a variable without value"));
        self.state.frames.push(Frame { context: context as ContextId, locals, stack: Vec::new() });
        Ok(Flow::Enter)
    }

    fn finished(&self, name: &str) -> String {
        self.text.finish(&self.signature(name))
    }
}

/// Which of so many arguments, the receiver first, take two places.
fn parameter_widths(body: &Body<'_>, args: usize) -> Vec<bool> {
    let (parameters, _) = sluice_planner::effects::method_descriptor(&body.descriptor);
    let receiver = args.saturating_sub(parameters.len());
    let widths = parameters.iter().map(|ty| matches!(*ty, "J" | "D"));
    std::iter::repeat_n(false, receiver).chain(widths).collect()
}

/// A class as people write it.
pub(crate) fn dotted(class: &str) -> String {
    class.replace('/', ".")
}
