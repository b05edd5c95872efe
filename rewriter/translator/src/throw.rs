//! Exceptions: where those of a step go, and how they are thrown and caught.

use std::rc::Rc;

use crate::pass::{Flow, Key, Pass};
use crate::refusal::{RefusalKind, Run, refuse};
use crate::state::State;
use crate::text::Text;
use crate::value::{Facts, Value};

impl Pass<'_, '_> {
    /// The innermost frame whose method has handlers where it is in work, from that depth outwards: its depth and instruction.
    fn handling_frame(&self, depth: usize, at: usize) -> Option<(usize, usize)> {
        let mut at = at;
        for depth in (0..depth).rev() {
            let context = &self.contexts[self.state.frames[depth].context as usize];
            if context.body.handlers.get(at).is_some_and(|handlers| !handlers.is_empty()) {
                return Some((depth, context.body.regions[at]));
            }
            at = context.parent.map_or(0, |(_, at)| at);
        }
        None
    }

    /// What is known where an exception arrives in a frame.
    fn unwound(&self, depth: usize) -> State {
        let mut state = self.state.clone();
        state.frames.truncate(depth + 1);
        state.top().stack.clear();
        state
    }

    /// The target for exceptions of the step that comes next; none where they end the event.
    pub(crate) fn catch(&mut self) -> Run<Option<String>> {
        let Some((depth, at)) = self.handling_frame(self.state.frames.len(), self.at) else {
            return Ok(None);
        };
        let state = self.unwound(depth);
        let context = state.frames[depth].context;
        self.edge(state, Key::Caught(context, at)).map(Some)
    }

    /// The block in which an exception arrives.
    pub(crate) fn caught(&mut self, context: u32, at: usize) -> Run<Flow> {
        self.at = at;
        let body = self.body(context);
        self.text.at_source(body.source(at));
        let exception = self.text.step("caught", None);
        self.push(Value::Ref(exception, Facts::default()));
        let state = self.state.clone();
        let target = self.edge(state, Key::Choice(context, at))?;
        self.text.end(format!("jump {target}"));
        Ok(Flow::End)
    }

    /// The block that chooses the handler for the exception on the stack.
    pub(crate) fn choose_handler(&mut self, context: u32, at: usize) -> Run<Flow> {
        self.at = at;
        let exception = self.pop()?;
        let Value::Ref(reg, facts) = exception.clone() else {
            return refuse(RefusalKind::Unsupported, "several kinds of exceptions meet here");
        };
        let body = self.body(context);
        let handlers = Rc::clone(&body.handlers[at]);
        for (class, target) in handlers.iter() {
            let is = match class.as_deref() {
                None | Some("java/lang/Throwable") => Some(true),
                Some(class) => match &facts.class {
                    Some(thrown) if self.is_below(thrown, class) == Some(true) => Some(true),
                    Some(thrown) if facts.exact => self.is_below(thrown, class),
                    _ => None,
                },
            };
            if is == Some(false) {
                continue;
            }
            let mut state = self.state.clone();
            let known = match class {
                Some(class) if !facts.exact => Facts::of(class),
                _ => facts.clone(),
            };
            state.top().stack.push(Value::Ref(reg, known));
            let handler = self.edge(state, Key::Code(context, *target))?;
            if is == Some(true) {
                self.text.end(format!("jump {handler}"));
                return Ok(Flow::End);
            }
            let class = class.as_deref().unwrap_or("java/lang/Throwable");
            self.declare_exception(class);
            let test = self.text.pure(format!("is %{reg}, \"{class}\""));
            let next = self.text.block();
            self.text.end(format!("branch %{test}, {handler}, {}", Text::label(next)));
            self.text.go_on_in(next);
        }
        // Nobody here: it goes on outwards.
        let depth = self.state.frames.len() - 1;
        let call = self.contexts[context as usize].parent.map_or(0, |(_, at)| at);
        self.throw_from(depth, call, exception)
    }

    /// Throws a value.
    pub(crate) fn throw(&mut self, value: &Value) -> Run<Flow> {
        let value = match value {
            Value::Null => {
                self.raise("java/lang/NullPointerException")?;
                return Ok(Flow::End);
            }
            Value::Ref(..) => value.clone(),
            Value::Dead(why) => return refuse(RefusalKind::Unsupported, *why),
            _ => return refuse(RefusalKind::Unsupported, "it throws what is no known exception"),
        };
        self.throw_from(self.state.frames.len(), self.at, value)
    }

    fn throw_from(&mut self, depth: usize, at: usize, exception: Value) -> Run<Flow> {
        let Value::Ref(reg, _) = exception else {
            return refuse(RefusalKind::Code, "an exception was expected");
        };
        match self.handling_frame(depth, at) {
            None => self.text.end(format!("throw_ref %{reg}")),
            Some((depth, at)) => {
                let mut state = self.unwound(depth);
                let context = state.frames[depth].context;
                state.top().stack.push(exception);
                let target = self.edge(state, Key::Choice(context, at))?;
                self.text.end(format!("jump {target}"));
            }
        }
        Ok(Flow::End)
    }

    /// Ends the block with an exception of Java's own, without message.
    pub(crate) fn raise(&mut self, class: &str) -> Run<()> {
        let message = self.text.pure("null ref".to_owned());
        let exception = self.text.step(&format!("exception \"{class}\", %{message}"), None);
        self.throw(&Value::Ref(exception, Facts::exact(class)))?;
        Ok(())
    }
}
