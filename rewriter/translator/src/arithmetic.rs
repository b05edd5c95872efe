//! Numbers, comparisons, and the ways that branches take.

use std::rc::Rc;

use cafebabe::bytecode::Opcode;

use crate::body::Body;
use crate::pass::{Flow, Key, Pass};
use crate::refusal::{RefusalKind, Run, refuse};
use crate::text::Text;
use crate::value::{Boxed, ObjectId, Operand, Prim, Value};

impl<'a> Pass<'_, 'a> {
    /// Executes an instruction on numbers; whether it is one.
    pub(crate) fn arithmetic(&mut self, opcode: &Opcode<'_>) -> Run<bool> {
        use Opcode as O;
        use Prim::{Double, Float, Int, Long};
        let (op, prim) = match opcode {
            O::Iadd => ("add", Int),
            O::Ladd => ("add", Long),
            O::Fadd => ("add", Float),
            O::Dadd => ("add", Double),
            O::Isub => ("sub", Int),
            O::Lsub => ("sub", Long),
            O::Fsub => ("sub", Float),
            O::Dsub => ("sub", Double),
            O::Imul => ("mul", Int),
            O::Lmul => ("mul", Long),
            O::Fmul => ("mul", Float),
            O::Dmul => ("mul", Double),
            O::Idiv => ("div", Int),
            O::Ldiv => ("div", Long),
            O::Fdiv => ("div", Float),
            O::Ddiv => ("div", Double),
            O::Irem => ("rem", Int),
            O::Lrem => ("rem", Long),
            O::Frem => ("rem", Float),
            O::Drem => ("rem", Double),
            O::Iand => ("and", Int),
            O::Land => ("and", Long),
            O::Ior => ("or", Int),
            O::Lor => ("or", Long),
            O::Ixor => ("xor", Int),
            O::Lxor => ("xor", Long),
            O::Ishl | O::Lshl | O::Ishr | O::Lshr | O::Iushr | O::Lushr => {
                return self.shift(opcode).map(|()| true);
            }
            O::Ineg => return self.negate(Int).map(|()| true),
            O::Lneg => return self.negate(Long).map(|()| true),
            O::Fneg => return self.negate(Float).map(|()| true),
            O::Dneg => return self.negate(Double).map(|()| true),
            O::I2l | O::F2l | O::D2l => return self.cast(opcode, Long).map(|()| true),
            O::I2f | O::L2f | O::D2f => return self.cast(opcode, Float).map(|()| true),
            O::I2d | O::L2d | O::F2d => return self.cast(opcode, Double).map(|()| true),
            O::L2i | O::F2i | O::D2i => return self.cast(opcode, Int).map(|()| true),
            O::I2b | O::I2s | O::I2c => return self.narrow(opcode).map(|()| true),
            O::Lcmp => return self.compare(Long, false).map(|()| true),
            O::Fcmpl => return self.compare(Float, false).map(|()| true),
            O::Fcmpg => return self.compare(Float, true).map(|()| true),
            O::Dcmpl => return self.compare(Double, false).map(|()| true),
            O::Dcmpg => return self.compare(Double, true).map(|()| true),
            _ => return Ok(false),
        };
        let b = self.pop()?;
        let a = self.pop()?;
        if matches!(op, "and" | "or" | "xor") && is_truth(&a) && is_truth(&b) {
            let (a, b) = (self.scalar(&a, Prim::Bool)?, self.scalar(&b, Prim::Bool)?);
            let value = self.binary(op, Prim::Bool, a, b);
            self.push(value);
            return Ok(true);
        }
        let (a, b) = (self.scalar(&a, prim)?, self.scalar(&b, prim)?);
        let can_throw = matches!(op, "div" | "rem") && matches!(prim, Int | Long);
        let value = if can_throw {
            let catch = match b {
                Operand::Int(by) if by != 0 => None,
                Operand::Long(by) if by != 0 => None,
                _ => self.catch()?,
            };
            Value::reg(prim, self.text.step(&format!("{op} {a}, {b}"), catch.as_deref()))
        } else {
            self.binary(op, prim, a, b)
        };
        self.push(value);
        Ok(true)
    }

    fn shift(&mut self, opcode: &Opcode<'_>) -> Run<()> {
        use Opcode as O;
        let (op, prim) = match opcode {
            O::Ishl => ("shl", Prim::Int),
            O::Lshl => ("shl", Prim::Long),
            O::Ishr => ("shr", Prim::Int),
            O::Lshr => ("shr", Prim::Long),
            O::Iushr => ("ushr", Prim::Int),
            _ => ("ushr", Prim::Long),
        };
        let by = self.pop_int()?;
        let value = self.pop()?;
        let value = self.scalar(&value, prim)?;
        let shifted = self.binary(op, prim, value, by);
        self.push(shifted);
        Ok(())
    }

    fn negate(&mut self, prim: Prim) -> Run<()> {
        let value = self.pop()?;
        let operand = self.scalar(&value, prim)?;
        let reg = self.text.pure(format!("neg {operand}"));
        self.push(Value::reg(prim, reg));
        Ok(())
    }

    fn cast(&mut self, opcode: &Opcode<'_>, to: Prim) -> Run<()> {
        use Opcode as O;
        let from = match opcode {
            O::I2l | O::I2f | O::I2d => Prim::Int,
            O::L2i | O::L2f | O::L2d => Prim::Long,
            O::F2i | O::F2l | O::F2d => Prim::Float,
            _ => Prim::Double,
        };
        let value = self.pop()?;
        let operand = self.scalar(&value, from)?;
        let value = match (&operand, to) {
            (Operand::Int(value), Prim::Long) => {
                Value::Scalar(to, Operand::Long(i64::from(*value)))
            }
            (Operand::Int(value), Prim::Double) => {
                Value::Scalar(to, Operand::Double(f64::from(*value).to_bits()))
            }
            _ => Value::reg(to, self.text.pure(format!("to_{} {operand}", to.word()))),
        };
        self.push(value);
        Ok(())
    }

    /// Casts of an int to fewer bits.
    fn narrow(&mut self, opcode: &Opcode<'_>) -> Run<()> {
        let operand = self.pop_int()?;
        let value = match (opcode, &operand) {
            (Opcode::I2b, Operand::Int(value)) => Value::int(i32::from(*value as i8)),
            (Opcode::I2s, Operand::Int(value)) => Value::int(i32::from(*value as i16)),
            (_, Operand::Int(value)) => Value::int(i32::from(*value as u16)),
            (Opcode::I2c, _) => self.binary("and", Prim::Int, operand, Operand::Int(0xFFFF)),
            (other, _) => {
                let bits = if matches!(other, Opcode::I2b) { 24 } else { 16 };
                let high = self.text.pure(format!("shl {operand}, {bits}"));
                self.binary("shr", Prim::Int, Operand::Reg(high), Operand::Int(bits))
            }
        };
        self.push(value);
        Ok(())
    }

    fn compare(&mut self, prim: Prim, nan_is_greater: bool) -> Run<()> {
        let b = self.pop()?;
        let a = self.pop()?;
        let (a, b) = (self.scalar(&a, prim)?, self.scalar(&b, prim)?);
        self.push(Value::Compare(prim, nan_is_greater, a, b));
        Ok(())
    }

    /// Executes a conditional jump.
    pub(crate) fn branch(
        &mut self,
        body: &Rc<Body<'a>>,
        at: usize,
        opcode: &Opcode<'_>,
    ) -> Run<Flow> {
        use Opcode as O;
        let (jump, condition) = match opcode {
            O::Ifeq(jump) => (*jump, self.zero_test("eq")?),
            O::Ifne(jump) => (*jump, self.zero_test("ne")?),
            O::Iflt(jump) => (*jump, self.zero_test("lt")?),
            O::Ifle(jump) => (*jump, self.zero_test("le")?),
            O::Ifgt(jump) => (*jump, self.zero_test("gt")?),
            O::Ifge(jump) => (*jump, self.zero_test("ge")?),
            O::IfIcmpeq(jump) => (*jump, self.int_test("eq")?),
            O::IfIcmpne(jump) => (*jump, self.int_test("ne")?),
            O::IfIcmplt(jump) => (*jump, self.int_test("lt")?),
            O::IfIcmple(jump) => (*jump, self.int_test("le")?),
            O::IfIcmpgt(jump) => (*jump, self.int_test("gt")?),
            O::IfIcmpge(jump) => (*jump, self.int_test("ge")?),
            O::Ifnull(jump) | O::Ifnonnull(jump) => {
                let value = self.pop()?;
                return self.null_branch(body, at, *jump, &value, matches!(opcode, O::Ifnull(_)));
            }
            O::IfAcmpeq(jump) => (*jump, (self.same()?, false)),
            O::IfAcmpne(jump) => (*jump, (self.same()?, true)),
            _ => return refuse(RefusalKind::Code, "an instruction that is not known"),
        };
        let (condition, negated) = condition;
        let (yes, no) = (body.target(at, jump)?, at + 1);
        let (yes, no) = if negated { (no, yes) } else { (yes, no) };
        match condition {
            Operand::Bool(true) => return Ok(Flow::Go(yes)),
            Operand::Bool(false) => return Ok(Flow::Go(no)),
            _ => {}
        }
        let context = self.here();
        let yes = self.edge(self.state.clone(), Key::Code(context, yes))?;
        let no = self.edge(self.state.clone(), Key::Code(context, no))?;
        self.text.end(format!("branch {condition}, {yes}, {no}"));
        Ok(Flow::End)
    }

    /// A test of a value against zero: the condition, and whether it is meant the other way round.
    fn zero_test(&mut self, op: &str) -> Run<(Operand, bool)> {
        let value = self.pop()?;
        let value = self.forced(value)?;
        match &value {
            Value::Compare(prim, nan_is_greater, a, b) => {
                // NaN must fall to the side that the instruction gives it.
                let (op, negated) = match (op, prim, nan_is_greater) {
                    ("lt", Prim::Float | Prim::Double, false) => ("ge", true),
                    ("le", Prim::Float | Prim::Double, false) => ("gt", true),
                    ("gt", Prim::Float | Prim::Double, true) => ("le", true),
                    ("ge", Prim::Float | Prim::Double, true) => ("lt", true),
                    (op, ..) => (op, false),
                };
                Ok((Operand::Reg(self.text.pure(format!("{op} {a}, {b}"))), negated))
            }
            Value::Scalar(Prim::Bool, operand) if matches!(op, "eq" | "ne") => {
                Ok((operand.clone(), op == "eq"))
            }
            value => {
                let operand = self.int(value)?;
                Ok((self.tested(op, operand, Operand::Int(0)), false))
            }
        }
    }

    fn int_test(&mut self, op: &str) -> Run<(Operand, bool)> {
        let b = self.pop()?;
        let a = self.pop()?;
        let (a, b) = (self.int(&a)?, self.int(&b)?);
        Ok((self.tested(op, a, b), false))
    }

    fn tested(&mut self, op: &str, a: Operand, b: Operand) -> Operand {
        if let (Operand::Int(a), Operand::Int(b)) = (&a, &b) {
            return Operand::Bool(match op {
                "eq" => a == b,
                "ne" => a != b,
                "lt" => a < b,
                "le" => a <= b,
                "gt" => a > b,
                _ => a >= b,
            });
        }
        Operand::Reg(self.text.pure(format!("{op} {a}, {b}")))
    }

    /// Whether a reference is null.
    pub(crate) fn is_null(&mut self, value: &Value) -> Run<Operand> {
        let value = self.forced(value.clone())?;
        Ok(match &value {
            Value::Null => Operand::Bool(true),
            Value::Object(id) => match self.state.objects.get(id) {
                Some(object) => object.null.clone(),
                None => return refuse(RefusalKind::Code, "an object is not known"),
            },
            Value::Nullable(_, reg) | Value::Ref(reg, _) => {
                Operand::Reg(self.text.pure(format!("is_null %{reg}")))
            }
            Value::Lazy(path) => {
                let reg = self.raw_input(path)?;
                match self.input_type(path) {
                    Some(sluice_wire::Type::Nullable(_)) => {
                        Operand::Reg(self.text.pure(format!("is_null %{reg}")))
                    }
                    _ => Operand::Bool(false),
                }
            }
            Value::Dead(why) => return refuse(RefusalKind::Unsupported, *why),
            _ => Operand::Bool(false),
        })
    }

    fn null_branch(
        &mut self,
        body: &Rc<Body<'a>>,
        at: usize,
        jump: i32,
        value: &Value,
        if_null: bool,
    ) -> Run<Flow> {
        let condition = self.is_null(value)?;
        let (null, not_null) = match if_null {
            true => (body.target(at, jump)?, at + 1),
            false => (at + 1, body.target(at, jump)?),
        };
        match condition {
            Operand::Bool(true) => return Ok(Flow::Go(null)),
            Operand::Bool(false) => return Ok(Flow::Go(not_null)),
            _ => {}
        }
        let context = self.here();
        let with = |pass: &Self, null: bool| {
            let mut state = pass.state.clone();
            if let Value::Object(id) = value
                && let Some(object) = state.objects.get_mut(id)
            {
                object.null = Operand::Bool(null);
            }
            state
        };
        let ways = [(with(self, true), null), (with(self, false), not_null)];
        if matches!(value, Value::Object(_)) {
            // What is read on a way may only be read behind the test.
            let blocks = [self.text.block(), self.text.block()];
            let [yes, no] = blocks.map(Text::label);
            self.text.end(format!("branch {condition}, {yes}, {no}"));
            for ((state, at), block) in ways.into_iter().zip(blocks) {
                self.text.go_on_in(block);
                let target = self.edge(state, Key::Code(context, at))?;
                self.text.end(format!("jump {target}"));
            }
            return Ok(Flow::End);
        }
        let [(is, null), (is_not, not_null)] = ways;
        let null = self.edge(is, Key::Code(context, null))?;
        let not_null = self.edge(is_not, Key::Code(context, not_null))?;
        self.text.end(format!("branch {condition}, {null}, {not_null}"));
        Ok(Flow::End)
    }

    /// Whether two references are the same.
    fn same(&mut self) -> Run<Operand> {
        let b = self.pop()?;
        let a = self.pop()?;
        let (a, b) = (self.forced(a)?, self.forced(b)?);
        if matches!(a, Value::Null) {
            return self.is_null(&b);
        }
        if matches!(b, Value::Null) {
            return self.is_null(&a);
        }
        let has_identity =
            |value: &Value| matches!(value, Value::Object(_) | Value::Constant(_) | Value::Ref(..));
        let may_be_text = |value: &Value| match value {
            Value::Ref(_, facts) => facts.class.as_deref().is_none_or(|class| {
                Boxed::of_class(class).is_some() || !self.subject.pool.is_users(class)
            }),
            _ => false,
        };
        if !has_identity(&a) || !has_identity(&b) || may_be_text(&a) || may_be_text(&b) {
            return refuse(RefusalKind::Identity, "it compares references with ==");
        }
        match (&a, &b) {
            (Value::Object(a), Value::Object(b)) => {
                let vague = |id: &ObjectId| {
                    let null = self.state.objects.get(id).map(|object| &object.null);
                    matches!(id, ObjectId::Met(_)) || null != Some(&Operand::Bool(false))
                };
                if a != b && (vague(a) || vague(b)) {
                    return refuse(RefusalKind::Identity, "it compares references with ==");
                }
                Ok(Operand::Bool(a == b))
            }
            (Value::Constant(a), Value::Constant(b)) => Ok(Operand::Bool(a == b)),
            _ => {
                let (a, b) = (self.reference(&a)?, self.reference(&b)?);
                Ok(Operand::Reg(self.text.pure(format!("same %{a}, %{b}"))))
            }
        }
    }

    /// A switch as comparisons, halving the cases.
    pub(crate) fn switch(
        &mut self,
        body: &Rc<Body<'a>>,
        at: usize,
        cases: Vec<(i32, i32)>,
        default: i32,
    ) -> Run<Flow> {
        let key = self.pop_int()?;
        let default_at = body.target(at, default)?;
        let mut targets = Vec::with_capacity(cases.len());
        for (case, jump) in cases {
            let target = body.target(at, jump)?;
            if target != default_at {
                targets.push((case, target));
            }
        }
        targets.sort_unstable();
        if let Operand::Int(key) = key {
            let found = targets.iter().find(|(case, _)| *case == key);
            return Ok(Flow::Go(found.map_or(default_at, |(_, target)| *target)));
        }
        let state = self.state.clone();
        self.choose(&key, &targets, default_at, &state)?;
        Ok(Flow::End)
    }

    fn choose(
        &mut self,
        key: &Operand,
        cases: &[(i32, usize)],
        default: usize,
        state: &crate::state::State,
    ) -> Run<()> {
        let context = self.here();
        match cases {
            [] => {
                let target = self.edge(state.clone(), Key::Code(context, default))?;
                self.text.end(format!("jump {target}"));
            }
            [(case, target), rest @ ..] if rest.len() < 3 => {
                let is = self.text.pure(format!("eq {key}, {case}"));
                let yes = self.edge(state.clone(), Key::Code(context, *target))?;
                if rest.is_empty() {
                    let no = self.edge(state.clone(), Key::Code(context, default))?;
                    self.text.end(format!("branch %{is}, {yes}, {no}"));
                } else {
                    let next = self.text.block();
                    self.text.end(format!("branch %{is}, {yes}, {}", Text::label(next)));
                    self.text.go_on_in(next);
                    self.choose(key, rest, default, state)?;
                }
            }
            cases => {
                let (low, high) = cases.split_at(cases.len() / 2);
                let is = self.text.pure(format!("lt {key}, {}", high[0].0));
                let (below, above) = (self.text.block(), self.text.block());
                let labels = (Text::label(below), Text::label(above));
                self.text.end(format!("branch %{is}, {}, {}", labels.0, labels.1));
                self.text.go_on_in(below);
                self.choose(key, low, default, state)?;
                self.text.go_on_in(above);
                self.choose(key, high, default, state)?;
            }
        }
        Ok(())
    }
}

/// Whether a value is a truth, or an int that may be one.
fn is_truth(value: &Value) -> bool {
    matches!(value, Value::Scalar(Prim::Bool, _) | Value::Scalar(Prim::Int, Operand::Int(0 | 1)))
}
