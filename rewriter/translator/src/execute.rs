//! The instructions of the JVM on what is known of their operands.

use std::rc::Rc;

use cafebabe::bytecode::{Opcode, PrimitiveArrayType};
use cafebabe::constant_pool::{LiteralConstant, Loadable, ObjectArrayType};

use crate::body::Body;
use crate::pass::{Flow, Pass};
use crate::refusal::{RefusalKind, Run, refuse};
use crate::value::{Facts, Operand, Prim, Value};

impl<'a> Pass<'_, 'a> {
    pub(crate) fn push(&mut self, value: Value) {
        self.state.top().stack.push(value);
    }

    pub(crate) fn pop(&mut self) -> Run<Value> {
        match self.state.top().stack.pop() {
            Some(value) => Ok(value),
            None => refuse(RefusalKind::Code, "the stack is empty"),
        }
    }

    fn pop_scalar(&mut self, prim: Prim) -> Run<Operand> {
        let value = self.pop()?;
        self.scalar(&value, prim)
    }

    pub(crate) fn pop_int(&mut self) -> Run<Operand> {
        self.pop_scalar(Prim::Int)
    }

    /// Executes one instruction.
    pub(crate) fn execute(&mut self, body: &Rc<Body<'a>>, at: usize) -> Run<Flow> {
        use Opcode as O;
        let Some(opcode) = body.opcode(at) else {
            return refuse(RefusalKind::Code, "the code has no end");
        };
        match opcode {
            O::Nop => {}
            O::AconstNull => self.push(Value::Null),
            O::IconstM1 => self.push(Value::int(-1)),
            O::Iconst0 => self.push(Value::int(0)),
            O::Iconst1 => self.push(Value::int(1)),
            O::Iconst2 => self.push(Value::int(2)),
            O::Iconst3 => self.push(Value::int(3)),
            O::Iconst4 => self.push(Value::int(4)),
            O::Iconst5 => self.push(Value::int(5)),
            O::Bipush(value) => self.push(Value::int(i32::from(*value))),
            O::Sipush(value) => self.push(Value::int(i32::from(*value))),
            O::Lconst0 => self.push(Value::Scalar(Prim::Long, Operand::Long(0))),
            O::Lconst1 => self.push(Value::Scalar(Prim::Long, Operand::Long(1))),
            O::Fconst0 => self.push_float(0.0),
            O::Fconst1 => self.push_float(1.0),
            O::Fconst2 => self.push_float(2.0),
            O::Dconst0 => self.push_double(0.0),
            O::Dconst1 => self.push_double(1.0),
            O::Ldc(constant) | O::LdcW(constant) | O::Ldc2W(constant) => self.constant(constant)?,
            O::Aload(local)
            | O::Iload(local)
            | O::Lload(local)
            | O::Fload(local)
            | O::Dload(local) => {
                let value = self.state.top().locals.get(usize::from(*local)).cloned();
                self.push(value.unwrap_or(Value::Dead("a variable without value")));
            }
            O::Astore(local)
            | O::Istore(local)
            | O::Lstore(local)
            | O::Fstore(local)
            | O::Dstore(local) => {
                let value = self.pop()?;
                let wide = value.is_wide();
                self.set_local(usize::from(*local), value);
                if wide {
                    self.set_local(usize::from(*local) + 1, Value::Dead("half of a wide value"));
                }
            }
            O::Iinc(local, by) => {
                let value = self.state.top().locals.get(usize::from(*local)).cloned();
                let a = self.int(&value.unwrap_or(Value::Dead("a variable without value")))?;
                let sum = self.binary("add", Prim::Int, a, Operand::Int(i32::from(*by)));
                self.set_local(usize::from(*local), sum);
            }
            O::Pop
            | O::Pop2
            | O::Dup
            | O::DupX1
            | O::DupX2
            | O::Dup2
            | O::Dup2X1
            | O::Dup2X2
            | O::Swap => self.shuffle(opcode)?,
            O::Goto(jump) => return Ok(Flow::Go(body.target(at, *jump)?)),
            O::Return => return self.returned(None),
            O::Ireturn | O::Lreturn | O::Freturn | O::Dreturn | O::Areturn => {
                let value = self.pop()?;
                return self.returned(Some(value));
            }
            O::Lookupswitch(table) => {
                let cases = table.match_offsets.iter().map(|(key, jump)| (*key, *jump)).collect();
                return self.switch(body, at, cases, table.default);
            }
            O::Tableswitch(table) => {
                let cases = (table.low..).zip(table.jumps.iter().copied()).collect();
                return self.switch(body, at, cases, table.default);
            }
            O::Athrow => {
                let value = self.pop()?;
                return self.throw(&value);
            }
            O::Getfield(field) => self.get_field(field)?,
            O::Putfield(field) => self.put_field(field)?,
            O::Getstatic(field) => self.get_static(field)?,
            O::Putstatic(field) => {
                let text = format!("it writes the static field {}", field.name_and_type.name);
                return refuse(RefusalKind::State, text);
            }
            O::New(class) => {
                let context = self.here();
                self.push(Value::Raw(context, at as u32, class.as_ref().into()));
            }
            O::Invokestatic(method) => {
                return self.invoke_static(
                    &method.class_name,
                    &method.name_and_type.name,
                    &method.name_and_type.descriptor,
                );
            }
            O::Invokespecial(method) => {
                return self.invoke_special(
                    &method.class_name,
                    &method.name_and_type.name,
                    &method.name_and_type.descriptor,
                );
            }
            O::Invokevirtual(method) | O::Invokeinterface(method, _) => {
                return self.invoke_virtual(
                    &method.class_name,
                    &method.name_and_type.name,
                    &method.name_and_type.descriptor,
                );
            }
            O::Invokedynamic(call) => return self.invoke_dynamic(body, call),
            O::Checkcast(ty) => {
                let class = type_name(ty);
                return self.check_cast(&class);
            }
            O::Instanceof(ty) => {
                let class = type_name(ty);
                self.instance_of(&class)?;
            }
            O::Newarray(ty) => {
                let descriptor = match ty {
                    PrimitiveArrayType::Boolean => "[Z",
                    PrimitiveArrayType::Char => "[C",
                    PrimitiveArrayType::Float => "[F",
                    PrimitiveArrayType::Double => "[D",
                    PrimitiveArrayType::Byte => "[B",
                    PrimitiveArrayType::Short => "[S",
                    PrimitiveArrayType::Int => "[I",
                    PrimitiveArrayType::Long => "[J",
                };
                self.new_array(descriptor)?;
            }
            O::Anewarray(ty) => {
                let element = type_name(ty);
                let descriptor = match element.starts_with('[') {
                    true => format!("[{element}"),
                    false => format!("[L{element};"),
                };
                self.new_array(&descriptor)?;
            }
            O::Arraylength => {
                let array = self.pop()?;
                let length = self.array_length(&array)?;
                self.push(length);
            }
            O::Iaload => self.array_get("int", Prim::Int)?,
            O::Laload => self.array_get("long", Prim::Long)?,
            O::Faload => self.array_get("float", Prim::Float)?,
            O::Daload => self.array_get("double", Prim::Double)?,
            O::Caload => self.array_get("char", Prim::Int)?,
            O::Saload => self.array_get("short", Prim::Int)?,
            O::Baload => self.array_get_byte()?,
            O::Aaload => self.array_get_ref()?,
            O::Iastore => self.array_set("int", Prim::Int)?,
            O::Lastore => self.array_set("long", Prim::Long)?,
            O::Fastore => self.array_set("float", Prim::Float)?,
            O::Dastore => self.array_set("double", Prim::Double)?,
            O::Castore => self.array_set("char", Prim::Int)?,
            O::Sastore => self.array_set("short", Prim::Int)?,
            O::Bastore => self.array_set_byte()?,
            O::Aastore => self.array_set_ref()?,
            O::Monitorenter | O::Monitorexit => {
                return refuse(RefusalKind::Unsupported, "it uses a monitor");
            }
            O::Multianewarray(..) => {
                return refuse(RefusalKind::Unsupported, "it makes an array of several dimensions");
            }
            O::Jsr(_) | O::Ret(_) | O::Breakpoint | O::Impdep1 | O::Impdep2 => {
                return refuse(RefusalKind::Code, "an instruction of old class files");
            }
            other => match self.arithmetic(other)? {
                true => {}
                false => return self.branch(body, at, other),
            },
        }
        Ok(Flow::Next)
    }

    fn set_local(&mut self, local: usize, value: Value) {
        let locals = &mut self.state.top().locals;
        if let Some(place) = locals.get_mut(local) {
            *place = value;
        }
    }

    fn push_float(&mut self, value: f32) {
        self.push(Value::Scalar(Prim::Float, Operand::Float(value.to_bits())));
    }

    fn push_double(&mut self, value: f64) {
        self.push(Value::Scalar(Prim::Double, Operand::Double(value.to_bits())));
    }

    fn constant(&mut self, constant: &Loadable<'_>) -> Run<()> {
        let literal = match constant {
            Loadable::LiteralConstant(literal) => literal,
            Loadable::ClassInfo(class) => {
                self.push(Value::Class(class.as_ref().into()));
                return Ok(());
            }
            _ => return refuse(RefusalKind::Unsupported, "a method handle or dynamic constant"),
        };
        match literal {
            LiteralConstant::Integer(value) => self.push(Value::int(*value)),
            LiteralConstant::Float(value) => self.push_float(*value),
            LiteralConstant::Long(value) => {
                self.push(Value::Scalar(Prim::Long, Operand::Long(*value)));
            }
            LiteralConstant::Double(value) => self.push_double(*value),
            LiteralConstant::String(text) => self.push(Value::text(text)),
            LiteralConstant::StringBytes(_) => {
                return refuse(RefusalKind::Constant, "a text with half of a surrogate pair");
            }
        }
        Ok(())
    }

    /// The instructions that only move values on the stack.
    fn shuffle(&mut self, opcode: &Opcode<'_>) -> Run<()> {
        use Opcode as O;
        let first = self.pop()?;
        let wide = first.is_wide() || matches!(first, Value::Compare(..) if false);
        let order: Vec<Value> = match opcode {
            O::Pop => vec![],
            O::Pop2 if wide => vec![],
            O::Pop2 => {
                self.pop()?;
                vec![]
            }
            O::Dup => vec![first.clone(), first],
            O::Dup2 if wide => vec![first.clone(), first],
            O::Swap => vec![first.clone(), self.pop()?].into_iter().collect(),
            O::Dup2 => {
                let second = self.pop()?;
                vec![second.clone(), first.clone(), second, first]
            }
            O::DupX1 => {
                let second = self.pop()?;
                vec![first.clone(), second, first]
            }
            O::Dup2X1 if wide => {
                let second = self.pop()?;
                vec![first.clone(), second, first]
            }
            O::Dup2X1 => {
                let (second, third) = (self.pop()?, self.pop()?);
                vec![second.clone(), first.clone(), third, second, first]
            }
            O::DupX2 => {
                let second = self.pop()?;
                match second.is_wide() {
                    true => vec![first.clone(), second, first],
                    false => {
                        let third = self.pop()?;
                        vec![first.clone(), third, second, first]
                    }
                }
            }
            _ => {
                let second = self.pop()?;
                match (wide, second.is_wide()) {
                    (true, true) => vec![first.clone(), second, first],
                    (true, false) => {
                        let third = self.pop()?;
                        vec![first.clone(), third, second, first]
                    }
                    (false, _) => {
                        let third = self.pop()?;
                        match third.is_wide() {
                            true => vec![second.clone(), first.clone(), third, second, first],
                            false => {
                                let fourth = self.pop()?;
                                vec![second.clone(), first.clone(), fourth, third, second, first]
                            }
                        }
                    }
                }
            }
        };
        let stack = &mut self.state.top().stack;
        stack.extend(order);
        Ok(())
    }

    /// A step of two operands without exceptions; literals are computed here where that is simple.
    pub(crate) fn binary(&mut self, op: &str, prim: Prim, a: Operand, b: Operand) -> Value {
        if let (Operand::Int(x), Operand::Int(y)) = (&a, &b) {
            let known = match op {
                "add" => Some(x.wrapping_add(*y)),
                "sub" => Some(x.wrapping_sub(*y)),
                "mul" => Some(x.wrapping_mul(*y)),
                _ => None,
            };
            if let Some(known) = known {
                return Value::int(known);
            }
        }
        let reg = self.text.pure(format!("{op} {a}, {b}"));
        Value::reg(prim, reg)
    }

    fn new_array(&mut self, descriptor: &str) -> Run<()> {
        let length = self.pop_int()?;
        // A length that is known can't be negative.
        let catch = match length {
            Operand::Int(length) if length >= 0 => None,
            _ => self.catch()?,
        };
        let reg = self.text.step(&format!("array \"{descriptor}\", {length}"), catch.as_deref());
        self.push(Value::Ref(reg, Facts::exact(descriptor)));
        Ok(())
    }

    pub(crate) fn array_length(&mut self, array: &Value) -> Run<Value> {
        if let Value::Constant(at) = array
            && let Some(crate::constants::Constant::Array(_, len)) =
                self.subject.constants.object(*at)
        {
            return Ok(Value::int(i32::try_from(len).unwrap_or(i32::MAX)));
        }
        let reg = self.reference(array)?;
        let catch = self.catch()?;
        Ok(Value::reg(Prim::Int, self.text.step(&format!("array_length %{reg}"), catch.as_deref())))
    }

    fn array_get(&mut self, word: &str, prim: Prim) -> Run<()> {
        let index = self.pop_int()?;
        let array = self.pop()?;
        if let Some(value) = self.constant_element(&array, &index) {
            self.push(value);
            return Ok(());
        }
        let reg = self.reference(&array)?;
        let catch = self.catch()?;
        let value = self.text.step(&format!("array_get_{word} %{reg}, {index}"), catch.as_deref());
        self.push(Value::reg(prim, value));
        Ok(())
    }

    /// An element of a constant array that is known.
    fn constant_element(&self, array: &Value, index: &Operand) -> Option<Value> {
        match (array, index) {
            (Value::Constant(at), Operand::Int(index)) => {
                self.subject.constants.element(*at, *index)
            }
            _ => None,
        }
    }

    /// The class of an array: a descriptor.
    fn array_class(&self, array: &Value) -> Option<Rc<str>> {
        match array {
            Value::Ref(_, facts) => facts.class.clone(),
            Value::Constant(at) => self.subject.constants.class(*at).map(Into::into),
            _ => None,
        }
    }

    fn array_get_byte(&mut self) -> Run<()> {
        let stack = &self.state.top().stack;
        let array = stack.len().checked_sub(2).map(|at| stack[at].clone());
        match array.and_then(|array| self.array_class(&array)).as_deref() {
            Some("[Z") => self.array_get("bool", Prim::Bool),
            Some("[B") => self.array_get("byte", Prim::Int),
            _ => refuse(
                RefusalKind::Unsupported,
                "an array of bytes or of truths, which is not known",
            ),
        }
    }

    fn array_set_byte(&mut self) -> Run<()> {
        let stack = &self.state.top().stack;
        let array = stack.len().checked_sub(3).map(|at| stack[at].clone());
        match array.and_then(|array| self.array_class(&array)).as_deref() {
            Some("[Z") => self.array_set("bool", Prim::Bool),
            Some("[B") => self.array_set("byte", Prim::Int),
            _ => refuse(
                RefusalKind::Unsupported,
                "an array of bytes or of truths, which is not known",
            ),
        }
    }

    fn array_get_ref(&mut self) -> Run<()> {
        let index = self.pop_int()?;
        let array = self.pop()?;
        if let Some(value) = self.constant_element(&array, &index) {
            self.push(value);
            return Ok(());
        }
        let class = self.array_class(&array);
        let reg = self.reference(&array)?;
        let catch = self.catch()?;
        let value = self.text.step(&format!("array_get_ref %{reg}, {index}"), catch.as_deref());
        let element = class.as_deref().and_then(|class| class.strip_prefix('['));
        let element = element.and_then(crate::classes::class_named);
        self.push(Value::Ref(value, element.map_or_else(Facts::default, Facts::of)));
        Ok(())
    }

    fn array_set(&mut self, word: &str, prim: Prim) -> Run<()> {
        let value = self.pop_scalar(prim)?;
        self.array_put(word, &value)
    }

    fn array_set_ref(&mut self) -> Run<()> {
        let value = self.pop()?;
        let value = Operand::Reg(self.reference(&value)?);
        self.array_put("ref", &value)
    }

    fn array_put(&mut self, word: &str, value: &Operand) -> Run<()> {
        let index = self.pop_int()?;
        let array = self.pop()?;
        if matches!(array, Value::Constant(_)) {
            return refuse(RefusalKind::State, "it writes into an array that outlives the event");
        }
        let reg = self.reference(&array)?;
        let catch = self.catch()?;
        self.text.act(&format!("array_set_{word} %{reg}, {index}, {value}"), catch.as_deref());
        Ok(())
    }
}

/// The class, or of an array the descriptor, that an instruction names.
pub(crate) fn type_name(ty: &ObjectArrayType<'_>) -> String {
    match ty {
        ObjectArrayType::ArrayType(descriptor) => descriptor.to_string(),
        ObjectArrayType::BinaryName(name) => name.to_string(),
    }
}
