//! The syntax tree as text; `parse` reads it back to the same tree.
use super::ast::{
    Block, Class, Constant, End, Expr, Function, Kind, Literal, Operand, Param, Step, Target,
    TypeName,
};
use std::fmt::{Display, Formatter, Result};

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let word = Kind::WORDS.iter().find(|(_, kind)| kind == self);
        f.write_str(word.map_or("", |(word, _)| word))
    }
}

impl Display for TypeName {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            TypeName::Named(name) => f.write_str(name),
            TypeName::List(element) => write!(f, "list<{element}>"),
            TypeName::Nullable(inner) => write!(f, "{inner}?"),
        }
    }
}

impl Display for Param {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "%{}: {}", self.name, self.ty)
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Literal::Bool(value) => write!(f, "{value}"),
            Literal::Int(value) => write!(f, "{value}"),
            Literal::Long(value) => write!(f, "{value}L"),
            Literal::Float(value) if value.is_infinite() => {
                f.write_str(if *value < 0.0 { "-Infinityf" } else { "Infinityf" })
            }
            Literal::Float(value) => write!(f, "{value:?}f"),
            Literal::Double(value) if value.is_infinite() => {
                f.write_str(if *value < 0.0 { "-Infinity" } else { "Infinity" })
            }
            Literal::Double(value) => write!(f, "{value:?}"),
            Literal::Text(text) => {
                f.write_str("\"")?;
                for c in text.chars() {
                    match c {
                        '"' => f.write_str("\\\"")?,
                        '\\' => f.write_str("\\\\")?,
                        '\n' => f.write_str("\\n")?,
                        '\r' => f.write_str("\\r")?,
                        '\t' => f.write_str("\\t")?,
                        ' '..='~' => write!(f, "{c}")?,
                        c => write!(f, "\\u{{{:X}}}", u32::from(c))?,
                    }
                }
                f.write_str("\"")
            }
        }
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Operand::Register(name) => write!(f, "%{name}"),
            Operand::Literal(literal) => write!(f, "{literal}"),
        }
    }
}

/// A text in quotes.
fn quoted(text: &str) -> Literal {
    Literal::Text(text.to_owned())
}

impl Display for Class {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "class {} extends {} {{", quoted(&self.name), quoted(&self.above))?;
        for (name, ty) in &self.fields {
            write!(f, " {name}: {ty},")?;
        }
        f.write_str(" }")
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "constant {} = {}", self.param, self.object)
    }
}

/// `a, b, c`.
fn list<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

/// `(a, b)`, or nothing when there is none.
fn arguments<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> Result {
    if items.is_empty() {
        return Ok(());
    }
    f.write_str("(")?;
    list(f, items)?;
    f.write_str(")")
}

fn fields(f: &mut Formatter<'_>, fields: &[(String, Operand)]) -> Result {
    f.write_str(" {")?;
    for (name, value) in fields {
        write!(f, "\n    {name}: {value},")?;
    }
    f.write_str("\n  }")
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.label)?;
        arguments(f, &self.args)
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Expr::Unary(op, a) => write!(f, "{} {a}", op.word()),
            Expr::Binary(op, a, b) => write!(f, "{} {a}, {b}", op.word()),
            Expr::Null(ty) => write!(f, "null {ty}"),
            Expr::New(ty, values) => {
                write!(f, "new {ty}")?;
                fields(f, values)
            }
            Expr::With(record, values) => {
                write!(f, "with {record}")?;
                fields(f, values)
            }
            Expr::Get(record, field) => write!(f, "get {record}, {field}"),
            Expr::Call(name, args) => {
                write!(f, "call {name}(")?;
                list(f, args)?;
                f.write_str(")")
            }
            Expr::Emit(value) => write!(f, "emit {value}"),
            Expr::Library(name, args) => {
                write!(f, "call {}(", quoted(name))?;
                list(f, args)?;
                f.write_str(")")
            }
            Expr::Concat(recipe, descriptor, args) => {
                write!(f, "string_concat {}", quoted(recipe))?;
                if let Some(descriptor) = descriptor {
                    write!(f, ", {}", quoted(descriptor))?;
                }
                f.write_str("(")?;
                list(f, args)?;
                f.write_str(")")
            }
            Expr::Is(a, class) => write!(f, "is {a}, {}", quoted(class)),
            Expr::Cast(a, class) => write!(f, "cast {a}, {}", quoted(class)),
            Expr::Object(class) => write!(f, "object {}", quoted(class)),
            Expr::Load(a, field) => write!(f, "load {a}, {}", quoted(field)),
            Expr::Store(a, field, value) => write!(f, "store {a}, {}, {value}", quoted(field)),
            Expr::Array(descriptor, length) => {
                write!(f, "array {}, {length}", quoted(descriptor))
            }
            Expr::ArrayGet(element, array, index) => {
                write!(f, "array_get_{} {array}, {index}", element.word())
            }
            Expr::ArraySet(element, array, index, value) => {
                write!(f, "array_set_{} {array}, {index}, {value}", element.word())
            }
            Expr::Caught => f.write_str("caught"),
            Expr::Exception(class, message) => {
                write!(f, "exception {}, {message}", quoted(class))
            }
            Expr::Decode(value) => write!(f, "decode {value}"),
            Expr::Encode(value, ty) => write!(f, "encode {value} as {ty}"),
        }
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(result) = &self.result {
            write!(f, "%{result} = ")?;
        }
        write!(f, "{}", self.expr)?;
        match &self.catch {
            Some(target) => write!(f, " catch {target}"),
            None => Ok(()),
        }
    }
}

impl Display for End {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            End::Jump(target) => write!(f, "jump {target}"),
            End::Branch(condition, yes, no) => write!(f, "branch {condition}, {yes}, {no}"),
            End::Unpack(value, label, other) => write!(f, "unpack {value}, {label}, {other}"),
            End::Return(None) => f.write_str("return"),
            End::Return(Some(value)) => write!(f, "return {value}"),
            End::Throw(text) => write!(f, "throw {}", quoted(text)),
            End::ThrowRef(exception) => write!(f, "throw_ref {exception}"),
        }
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.label)?;
        arguments(f, &self.params)?;
        f.write_str(":\n")?;
        for step in &self.steps {
            writeln!(f, "  {step}")?;
        }
        writeln!(f, "  {}", self.end)
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Function { kind, name, param, result, .. } = self;
        self.classes.iter().try_for_each(|class| writeln!(f, "{class}"))?;
        self.constants.iter().try_for_each(|constant| writeln!(f, "{constant}"))?;
        writeln!(f, "{kind} {name}({param}) -> {result} {{")?;
        for block in &self.blocks {
            write!(f, "{block}")?;
        }
        f.write_str("}\n")
    }
}
