//! One instruction: what it does to the stack, and what it shows.

use std::rc::Rc;

use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::{MemberRef, ObjectArrayType};

use super::descriptor;
use super::finding::FindingKind;
use super::frame::{Frame, Malformed};
use super::known;
use super::pool::Method;
use super::value::{Origin, Root, Value, join};
use super::walk::{Analysis, At, Phase};

/// Where a method goes on behind an instruction.
pub struct Next {
    /// With the next instruction.
    pub on: bool,
    /// At places relative to this one.
    pub jumps: Vec<i32>,
}

impl Next {
    const ON: Self = Self { on: true, jumps: Vec::new() };
    const END: Self = Self { on: false, jumps: Vec::new() };
}

impl<'a> Analysis<'a> {
    /// Applies an instruction to a frame; a returned value goes to `results`.
    pub fn step(
        &mut self,
        method: &Method<'a>,
        at: usize,
        opcode: &Opcode<'a>,
        frame: &mut Frame,
        results: &mut Vec<Value>,
    ) -> Result<Next, Malformed> {
        use Opcode::*;
        let place = At {
            class: method.class.name(),
            name: &method.info().name,
            method: Some((method, at)),
        };
        match opcode {
            Nop | Iinc(..) | Checkcast(ObjectArrayType::ArrayType(_)) => {}
            AconstNull => frame.push(Value { null: true, ..Value::own() }),
            IconstM1 | Iconst0 | Iconst1 | Iconst2 | Iconst3 | Iconst4 | Iconst5 | Bipush(_)
            | Sipush(_) | Fconst0 | Fconst1 | Fconst2 | Ldc(_) | LdcW(_) => {
                frame.push(Value::own())
            }
            Lconst0 | Lconst1 | Dconst0 | Dconst1 | Ldc2W(_) => frame.push(Value::own().wide(true)),
            Aload(n) | Iload(n) | Lload(n) | Fload(n) | Dload(n) => frame.load(*n)?,
            Astore(n) | Istore(n) | Lstore(n) | Fstore(n) | Dstore(n) => frame.store(*n)?,
            Iaload | Faload | Baload | Caload | Saload => frame.compute(2, false)?,
            Laload | Daload => frame.compute(2, true)?,
            Aaload => {
                frame.pop()?;
                let array = frame.pop()?;
                frame.push(Value::of(self.held(&array, "[]")));
            }
            Iastore | Lastore | Fastore | Dastore | Bastore | Castore | Sastore | Aastore => {
                let value = frame.pop()?;
                frame.pop()?;
                let array = frame.pop()?;
                self.put_into(&place, &array, "[]", &value);
            }
            Pop => drop(frame.places(1)?),
            Pop2 => drop(frame.places(2)?),
            Dup => frame.dup(1, 0)?,
            DupX1 => frame.dup(1, 1)?,
            DupX2 => frame.dup(1, 2)?,
            Dup2 => frame.dup(2, 0)?,
            Dup2X1 => frame.dup(2, 1)?,
            Dup2X2 => frame.dup(2, 2)?,
            Swap => {
                let (top, below) = (frame.pop()?, frame.pop()?);
                frame.push(top);
                frame.push(below);
            }
            Iadd | Isub | Imul | Idiv | Irem | Iand | Ior | Ixor | Ishl | Ishr | Iushr | Fadd
            | Fsub | Fmul | Fdiv | Frem | Lcmp | Fcmpg | Fcmpl | Dcmpg | Dcmpl => {
                frame.compute(2, false)?
            }
            Ladd | Lsub | Lmul | Ldiv | Lrem | Land | Lor | Lxor | Lshl | Lshr | Lushr | Dadd
            | Dsub | Dmul | Ddiv | Drem => frame.compute(2, true)?,
            Ineg | Fneg | I2f | F2i | I2b | I2c | I2s | L2i | L2f | D2i | D2f | Arraylength
            | Instanceof(_) => frame.compute(1, false)?,
            Lneg | Dneg | I2l | I2d | F2l | F2d | L2d | D2l => frame.compute(1, true)?,
            Checkcast(ObjectArrayType::BinaryName(class)) => {
                if known::is_immutable(class) {
                    let mut value = frame.pop()?;
                    value.origin = plain(value.origin);
                    frame.push(value);
                }
            }
            New(class) => {
                self.initialise(class, &place);
                let value =
                    Value { class: Some(Rc::from(&**class)), site: Some(at), ..Value::own() };
                frame.push(value);
            }
            Newarray(_) | Anewarray(_) => {
                frame.pop()?;
                frame.push(Value::own());
            }
            Multianewarray(_, dimensions) => {
                for _ in 0..*dimensions {
                    frame.pop()?;
                }
                frame.push(Value::own());
            }
            Monitorenter | Monitorexit => drop(frame.pop()?),
            Getfield(field) => self.get_field(field, frame)?,
            Putfield(field) => self.put_field(&place, field, frame)?,
            Getstatic(field) => self.get_static(&place, field, frame),
            Putstatic(field) => self.put_static(&place, field, frame)?,
            Invokevirtual(m) | Invokeinterface(m, _) => {
                self.invoke(&place, m, Call::Virtual, frame)?
            }
            Invokespecial(m) => self.invoke(&place, m, Call::Special, frame)?,
            Invokestatic(m) => self.invoke(&place, m, Call::Static, frame)?,
            Invokedynamic(call) => self.invoke_dynamic(&place, call, frame)?,
            Goto(jump) => return Ok(Next { on: false, jumps: vec![*jump] }),
            IfAcmpeq(jump) | IfAcmpne(jump) | IfIcmpeq(jump) | IfIcmpge(jump) | IfIcmpgt(jump)
            | IfIcmple(jump) | IfIcmplt(jump) | IfIcmpne(jump) => {
                frame.places(2)?;
                return Ok(Next { on: true, jumps: vec![*jump] });
            }
            Ifeq(jump) | Ifge(jump) | Ifgt(jump) | Ifle(jump) | Iflt(jump) | Ifne(jump)
            | Ifnonnull(jump) | Ifnull(jump) => {
                frame.places(1)?;
                return Ok(Next { on: true, jumps: vec![*jump] });
            }
            Lookupswitch(table) => {
                frame.pop()?;
                let jumps = table.match_offsets.iter().map(|(_, jump)| *jump);
                return Ok(Next { on: false, jumps: jumps.chain([table.default]).collect() });
            }
            Tableswitch(table) => {
                frame.pop()?;
                let jumps = table.jumps.iter().copied().chain([table.default]).collect();
                return Ok(Next { on: false, jumps });
            }
            Areturn | Ireturn | Lreturn | Freturn | Dreturn => {
                results.push(frame.pop()?);
                return Ok(Next::END);
            }
            Return | Athrow => return Ok(Next::END),
            // Subroutines went away with Java 6; the others are no code of programs.
            Jsr(_) | Ret(_) | Breakpoint | Impdep1 | Impdep2 => return Err(Malformed),
        }
        Ok(Next::ON)
    }

    fn get_field(&mut self, field: &MemberRef<'a>, frame: &mut Frame) -> Result<(), Malformed> {
        let object = frame.pop()?;
        let (name, ty) = (&*field.name_and_type.name, &*field.name_and_type.descriptor);
        let mut origin = match object.shared() {
            Some(Root::This) => Origin::Shared(Root::Field(Rc::from(name))),
            _ => self.held(&object, name),
        };
        if is_plain(ty) {
            origin = plain(origin);
        }
        let lambdas = self.lambdas_in(name);
        frame.push(Value { lambdas, ..Value::of(origin).wide(descriptor::is_wide(ty)) });
        Ok(())
    }

    fn put_field(
        &mut self,
        place: &At<'_, 'a>,
        field: &MemberRef<'a>,
        frame: &mut Frame,
    ) -> Result<(), Malformed> {
        let value = frame.pop()?;
        let object = frame.pop()?;
        let (name, ty) = (&*field.name_and_type.name, &*field.name_and_type.descriptor);
        match object.shared() {
            Some(Root::This) if self.phase == Phase::Once || is_lazy(ty, &value) => {}
            Some(Root::This) => self.find(FindingKind::HiddenField, name.to_owned(), place),
            _ => self.put_into(place, &object, name, &value),
        }
        self.remember_lambdas(name, &value);
        Ok(())
    }

    fn get_static(&mut self, place: &At<'_, 'a>, field: &MemberRef<'a>, frame: &mut Frame) {
        let (name, ty) = (&*field.name_and_type.name, &*field.name_and_type.descriptor);
        self.initialise(&field.class_name, place);
        self.read_static(&field.class_name, name, place);
        let shown = format!("{}.{name}", crate::graph::simple(&field.class_name));
        let origin = Origin::Shared(Root::Static(shown.into()));
        let origin = if is_plain(ty) { Origin::Own } else { origin };
        let lambdas = self.lambdas_in(name);
        frame.push(Value { lambdas, ..Value::of(origin).wide(descriptor::is_wide(ty)) });
    }

    fn put_static(
        &mut self,
        place: &At<'_, 'a>,
        field: &MemberRef<'a>,
        frame: &mut Frame,
    ) -> Result<(), Malformed> {
        let value = frame.pop()?;
        let (name, ty) = (&*field.name_and_type.name, &*field.name_and_type.descriptor);
        self.remember_lambdas(name, &value);
        if self.phase == Phase::Each && !is_lazy(ty, &value) {
            let shown = format!("{}.{name}", crate::graph::simple(&field.class_name));
            self.find(FindingKind::HiddenStatic, shown, place);
        }
        Ok(())
    }

    /// Who can see what a field or an element of an object holds.
    fn held(&self, object: &Value, field: &str) -> Origin {
        match self.tainted(field) {
            Some(root) => join(&object.origin, &Origin::Shared(root)),
            None => object.origin.clone(),
        }
    }

    /// Puts a value into a field or an element of an object other than the function.
    fn put_into(&mut self, place: &At<'_, 'a>, object: &Value, field: &str, value: &Value) {
        match object.shared() {
            Some(root) if self.phase == Phase::Each => {
                self.find(FindingKind::HiddenObject, root.to_string(), place);
            }
            _ => {
                if let Some(root) = value.shared() {
                    self.taint(field, root.clone());
                }
            }
        }
    }
}

/// How a method is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// The object decides.
    Virtual,
    /// Constructors, private methods, `super`.
    Special,
    /// Without an object.
    Static,
}

/// A reference to something that nobody can change is as good as a copy.
pub fn plain(origin: Origin) -> Origin {
    match origin {
        Origin::Shared(_) => Origin::Own,
        other => other,
    }
}

/// Whether nobody can change values of that type.
pub fn is_plain(ty: &str) -> bool {
    descriptor::is_primitive(ty) || descriptor::class(ty).is_some_and(known::is_immutable)
}

/// Whether storing this is no memory of events: a tool that was made from constants, such as a parser that is made when
/// it is first needed.
fn is_lazy(ty: &str, value: &Value) -> bool {
    let class = value.class.as_deref().or_else(|| descriptor::class(ty));
    let tool = class.is_some_and(|class| !known::is_container(class));
    value.origin == Origin::Own && !value.null && tool
}
