//! Ways that lead through tests whose outcome is known on them: they go on behind the test at once, so that no truth or null is carried there.

use cafebabe::bytecode::Opcode;

use crate::pass::{After, Context, Key, Pass};
use crate::state::State;
use crate::value::{Operand, Prim, Value};

/// The most instructions that a way is followed.
const STEPS_LIMIT: usize = 32;

impl Pass<'_, '_> {
    /// Where a way really leads, as far as nothing but moves and known tests lies on it; `state` is made what is known there.
    pub(crate) fn threaded(&self, state: &mut State, key: Key) -> Key {
        let (mut context, mut at) = match key {
            Key::Code(context, at) => (context, at),
            Key::Return(context) => match &self.contexts[context as usize] {
                Context { after: After::Replace(_), .. } | Context { parent: None, .. } => {
                    return key;
                }
                Context { parent: Some((parent, at)), .. } => (*parent, at + 1),
            },
            _ => return key,
        };
        let mut ahead = state.clone();
        let mut found = key;
        for _ in 0..STEPS_LIMIT {
            let body = &self.contexts[context as usize].body;
            let Some(opcode) = body.opcode(at) else { break };
            let next = match opcode {
                Opcode::Goto(jump) => body.target(at, *jump).ok(),
                Opcode::Aload(local) | Opcode::Iload(local) => {
                    let value = ahead.top().locals.get(usize::from(*local)).cloned();
                    ahead.top().stack.extend(value);
                    Some(at + 1)
                }
                Opcode::Astore(local) | Opcode::Istore(local) => {
                    let frame = ahead.top();
                    match (frame.stack.pop(), frame.locals.get_mut(usize::from(*local))) {
                        (Some(value), Some(place)) if !value.is_wide() => {
                            *place = value;
                            Some(at + 1)
                        }
                        _ => None,
                    }
                }
                Opcode::Ireturn | Opcode::Areturn => {
                    let value = ahead.top().stack.pop();
                    let call = &self.contexts[context as usize];
                    let pushes = call.after == After::Push;
                    match (value, call.parent) {
                        (Some(value), Some((parent, call_at))) if pushes => {
                            ahead.frames.pop();
                            ahead.top().stack.push(value);
                            context = parent;
                            Some(call_at + 1)
                        }
                        _ => None,
                    }
                }
                test => match decided(test, &mut ahead) {
                    Some((true, jump)) => {
                        let to = body.target(at, jump).ok();
                        if let Some(to) = to {
                            found = Key::Code(context, to);
                            *state = ahead.clone();
                        }
                        to
                    }
                    Some((false, _)) => {
                        found = Key::Code(context, at + 1);
                        *state = ahead.clone();
                        Some(at + 1)
                    }
                    None => None,
                },
            };
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        found
    }
}

/// Whether a conditional jump whose operand is known jumps, and where to.
fn decided(opcode: &Opcode<'_>, state: &mut State) -> Option<(bool, i32)> {
    let value = state.top().stack.last()?.clone();
    let number = match &value {
        Value::Scalar(Prim::Bool, Operand::Bool(value)) => Some(i32::from(*value)),
        Value::Scalar(Prim::Int, Operand::Int(value)) => Some(*value),
        _ => None,
    };
    let null = match &value {
        Value::Null => Some(true),
        Value::Object(id) => match state.objects.get(id)?.null {
            Operand::Bool(null) => Some(null),
            _ => None,
        },
        Value::Scalar(Prim::Text, _) | Value::Char(_) | Value::Boxed(..) | Value::Constant(_) => {
            Some(false)
        }
        _ => None,
    };
    let result = match opcode {
        Opcode::Ifeq(jump) => (number? == 0, *jump),
        Opcode::Ifne(jump) => (number? != 0, *jump),
        Opcode::Iflt(jump) => (number? < 0, *jump),
        Opcode::Ifge(jump) => (number? >= 0, *jump),
        Opcode::Ifgt(jump) => (number? > 0, *jump),
        Opcode::Ifle(jump) => (number? <= 0, *jump),
        Opcode::Ifnull(jump) => (null?, *jump),
        Opcode::Ifnonnull(jump) => (!null?, *jump),
        _ => return None,
    };
    state.top().stack.pop();
    Some(result)
}
