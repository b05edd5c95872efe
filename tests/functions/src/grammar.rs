//! Java functions at random: a small typed grammar of statements and expressions over the values that functions of jobs use.

use std::fmt::Write as _;

use sluice_check::random::Random;

/// How deep statements stand in each other.
const MAX_DEPTH: usize = 3;
/// Lines after which a function only ends.
const MAX_LINES: usize = 40;

/// A type of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    /// `int`
    Int,
    /// `long`
    Long,
    /// `double`
    Double,
    /// `boolean`
    Bool,
    /// `String`, perhaps null
    Text,
    /// The POJO `P`, perhaps null
    Pojo,
    /// `int[]`
    Array,
    /// `List<String>`
    List,
    /// `StringBuilder`
    Builder,
}

impl Ty {
    const fn java(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Long => "long",
            Self::Double => "double",
            Self::Bool => "boolean",
            Self::Text => "String",
            Self::Pojo => "P",
            Self::Array => "int[]",
            Self::List => "List<String>",
            Self::Builder => "StringBuilder",
        }
    }

    const fn boxed(self) -> &'static str {
        match self {
            Self::Int => "Integer",
            Self::Long => "Long",
            Self::Double => "Double",
            Self::Bool => "Boolean",
            other => other.java(),
        }
    }
}

/// What functions take and give.
const EVENTS: [Ty; 5] = [Ty::Text, Ty::Pojo, Ty::Int, Ty::Long, Ty::Double];
const LOCALS: [Ty; 9] =
    [Ty::Int, Ty::Int, Ty::Long, Ty::Double, Ty::Bool, Ty::Text, Ty::Text, Ty::Array, Ty::Builder];

/// A function and what it takes.
#[derive(Debug, Clone)]
pub struct Function {
    /// The name of its class.
    pub name: String,
    /// What it takes.
    pub input: Ty,
    /// What it gives.
    pub output: Ty,
    /// Its Java text, a static nested class.
    pub text: String,
}

/// Makes a function.
#[must_use]
pub fn function(name: &str, random: &mut Random) -> Function {
    let (input, output) = (random.pick(&EVENTS), random.pick(&EVENTS));
    let kind = random.below(6);
    let mut writer = Writer {
        random: random.clone(),
        body: String::new(),
        lines: 0,
        variables: vec![("in".to_owned(), input)],
        next: 0,
        output: if kind == 1 { None } else { Some(output) },
        collects: kind == 0,
        catching: 0,
    };
    // A boxed event is unboxed once: what is computed with it has then the type that it seems to have.
    let boxed = matches!(input, Ty::Int | Ty::Long | Ty::Double);
    if boxed {
        writer.line(0, &format!("{} in = boxed;", input.java()));
    }
    writer.block(0, 6);
    writer.end();
    let (body, output) = (&writer.body, if kind == 1 { input } else { output });
    let (take, give) = (input.boxed(), output.boxed());
    let name_of_input = if boxed { "boxed" } else { "in" };
    let text = match kind {
        0 => format!(
            "static class {name} implements FlatMapFunction<{take}, {give}> {{\n  public void flatMap({take} {name_of_input}, Collector<{give}> out) {{\n{body}  }}\n}}\n"
        ),
        1 => format!(
            "static class {name} implements FilterFunction<{take}> {{\n  public boolean filter({take} {name_of_input}) {{\n{body}  }}\n}}\n"
        ),
        _ => format!(
            "static class {name} implements MapFunction<{take}, {give}> {{\n  public {give} map({take} {name_of_input}) {{\n{body}  }}\n}}\n"
        ),
    };
    *random = writer.random;
    Function { name: name.to_owned(), input, output, text }
}

pub(crate) struct Writer {
    pub(crate) random: Random,
    body: String,
    lines: usize,
    variables: Vec<(String, Ty)>,
    next: usize,
    /// None for a condition.
    output: Option<Ty>,
    collects: bool,
    /// Handlers around this place.
    catching: usize,
}

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        self.lines += 1;
        let _ = writeln!(self.body, "{:1$}{text}", "", depth * 2 + 4);
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.random.below(n) == 0
    }

    /// Statements; what they declare ends with them.
    fn block(&mut self, depth: usize, most: usize) {
        let known = self.variables.len();
        for _ in 0..=self.random.below(most) {
            self.statement(depth);
        }
        if depth > 0 {
            self.variables.truncate(known);
        }
    }

    /// The last statement of the function.
    fn end(&mut self) {
        match (self.collects, self.output) {
            (true, _) => self.collect(0),
            (false, None) => {
                let text = self.expression(Ty::Bool, 2);
                self.line(0, &format!("return {text};"));
            }
            (false, Some(_)) => {
                let text = self.result();
                self.line(0, &format!("return {text};"));
            }
        }
    }

    fn collect(&mut self, depth: usize) {
        let text = self.result();
        self.line(depth, &format!("out.collect({text});"));
    }

    /// What the function gives, of exactly its type.
    fn result(&mut self) -> String {
        let ty = self.output.unwrap_or(Ty::Bool);
        let text = self.expression(ty, 2);
        format!("({}) ({text})", ty.java())
    }

    fn statement(&mut self, depth: usize) {
        if self.lines > MAX_LINES {
            return;
        }
        match self.random.below(if depth < MAX_DEPTH { 20 } else { 11 }) {
            0..=3 => self.declare(depth),
            4..=6 => self.assign(depth),
            7 | 8 => self.mutate(depth),
            9 if self.collects => self.collect(depth),
            10 if self.one_in(2) => self.leave(depth),
            11..=13 => self.branch(depth),
            14 | 15 => self.repeat(depth),
            16 | 17 => self.attempt(depth),
            18 => self.choose(depth),
            19 => self.each(depth),
            _ => self.declare(depth),
        }
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn declare(&mut self, depth: usize) {
        let mut ty = self.random.pick(&LOCALS);
        if self.one_in(10) {
            ty = self.random.pick(&[Ty::List, Ty::Pojo]);
        }
        let value = match ty {
            Ty::List => "new ArrayList<>()".to_owned(),
            _ => self.expression(ty, 3),
        };
        let name = self.name();
        self.line(depth, &format!("{} {name} = {value};", ty.java()));
        self.variables.push((name, ty));
    }

    /// A variable of a type that may be assigned.
    pub(crate) fn variable(&mut self, wanted: impl Fn(Ty) -> bool) -> Option<(String, Ty)> {
        let fitting: Vec<_> =
            self.variables.iter().filter(|(_, ty)| wanted(*ty)).cloned().collect();
        let at = if fitting.is_empty() { None } else { Some(self.random.below(fitting.len())) };
        at.and_then(|at| fitting.get(at).cloned())
    }

    fn assign(&mut self, depth: usize) {
        let scalar = |ty| matches!(ty, Ty::Int | Ty::Long | Ty::Double | Ty::Bool | Ty::Text);
        let Some((name, ty)) = self.variable(scalar).filter(|(name, _)| !name.starts_with('i'))
        else {
            return self.declare(depth);
        };
        let value = self.expression(ty, 3);
        match ty {
            Ty::Int | Ty::Long if self.one_in(3) => {
                let value = self.expression(Ty::Int, 2);
                let operator =
                    self.random.pick(&["+=", "-=", "*=", "^=", "|=", "&=", "<<=", ">>="]);
                self.line(depth, &format!("{name} {operator} {value};"));
            }
            Ty::Int | Ty::Long if self.one_in(4) => self.line(depth, &format!("{name}++;")),
            _ => self.line(depth, &format!("{name} = {value};")),
        }
    }

    fn mutate(&mut self, depth: usize) {
        let object = |ty| matches!(ty, Ty::Array | Ty::List | Ty::Builder | Ty::Pojo);
        let Some((name, ty)) = self.variable(object) else { return self.declare(depth) };
        let text = match ty {
            Ty::Array => {
                let (at, value) = (self.expression(Ty::Int, 1), self.expression(Ty::Int, 2));
                let at = if self.one_in(6) { at } else { format!("({at}) & 3") };
                format!("{name}[{at}] = {value};")
            }
            Ty::List => format!("{name}.add({});", self.expression(Ty::Text, 2)),
            Ty::Builder => {
                let ty = self.random.pick(&[Ty::Int, Ty::Long, Ty::Bool, Ty::Text, Ty::Double]);
                format!("{name}.append({});", self.expression(ty, 2))
            }
            _ => {
                let (field, ty) = self.random.pick(&[
                    ("a", Ty::Int),
                    ("b", Ty::Long),
                    ("c", Ty::Double),
                    ("d", Ty::Bool),
                    ("s", Ty::Text),
                ]);
                format!("{name}.{field} = {};", self.expression(ty, 2))
            }
        };
        self.line(depth, &text);
    }

    /// Returns or throws, where a condition holds: what follows can still be reached.
    fn leave(&mut self, depth: usize) {
        let condition = self.expression(Ty::Bool, 2);
        let what = match (self.random.below(3), self.collects, self.output) {
            (0, ..) => "throw new IllegalArgumentException(\"bad \" + in);".to_owned(),
            (_, true, _) => "return;".to_owned(),
            (_, false, _) => format!("return {};", self.result()),
        };
        self.line(depth, &format!("if ({condition}) {what}"));
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.expression(Ty::Bool, 3);
        self.line(depth, &format!("if ({condition}) {{"));
        self.block(depth + 1, 3);
        if self.one_in(2) {
            self.line(depth, "} else {");
            self.block(depth + 1, 3);
        }
        self.line(depth, "}");
    }

    fn repeat(&mut self, depth: usize) {
        let name = format!("i{}", self.next);
        self.next += 1;
        let bound = match self.variable(|ty| matches!(ty, Ty::Array | Ty::Text)) {
            Some((text, Ty::Text)) => format!("Math.min({text}.length(), 8)"),
            Some((array, _)) => format!("{array}.length"),
            None => (1 + self.random.below(5)).to_string(),
        };
        if self.one_in(4) {
            self.line(depth, &format!("int {name} = 0;"));
            self.line(depth, &format!("while ({name} < {bound} && {name} < 9) {{"));
            self.line(depth + 1, &format!("{name}++;"));
        } else {
            self.line(
                depth,
                &format!("for (int {name} = 0; {name} < {bound} && {name} < 9; {name}++) {{"),
            );
        }
        let known = self.variables.len();
        self.variables.push((name, Ty::Int));
        self.block(depth + 1, 3);
        if self.one_in(3) {
            let condition = self.expression(Ty::Bool, 2);
            let word = self.random.pick(&["break", "continue"]);
            self.line(depth + 1, &format!("if ({condition}) {word};"));
        }
        self.variables.truncate(known);
        self.line(depth, "}");
    }

    fn each(&mut self, depth: usize) {
        let Some((of, ty)) = self.variable(|ty| matches!(ty, Ty::Array | Ty::List)) else {
            return self.branch(depth);
        };
        let name = self.name();
        let (element, ty) = if ty == Ty::Array { ("int", Ty::Int) } else { ("String", Ty::Text) };
        // A list that grows while it is walked is its own kind of test.
        let of = if ty == Ty::Text { format!("new ArrayList<>({of})") } else { of };
        self.line(depth, &format!("for ({element} {name} : {of}) {{"));
        let known = self.variables.len();
        self.variables.push((name, ty));
        self.block(depth + 1, 2);
        self.variables.truncate(known);
        self.line(depth, "}");
    }

    fn attempt(&mut self, depth: usize) {
        self.catching += 1;
        self.line(depth, "try {");
        self.block(depth + 1, 3);
        let class = self.random.pick(&[
            "NumberFormatException",
            "RuntimeException",
            "ArithmeticException",
            "NullPointerException",
            "IndexOutOfBoundsException",
            "IllegalArgumentException | NullPointerException",
        ]);
        let name = format!("e{}", self.next);
        self.next += 1;
        self.line(depth, &format!("}} catch ({class} {name}) {{"));
        self.block(depth + 1, 2);
        if self.one_in(4) {
            self.line(depth + 1, "throw new IllegalStateException(\"again\");");
        }
        if self.one_in(4) {
            self.line(depth, "} finally {");
            let collects = std::mem::replace(&mut self.collects, false);
            self.declare(depth + 1);
            self.variables.pop();
            self.collects = collects;
        }
        self.line(depth, "}");
        self.catching -= 1;
    }

    fn choose(&mut self, depth: usize) {
        let over_text = self.one_in(3);
        let value = self.expression(if over_text { Ty::Text } else { Ty::Int }, 2);
        let (value, labels) = if over_text {
            (format!("String.valueOf({value})"), ["\"a\"", "\"7\"", "\"Aa\""])
        } else {
            (format!("({value}) % 5"), ["0", "1", "3"])
        };
        self.line(depth, &format!("switch ({value}) {{"));
        for label in labels {
            self.line(depth, &format!("case {label}: {{"));
            self.block(depth + 1, 2);
            self.line(depth, "}");
            if self.one_in(2) {
                self.line(depth + 1, "break;");
            }
        }
        self.line(depth, "default: {");
        self.block(depth + 1, 2);
        self.line(depth, "}");
        self.line(depth, "}");
    }
}
