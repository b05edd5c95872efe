//! From the bytecode of a user's function to the text that the native engine executes.
//!
//! | stage | from | to |
//! |---|---|---|
//! | `body` | a method of a class file | instructions, handlers, and which local variables are still read |
//! | `pass`, `execute` | instructions | what is known of each value, followed through calls, which are inlined |
//! | `meet`, `thread` | several ways to an instruction | a block, with parameters for what differs; known tests are passed by |
//! | `text` | steps and blocks | the function's text |
//!
//! Objects that the function makes are no objects as long as only it sees them: their fields are registers. What can't be translated
//! with certainty is a [`Refused`] with its place and kind.

mod arithmetic;
mod body;
mod call;
mod classes;
mod constants;
mod convert;
mod dispatch;
mod entry;
mod execute;
mod fields;
mod input;
mod invoke;
mod library;
mod meet;
mod output;
mod pass;
mod refusal;
mod state;
mod strings;
mod text;
mod thread;
mod throw;
mod value;

pub use library::{EngineLibrary, LibTy, Library, Signature};
pub use refusal::{RefusalKind, Refused};

use std::panic::{AssertUnwindSafe, catch_unwind};

use sluice_engine::{Assigner, Chain, CompileError, Operator};
use sluice_model::FunctionKind;
use sluice_planner::effects::Pool;
use sluice_planner::graph::UserFunction;
use sluice_planner::jar::Classes;
use sluice_planner::{Refusal, Translate};
use sluice_wire::Type;

use constants::Constants;
use pass::{Role, Subject};

/// Translates the functions of one job.
pub struct Translator<'a> {
    pool: Pool<'a>,
    names: Vec<&'a str>,
    library: &'a dyn Library,
}

impl<'a> Translator<'a> {
    /// Translates functions whose classes are these; `main_class` builds the job.
    #[must_use]
    pub fn new(classes: &'a dyn Classes, main_class: &str, library: &'a dyn Library) -> Self {
        let main_class = main_class.replace('.', "/");
        Self { pool: Pool::new(classes, &main_class), names: classes.names(), library }
    }

    /// The text of an operator's function, or, without a kind, of a time stamp function.
    ///
    /// # Errors
    /// Why it is not translated.
    pub fn translate(
        &self,
        kind: Option<FunctionKind>,
        function: &UserFunction,
        input: &Type,
        output: &Type,
    ) -> Result<String, Refused> {
        let refused =
            |kind, text: &str| Refused { kind, place: String::new(), text: text.to_owned() };
        let Some(constants) = Constants::parse(&function.constants) else {
            return Err(refused(RefusalKind::Constant, "its constants can't be read"));
        };
        let role = match kind {
            Some(FunctionKind::Map | FunctionKind::Project) => Role::Map,
            Some(FunctionKind::FlatMap | FunctionKind::Process) => Role::FlatMap,
            Some(FunctionKind::Filter) => Role::Filter,
            None => Role::Timestamp,
            Some(FunctionKind::Schema | FunctionKind::Assigner) => {
                let text = "deserialization schemas are not translated";
                return Err(refused(RefusalKind::Unsupported, text));
            }
        };
        let subject = Subject {
            pool: &self.pool,
            names: &self.names,
            constants,
            library: self.library,
            kind,
            role,
            function,
            input,
            output,
        };
        let name = function.class.rsplit('.').next().unwrap_or("function");
        // The parser of class files may give up on broken ones in its own way.
        let result = catch_unwind(AssertUnwindSafe(|| pass::translate(&subject, name)));
        let text =
            result.unwrap_or_else(|_| Err(refused(RefusalKind::Code, "its code can't be read")))?;
        match compiles(role, &text, &function.constants, input, output) {
            Ok(()) => Ok(text),
            Err(error) => Err(refused(RefusalKind::Unsupported, &error)),
        }
    }
}

/// Whether the engine takes a function.
fn compiles(
    role: Role,
    ir: &str,
    constants: &str,
    input: &Type,
    output: &Type,
) -> Result<(), String> {
    let types = [input.clone(), output.clone()];
    let compiled = match role {
        Role::Timestamp => {
            let assigner = Assigner { after: 0, bound_ms: 0, ir, constants };
            Chain::compile(&types[..1], &[], Some(&assigner), 0, 0)
        }
        _ => Chain::compile(&types, &[Operator { name: "it", ir, constants }], None, 0, 1),
    };
    let first = |errors: Vec<CompileError>| errors.into_iter().next();
    compiled.map(drop).map_err(|errors| {
        first(errors).map_or_else(|| "it does not compile".to_owned(), |error| error.to_string())
    })
}

impl Translate for Translator<'_> {
    fn operator(
        &self,
        kind: FunctionKind,
        function: &UserFunction,
        input: &Type,
        output: &Type,
    ) -> Result<String, Refusal> {
        self.translate(Some(kind), function, input, output).map_err(refusal)
    }

    fn timestamps(&self, function: &UserFunction, input: &Type) -> Result<String, Refusal> {
        self.translate(None, function, input, input).map_err(refusal)
    }
}

fn refusal(refused: Refused) -> Refusal {
    Refusal::new(refused.kind.word(), refused.to_string())
}
