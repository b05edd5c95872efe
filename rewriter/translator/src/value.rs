//! What is known of a value of the JVM: its form in the function that is being made.

use std::rc::Rc;

use sluice_engine::ir::Literal;

/// The number of a register of the function.
pub(crate) type Reg = u32;

/// The types of registers that hold no reference, and text that is not null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Prim {
    Bool,
    Int,
    Long,
    Float,
    Double,
    Text,
}

impl Prim {
    /// As the function's text names it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Prim::Bool => "bool",
            Prim::Int => "int",
            Prim::Long => "long",
            Prim::Float => "float",
            Prim::Double => "double",
            Prim::Text => "string",
        }
    }
}

/// A register or a literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operand {
    Reg(Reg),
    Bool(bool),
    Int(i32),
    Long(i64),
    /// Its bits.
    Float(u32),
    /// Its bits.
    Double(u64),
    Text(Rc<str>),
}

impl Operand {
    /// The zero of a type.
    pub(crate) fn zero(prim: Prim) -> Operand {
        match prim {
            Prim::Bool => Operand::Bool(false),
            Prim::Int => Operand::Int(0),
            Prim::Long => Operand::Long(0),
            Prim::Float => Operand::Float(0),
            Prim::Double => Operand::Double(0),
            Prim::Text => Operand::Text("".into()),
        }
    }
}

impl std::fmt::Display for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Operand::Reg(reg) => write!(f, "%{reg}"),
            Operand::Bool(value) => write!(f, "{}", Literal::Bool(*value)),
            Operand::Int(value) => write!(f, "{}", Literal::Int(*value)),
            Operand::Long(value) => write!(f, "{}", Literal::Long(*value)),
            Operand::Float(bits) => write!(f, "{}", Literal::Float(f32::from_bits(*bits))),
            Operand::Double(bits) => write!(f, "{}", Literal::Double(f64::from_bits(*bits))),
            Operand::Text(text) => write!(f, "{}", Literal::Text(text.to_string())),
        }
    }
}

/// The classes of which a register can hold a nullable value: text, and the boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Boxed {
    String,
    Boolean,
    Byte,
    Short,
    Character,
    Integer,
    Long,
    Float,
    Double,
}

impl Boxed {
    const ALL: [(Boxed, &'static str, &'static str, Prim); 9] = [
        (Boxed::String, "java/lang/String", "", Prim::Text),
        (Boxed::Boolean, "java/lang/Boolean", "Z", Prim::Bool),
        (Boxed::Byte, "java/lang/Byte", "B", Prim::Int),
        (Boxed::Short, "java/lang/Short", "S", Prim::Int),
        (Boxed::Character, "java/lang/Character", "C", Prim::Int),
        (Boxed::Integer, "java/lang/Integer", "I", Prim::Int),
        (Boxed::Long, "java/lang/Long", "J", Prim::Long),
        (Boxed::Float, "java/lang/Float", "F", Prim::Float),
        (Boxed::Double, "java/lang/Double", "D", Prim::Double),
    ];

    fn row(self) -> (Boxed, &'static str, &'static str, Prim) {
        Boxed::ALL[self as usize]
    }

    /// Its class.
    pub(crate) fn class(self) -> &'static str {
        self.row().1
    }

    /// The descriptor of the primitive that it holds.
    pub(crate) fn descriptor(self) -> &'static str {
        self.row().2
    }

    /// The type of what it holds.
    pub(crate) fn prim(self) -> Prim {
        self.row().3
    }

    /// The box of a class.
    pub(crate) fn of_class(class: &str) -> Option<Boxed> {
        Boxed::ALL.iter().find(|row| row.1 == class).map(|row| row.0)
    }

    /// Whether it is one of the boxes whose slots hold an int.
    pub(crate) fn is_small(self) -> bool {
        matches!(self, Boxed::Byte | Boxed::Short | Boxed::Character)
    }
}

/// The type in which a primitive lives in registers.
pub(crate) fn prim_of(descriptor: &str) -> Option<Prim> {
    Some(match descriptor {
        "Z" => Prim::Bool,
        "B" | "S" | "C" | "I" => Prim::Int,
        "J" => Prim::Long,
        "F" => Prim::Float,
        "D" => Prim::Double,
        _ => return None,
    })
}

/// The places of fields from the event inwards.
pub(crate) type Path = Rc<[u16]>;

/// An object whose fields are known values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ObjectId {
    /// The function.
    This,
    /// The event, or a record in it.
    Input(Path),
    /// Made by the instruction of that number in that context.
    Site(u32, u32),
    /// What two ways brought to a place of a block.
    Met(u32),
}

/// What is known of the object behind a reference.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// A class that it is of, or of one below.
    pub(crate) class: Option<Rc<str>>,
    /// Whether it is of that class itself.
    pub(crate) exact: bool,
}

impl Facts {
    pub(crate) fn exact(class: &str) -> Facts {
        Facts { class: Some(class.into()), exact: true }
    }

    pub(crate) fn of(class: &str) -> Facts {
        Facts { class: Some(class.into()), exact: false }
    }

    pub(crate) fn join(&self, other: &Facts) -> Facts {
        match self.class == other.class {
            true => Facts { class: self.class.clone(), exact: self.exact && other.exact },
            false => Facts::default(),
        }
    }
}

/// A lambda or a method reference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lambda {
    pub(crate) owner: Rc<str>,
    pub(crate) name: Rc<str>,
    pub(crate) descriptor: Rc<str>,
    pub(crate) kind: LambdaKind,
    /// The name of the interface's method.
    pub(crate) called: Rc<str>,
    pub(crate) captured: Vec<Value>,
}

/// How a lambda's method is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LambdaKind {
    Static,
    Virtual,
    Special,
    New,
}

/// A value in a local variable, on the stack, or in a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Nothing that may be read, and why.
    Dead(&'static str),
    Null,
    Scalar(Prim, Operand),
    /// Of two numbers, to be tested by a branch: whether NaN counts as greater.
    Compare(Prim, bool, Operand, Operand),
    /// A register of the nullable type.
    Nullable(Boxed, Reg),
    /// A box that is not null.
    Boxed(Boxed, Operand),
    /// A field of the event that was not read yet.
    Lazy(Path),
    Object(ObjectId),
    Ref(Reg, Facts),
    /// An object of the function's constants.
    Constant(usize),
    /// A new object of a class whose constructor has not been called.
    Raw(u32, u32, Rc<str>),
    Lambda(Rc<Lambda>),
    /// A text of one char, which may be half of a pair.
    Char(Operand),
    /// A class object.
    Class(Rc<str>),
    /// Flink's collector.
    Collector,
    /// The context of a process function.
    Context,
    /// Something whose calls leave no trace in events: a logger, a metric.
    Silent,
}

impl Value {
    pub(crate) fn int(value: i32) -> Value {
        Value::Scalar(Prim::Int, Operand::Int(value))
    }

    pub(crate) fn bool(value: bool) -> Value {
        Value::Scalar(Prim::Bool, Operand::Bool(value))
    }

    pub(crate) fn text(text: &str) -> Value {
        Value::Scalar(Prim::Text, Operand::Text(text.into()))
    }

    pub(crate) fn reg(prim: Prim, reg: Reg) -> Value {
        Value::Scalar(prim, Operand::Reg(reg))
    }

    /// What a field of that type holds before it is set.
    pub(crate) fn default_of(descriptor: &str) -> Value {
        match prim_of(descriptor) {
            Some(prim) => Value::Scalar(prim, Operand::zero(prim)),
            None => Value::Null,
        }
    }

    /// Whether it takes two places among the local variables.
    pub(crate) fn is_wide(&self) -> bool {
        matches!(self, Value::Scalar(Prim::Long | Prim::Double, _))
    }
}

/// What a parameter of a block can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// What comes together here can't be one value.
    Dead,
    Null,
    /// An int that is 0 or 1, which may be a truth.
    Bit,
    Scalar(Prim),
    Nullable(Boxed),
    /// A field of the event that must be read first.
    Forced,
    Object(Rc<str>),
    Ref(Facts),
}

impl Form {
    /// The form that can stand for both.
    pub(crate) fn join(&self, other: &Form) -> Form {
        use Form::{Bit, Dead, Null, Nullable, Object, Ref, Scalar};
        const BOOL: Form = Scalar(Prim::Bool);
        const INT: Form = Scalar(Prim::Int);
        match (self, other) {
            (Bit, Bit) => BOOL,
            (a, b) if a == b => a.clone(),
            (Bit, Scalar(Prim::Bool)) | (Scalar(Prim::Bool), Bit) => BOOL,
            (Bit | Scalar(Prim::Bool), Scalar(Prim::Int))
            | (Scalar(Prim::Int), Bit | Scalar(Prim::Bool)) => INT,
            (Null | Nullable(Boxed::String), Scalar(Prim::Text))
            | (Scalar(Prim::Text), Null | Nullable(Boxed::String)) => Nullable(Boxed::String),
            (Scalar(Prim::Text), _) if other.is_reference() => Ref(Facts::default()),
            (_, Scalar(Prim::Text)) if self.is_reference() => Ref(Facts::default()),
            (Scalar(_) | Bit | Dead, _) | (_, Scalar(_) | Bit | Dead) => Dead,
            (Null, Nullable(boxed)) | (Nullable(boxed), Null) => Nullable(*boxed),
            (Null, Object(class)) | (Object(class), Null) => Object(class.clone()),
            (Null, Ref(facts)) | (Ref(facts), Null) => Ref(facts.clone()),
            (Ref(one), Ref(two)) => Ref(one.join(two)),
            _ => Ref(self.facts().join(&other.facts())),
        }
    }

    fn is_reference(&self) -> bool {
        !matches!(self, Form::Scalar(_) | Form::Bit | Form::Dead)
    }

    fn facts(&self) -> Facts {
        match self {
            Form::Object(class) => Facts::exact(class),
            Form::Ref(facts) => facts.clone(),
            Form::Nullable(boxed) => Facts::exact(boxed.class()),
            _ => Facts::default(),
        }
    }
}
