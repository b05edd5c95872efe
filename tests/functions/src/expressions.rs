//! The expressions of the grammar.

use crate::grammar::{Ty, Writer};

const TEXTS: [&str; 9] = ["", "a", "7", "-12", "x,y", "PM2.5", " b ", "null", "ü😀"];

impl Writer {
    /// An expression of a type, of a depth.
    pub(crate) fn expression(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.one_in(4) {
            return self.leaf(ty);
        }
        match ty {
            Ty::Int => self.int(depth - 1),
            Ty::Long => self.long(depth - 1),
            Ty::Double => self.double(depth - 1),
            Ty::Bool => self.condition(depth - 1),
            Ty::Text => self.text(depth - 1),
            _ => self.leaf(ty),
        }
    }

    fn leaf(&mut self, ty: Ty) -> String {
        if !self.one_in(4)
            && let Some((name, _)) = self.variable(|known| known == ty)
        {
            return name;
        }
        if let Some((name, _)) =
            self.variable(|known| known == Ty::Pojo).filter(|_| self.random.below(3) == 0)
        {
            match ty {
                Ty::Int => return format!("{name}.a"),
                Ty::Long => return format!("{name}.b"),
                Ty::Double => return format!("{name}.c"),
                Ty::Bool => return format!("{name}.d"),
                Ty::Text => return format!("{name}.s"),
                _ => {}
            }
        }
        match ty {
            Ty::Int => self
                .random
                .pick(&[
                    "0",
                    "1",
                    "-1",
                    "2",
                    "7",
                    "10",
                    "31",
                    "65",
                    "Integer.MAX_VALUE",
                    "Integer.MIN_VALUE",
                ])
                .to_owned(),
            Ty::Long => self
                .random
                .pick(&["0L", "1L", "-3L", "1000L", "Long.MIN_VALUE", "0x7fff_ffff_ffffL"])
                .to_owned(),
            Ty::Double => self
                .random
                .pick(&["0.0", "1.5", "-2.25", "1e10", "0.1", "Double.NaN", "Double.MAX_VALUE"])
                .to_owned(),
            Ty::Bool => self.random.pick(&["true", "false"]).to_owned(),
            Ty::Text => match self.random.below(12) {
                0 => "(String) null".to_owned(),
                _ => format!("\"{}\"", self.random.pick(&TEXTS)),
            },
            Ty::Pojo => {
                let (a, s) = (self.leaf_number(), self.random.pick(&TEXTS));
                format!("new P({a}, \"{s}\")")
            }
            Ty::Array => "new int[4]".to_owned(),
            Ty::List => "new ArrayList<>()".to_owned(),
            Ty::Builder => "new StringBuilder()".to_owned(),
        }
    }

    fn leaf_number(&mut self) -> String {
        match self.variable(|ty| ty == Ty::Int) {
            Some((name, _)) => name,
            None => "3".to_owned(),
        }
    }

    fn of(&mut self, ty: Ty, depth: usize) -> String {
        let text = self.expression(ty, depth);
        format!("({text})")
    }

    /// A text to call a method on: mostly one that is not null.
    fn receiver(&mut self, depth: usize) -> String {
        match self.random.below(3) {
            0 => self.of(Ty::Text, depth),
            1 => format!("String.valueOf({})", self.expression(Ty::Text, depth)),
            _ => format!("(\"\" + {})", self.of(Ty::Text, depth)),
        }
    }

    fn int(&mut self, d: usize) -> String {
        match self.random.below(18) {
            0..=4 => {
                let operator = self.random.pick(&[
                    "+", "-", "*", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>",
                ]);
                format!("({} {operator} {})", self.of(Ty::Int, d), self.of(Ty::Int, d))
            }
            5 => format!("(int) {}", self.of(Ty::Long, d)),
            6 => format!("(int) {}", self.of(Ty::Double, d)),
            7 => format!(
                "({}) {}",
                self.random.pick(&["byte", "short", "char"]),
                self.of(Ty::Int, d)
            ),
            8 => format!("{}.length()", self.receiver(d)),
            9 => format!("{}.charAt({})", self.receiver(d), self.expression(Ty::Int, d.min(1))),
            10 => format!(
                "{}.indexOf({})",
                self.receiver(d),
                self.random.pick(&["','", "\"a\"", "'7'", "\"\""])
            ),
            11 => format!("Integer.parseInt({})", self.expression(Ty::Text, d)),
            12 => {
                let method = self.random.pick(&["max", "min"]);
                format!(
                    "Math.{method}({}, {})",
                    self.expression(Ty::Int, d),
                    self.expression(Ty::Int, d)
                )
            }
            13 => format!("Math.abs({})", self.expression(Ty::Int, d)),
            14 => match self.variable(|ty| matches!(ty, Ty::Array | Ty::List | Ty::Builder)) {
                Some((name, Ty::Array)) if self.one_in(3) => format!("{name}.length"),
                Some((name, Ty::Array)) => {
                    let at = self.of(Ty::Int, 1);
                    if self.one_in(5) {
                        format!("{name}[{at}]")
                    } else {
                        format!("{name}[{at} & 3]")
                    }
                }
                Some((name, Ty::List)) => format!("{name}.size()"),
                Some((name, _)) => format!("{name}.length()"),
                None => self.leaf(Ty::Int),
            },
            15 => format!("{}.compareTo({})", self.receiver(d), self.receiver(d)),
            16 => format!(
                "({} ? {} : {})",
                self.of(Ty::Bool, d),
                self.of(Ty::Int, d),
                self.of(Ty::Int, d)
            ),
            _ => format!("{}.hashCode()", self.receiver(d)),
        }
    }

    fn long(&mut self, d: usize) -> String {
        match self.random.below(8) {
            0..=2 => {
                let operator = self.random.pick(&["+", "-", "*", "/", "%", "&", "|", "^"]);
                format!("({} {operator} {})", self.of(Ty::Long, d), self.of(Ty::Long, d))
            }
            3 => {
                let operator = self.random.pick(&["<<", ">>", ">>>"]);
                format!("({} {operator} {})", self.of(Ty::Long, d), self.of(Ty::Int, d))
            }
            4 => format!("(long) {}", self.of(Ty::Double, d)),
            5 => format!("(long) {}", self.of(Ty::Int, d)),
            6 => format!("Long.parseLong({})", self.expression(Ty::Text, d)),
            _ => format!(
                "Math.max({}, {})",
                self.expression(Ty::Long, d),
                self.expression(Ty::Long, d)
            ),
        }
    }

    fn double(&mut self, d: usize) -> String {
        match self.random.below(9) {
            0..=3 => {
                let operator = self.random.pick(&["+", "-", "*", "/", "%"]);
                format!("({} {operator} {})", self.of(Ty::Double, d), self.of(Ty::Double, d))
            }
            4 => format!("(double) {}", self.of(Ty::Int, d)),
            5 => format!("(double) {}", self.of(Ty::Long, d)),
            6 => format!("(double) (float) {}", self.of(Ty::Double, d)),
            7 => format!("Double.parseDouble({})", self.expression(Ty::Text, d)),
            _ => {
                let method = self.random.pick(&["abs", "floor", "ceil", "sqrt"]);
                format!("Math.{method}({})", self.expression(Ty::Double, d))
            }
        }
    }

    fn condition(&mut self, d: usize) -> String {
        match self.random.below(14) {
            0..=4 => {
                let ty = self.random.pick(&[Ty::Int, Ty::Int, Ty::Long, Ty::Double]);
                let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                // A boxed event is compared by value.
                format!("(0 + {}) {operator} {}", self.of(ty, d), self.of(ty, d))
            }
            5 => format!("{} && {}", self.of(Ty::Bool, d), self.of(Ty::Bool, d)),
            6 => format!("{} || {}", self.of(Ty::Bool, d), self.of(Ty::Bool, d)),
            7 => format!("!{}", self.of(Ty::Bool, d)),
            8 => format!("{}.equals({})", self.receiver(d), self.expression(Ty::Text, d)),
            9 => format!("{}.isEmpty()", self.receiver(d)),
            10 => format!("{} {} null", self.of(Ty::Text, d), self.random.pick(&["==", "!="])),
            11 => format!("{}.contains({})", self.receiver(d), self.receiver(d)),
            12 => format!("{}.startsWith({})", self.receiver(d), self.receiver(d)),
            _ => format!("Character.isDigit((char) {})", self.of(Ty::Int, d)),
        }
    }

    fn text(&mut self, d: usize) -> String {
        match self.random.below(16) {
            0..=3 => {
                let ty = self.random.pick(&[Ty::Int, Ty::Long, Ty::Bool, Ty::Text, Ty::Double]);
                format!("({} + {})", self.receiver(d), self.of(ty, d))
            }
            4 => format!("{}.trim()", self.receiver(d)),
            5 => format!("{}.substring({})", self.receiver(d), self.expression(Ty::Int, d.min(1))),
            6 => format!(
                "{}.substring({}, {})",
                self.receiver(d),
                self.random.pick(&["0", "1"]),
                self.expression(Ty::Int, d.min(1))
            ),
            7 => format!("String.valueOf({})", self.of(Ty::Int, d)),
            8 => format!("String.valueOf((char) (33 + {} % 90))", self.of(Ty::Int, d)),
            9 => format!("Integer.toString({})", self.expression(Ty::Int, d)),
            10 => format!("Long.toString({})", self.expression(Ty::Long, d)),
            11 => format!("{}.replace('a', ',')", self.receiver(d)),
            12 => format!("{}.toUpperCase(Locale.ROOT)", self.receiver(d)),
            13 => match self.variable(|ty| matches!(ty, Ty::List | Ty::Builder)) {
                Some((name, Ty::List)) => format!("{name}.get({})", self.expression(Ty::Int, 1)),
                Some((name, _)) => format!("{name}.toString()"),
                None => self.leaf(Ty::Text),
            },
            14 => format!(
                "({} ? {} : {})",
                self.of(Ty::Bool, d),
                self.of(Ty::Text, d),
                self.of(Ty::Text, d)
            ),
            _ => format!("String.valueOf({})", self.of(Ty::Double, d)),
        }
    }
}
