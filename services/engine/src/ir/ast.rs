//! The syntax tree of a function.

/// A place in the text, both numbers from 1, the column in characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// What a function is to its operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One output for every input: its result.
    Map,
    /// Any number of outputs for every input: what it emits.
    FlatMap,
    /// Passes its input on where its result is true.
    Filter,
    /// The event time of its input, epoch milliseconds; it changes no event.
    Timestamp,
}

impl Kind {
    /// Every kind with its word.
    pub const WORDS: [(&'static str, Kind); 4] = [
        ("map", Kind::Map),
        ("flatmap", Kind::FlatMap),
        ("filter", Kind::Filter),
        ("timestamp", Kind::Timestamp),
    ];
}

/// A type as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeName {
    /// A primitive (`int`, `string`, ...) or a record, by its full or its simple name.
    Named(String),
    /// `list<T>`.
    List(Box<TypeName>),
    /// `T?`: T or null.
    Nullable(Box<TypeName>),
}

/// A declared register: `%name: type`.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Where it stands.
    pub at: Position,
    /// The register's name, without the `%`.
    pub name: String,
    /// Its type.
    pub ty: TypeName,
}

/// `kind name(%param: type) -> type { blocks }`. The first block is the entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// What it is to its operator.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub at: Position,
    /// Its input.
    pub param: Param,
    /// The type of what it returns, or emits.
    pub result: TypeName,
    /// The classes of objects that it makes or reads.
    pub classes: Vec<Class>,
    /// The constants that it reads.
    pub constants: Vec<Constant>,
    /// Its blocks.
    pub blocks: Vec<Block>,
}

/// `class "pkg/Foo" extends "pkg/Bar" { name: type, ... }`: a class of the user with the fields that it declares itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Where it stands.
    pub at: Position,
    /// Its name, as class files write it.
    pub name: String,
    /// The class above it; one with fields is declared before.
    pub above: String,
    /// Its own fields.
    pub fields: Vec<(String, TypeName)>,
}

/// `constant %name: ref = N`: a register that holds an object of the function's constants.
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// The register, a reference.
    pub param: Param,
    /// Which of the objects.
    pub object: i32,
}

/// `label(%param: type, ...):`, then steps, then one end.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Where it begins.
    pub at: Position,
    /// Its name within the function.
    pub label: String,
    /// What a jump to it must give.
    pub params: Vec<Param>,
    /// What it does, in order.
    pub steps: Vec<Step>,
    /// Where it goes then.
    pub end: End,
    /// Where the end stands.
    pub end_at: Position,
}

/// `%result = expr catch target`.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Where it stands.
    pub at: Position,
    /// The register it defines.
    pub result: Option<String>,
    /// What it does.
    pub expr: Expr,
    /// Where an exception of it goes; without one the event is dead.
    pub catch: Option<Target>,
}

/// `label(argument, ...)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Where it stands.
    pub at: Position,
    /// The block.
    pub label: String,
    /// A value for each of its parameters.
    pub args: Vec<Operand>,
}

/// A register or a literal.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// `%name`.
    Register(String),
    /// A constant.
    Literal(Literal),
}

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `true`, `false`.
    Bool(bool),
    /// `12`.
    Int(i32),
    /// `12L`.
    Long(i64),
    /// `1.5f`.
    Float(f32),
    /// `1.5`, `1e3`, `NaN`, `Infinity`.
    Double(f64),
    /// `"text"`.
    Text(String),
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// Every one of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// As it is written.
            pub fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }

            /// What a word means.
            pub fn from_word(word: &str) -> Option<$name> {
                match word {
                    $($word => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

words! {
    /// An instruction of one operand.
    Unary {
        /// The operand itself: names a literal.
        Copy = "copy",
        /// Minus, wrapping.
        Neg = "neg",
        /// Not, of a bool.
        Not = "not",
        /// Java's cast to int: wraps from long, saturates from float and double, NaN is 0.
        ToInt = "to_int",
        /// Java's cast to long.
        ToLong = "to_long",
        /// Java's cast to float.
        ToFloat = "to_float",
        /// Java's cast to double.
        ToDouble = "to_double",
        /// T to T?.
        Some = "some",
        /// Whether a T?, or a reference, is null.
        IsNull = "is_null",
        /// T? to T; null is a NullPointerException.
        Unwrap = "unwrap",
        /// string, string?, or a primitive? to a reference; primitives are boxed.
        Ref = "ref",
        /// A reference to a string; null is a NullPointerException, another object a ClassCastException.
        AsString = "as_string",
        /// A reference to a string?; an object that is no string is a ClassCastException.
        Nullable = "nullable",
        /// An `Integer` to its int; exceptions as of `as_string`.
        UnboxInt = "unbox_int",
        /// A `Long` to its long.
        UnboxLong = "unbox_long",
        /// A `Float` to its float.
        UnboxFloat = "unbox_float",
        /// A `Double` to its double.
        UnboxDouble = "unbox_double",
        /// A `Boolean` to its bool.
        UnboxBool = "unbox_bool",
        /// The length of an array.
        ArrayLength = "array_length",
    }
}

words! {
    /// An instruction of two operands of one type (of a shift: an int or long, and an int).
    Binary {
        /// Sum, wrapping.
        Add = "add",
        /// Difference, wrapping.
        Sub = "sub",
        /// Product, wrapping.
        Mul = "mul",
        /// Quotient towards zero; an integer by zero is an ArithmeticException.
        Div = "div",
        /// Remainder with the dividend's sign; an integer by zero is an ArithmeticException.
        Rem = "rem",
        /// Bitwise, or of bools.
        And = "and",
        /// Bitwise, or of bools.
        Or = "or",
        /// Bitwise, or of bools.
        Xor = "xor",
        /// Left shift by the low five (long: six) bits of the second.
        Shl = "shl",
        /// Right shift with the sign.
        Shr = "shr",
        /// Right shift with zeros.
        Ushr = "ushr",
        /// Equal; NaN equals nothing.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Less; false with NaN.
        Lt = "lt",
        /// Less or equal; false with NaN.
        Le = "le",
        /// Greater; false with NaN.
        Gt = "gt",
        /// Greater or equal; false with NaN.
        Ge = "ge",
        /// Whether two references are the same.
        Same = "same",
    }
}

words! {
    /// The elements of an array: the word behind `array_get_` and `array_set_`. What is smaller than an int is one in registers.
    Element {
        /// `boolean[]`.
        Bool = "bool",
        /// `byte[]`.
        Byte = "byte",
        /// `short[]`.
        Short = "short",
        /// `char[]`.
        Char = "char",
        /// `int[]`.
        Int = "int",
        /// `long[]`.
        Long = "long",
        /// `float[]`.
        Float = "float",
        /// `double[]`.
        Double = "double",
        /// Of references.
        Ref = "ref",
    }
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// `op a`.
    Unary(Unary, Operand),
    /// `op a, b`.
    Binary(Binary, Operand, Operand),
    /// `null T`: the null of T?; `null ref` is a reference.
    Null(TypeName),
    /// `new T { field: value, ... }`: every field once.
    New(TypeName, Vec<(String, Operand)>),
    /// `with record { field: value, ... }`: the record with these fields replaced.
    With(Operand, Vec<(String, Operand)>),
    /// `get record, field`.
    Get(Operand, String),
    /// `call name(a, ...)`: a built-in.
    Call(String, Vec<Operand>),
    /// `emit value`: an output of a flatmap.
    Emit(Operand),
    /// `call "owner.name(descriptor)"(a, ...)`: a method of Java's library ([`crate::library`]).
    Library(String, Vec<Operand>),
    /// `string_concat "recipe"(a, ...)` or `string_concat "recipe", "(descriptor)"(a, ...)`: each `\u{1}` stands for an argument. The descriptor
    /// tells which ints are chars.
    Concat(String, Option<String>, Vec<Operand>),
    /// `is ref, "class"`: instanceof.
    Is(Operand, String),
    /// `cast ref, "class"`: checkcast.
    Cast(Operand, String),
    /// `object "class"`: a new object of a declared class, its fields at their defaults.
    Object(String),
    /// `load ref, "class.field"`.
    Load(Operand, String),
    /// `store ref, "class.field", value`.
    Store(Operand, String, Operand),
    /// `array "[D", length`.
    Array(String, Operand),
    /// `array_get_T array, index`.
    ArrayGet(Element, Operand, Operand),
    /// `array_set_T array, index, value`.
    ArraySet(Element, Operand, Operand, Operand),
    /// `caught`: the exception that led to this block.
    Caught,
    /// `exception "class", message`: a new exception; the message is a reference.
    Exception(String, Operand),
    /// `decode value`: a value of a type that functions only pass on, as a Java object.
    Decode(Operand),
    /// `encode ref as T`: a Java object as a value of a field's type `Record.field`.
    Encode(Operand, TypeName),
}

/// How a block ends.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// `jump target`.
    Jump(Target),
    /// `branch bool, target, target`: the first where true.
    Branch(Operand, Target, Target),
    /// `unpack list, label, target`: to `label`, its parameters the list's elements, where the list has as many; else to the target.
    Unpack(Operand, String, Target),
    /// `return`, of a flatmap; `return value`, of the other kinds.
    Return(Option<Operand>),
    /// `throw "text"`: an exception of that text.
    Throw(String),
    /// `throw_ref ref`: an exception object.
    ThrowRef(Operand),
}
