//! Stage 3, effects: what the bytecode of each function shows.
//!
//! Methods are run on values of which only one thing is known: who else can see them (`value`). An object that is
//! reachable from the function or from a static field outlives the call; writing to it is memory from event to event.
//! Objects made in the call, and the event itself, may be changed freely. Code of the user is followed through calls,
//! lambdas and initialisers (`walk`, `call`); of Java, Flink and common libraries a table says what they do
//! (`known`). Code that can be neither followed nor looked up keeps the function where it is.

mod call;
mod descriptor;
mod entry;
mod finding;
mod frame;
mod known;
mod pool;
mod step;
mod value;
mod walk;

use std::rc::Rc;

use sluice_model::FunctionKind;

use call::Callee;
pub use descriptor::{class as class_descriptor, method as method_descriptor};
use finding::dotted;
pub use finding::{Effects, Finding, FindingKind, Note, NoteKind, Place};
pub use pool::{Class, Method, Pool, Targets};
use step::{Call, is_plain};
use value::{Origin, Root, Value};
use walk::{Analysis, At, Phase};

use crate::graph::{Implementation, UserFunction};
use crate::jar::Classes;

/// How often a function is run again because more became known of what lies in fields.
const MOST_ROUNDS: usize = 8;

/// Looks into the functions of one job.
pub struct Analyst<'a> {
    pool: Rc<Pool<'a>>,
    main_class: String,
}

impl<'a> Analyst<'a> {
    /// Looks into functions whose classes are these; `main_class` builds the job.
    #[must_use]
    pub fn new(classes: &'a dyn Classes, main_class: &str) -> Self {
        let main_class = main_class.replace('.', "/");
        Self { pool: Rc::new(Pool::new(classes, &main_class)), main_class }
    }

    /// What the bytecode of a function shows.
    #[must_use]
    pub fn effects(&self, kind: FunctionKind, function: &UserFunction) -> Effects {
        let mut analysis = Analysis::new(Rc::clone(&self.pool));
        for _ in 0..MOST_ROUNDS {
            let before = analysis.knowledge();
            analysis.again();
            match entry::implementation(function) {
                Some(implementation) => begin_method(&mut analysis, function, implementation),
                None if kind == FunctionKind::Project => {}
                None => begin_class(&mut analysis, kind, function),
            }
            if analysis.knowledge() == before {
                break;
            }
        }
        analysis.finish(&self.main_class)
    }
}

/// Runs the method behind a lambda or a method reference.
fn begin_method(analysis: &mut Analysis<'_>, function: &UserFunction, method: &Implementation) {
    let Implementation { owner, name, descriptor, kind } = method;
    let mut arguments = entry::implementation_arguments(function, method);
    let at = At { class: owner, name, method: None };
    let callee = Callee { class: owner, name, descriptor };
    match kind.as_str() {
        "new" => {
            let object = Value { class: Some(owner.as_str().into()), ..Value::own() };
            analysis.initialise(owner, &at);
            analysis.construct(&at, callee, &object, &arguments);
        }
        "static" => {
            analysis.call(&at, callee, Call::Static, None, arguments);
        }
        _ => {
            let receiver = arguments.remove(0);
            let how = if kind == "special" { Call::Special } else { Call::Virtual };
            analysis.call(&at, callee, how, Some(receiver), arguments);
        }
    }
}

/// Runs the methods of a function's class that Flink calls.
fn begin_class(analysis: &mut Analysis<'_>, kind: FunctionKind, function: &UserFunction) {
    let class = &entry::class(function);
    let at = At { class, name: "<init>", method: None };
    analysis.initialise(class, &at);
    if !analysis.pool.is_users(class) {
        // A function of a library, perhaps around one of the user; only schemas are known to hold none.
        let holding = function.captured.iter().find(|held| !is_plain(&held.descriptor));
        if let Some(held) = holding.filter(|_| kind != FunctionKind::Schema) {
            let what = format!("{} holds `{}`", dotted(class), held.name);
            analysis.find(FindingKind::Unknown, what, &at);
        }
        return;
    }
    let this =
        Value { class: Some(class.as_str().into()), ..Value::of(Origin::Shared(Root::This)) };
    for (phase, names) in
        [(Phase::Once, &entry::ONCE[..]), (Phase::Each, entry::methods(kind, function))]
    {
        analysis.phase = phase;
        for name in names {
            let methods = analysis.pool.named(class, name);
            let methods: Vec<_> = methods.into_iter().filter(|m| !m.is_static()).collect();
            for method in &methods {
                let descriptor = method.info().descriptor.to_string();
                let arguments = entry::arguments(&descriptor);
                let all: Vec<_> = std::iter::once(this.clone()).chain(arguments).collect();
                analysis.run(method, &all);
            }
            if methods.is_empty() && phase == Phase::Each {
                let what = format!("its method `{name}` is not in the jar");
                analysis.find(FindingKind::Unknown, what, &at);
            }
        }
    }
}
