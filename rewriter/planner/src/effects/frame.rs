//! The locals and the stack of a method, as values of which some things are known.

use super::value::{Origin, Value, join};

/// Bytecode that is not as the JVM would take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// The state between two instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub locals: Vec<Option<Value>>,
    pub stack: Vec<Value>,
}

impl Frame {
    /// The state before the first instruction.
    pub fn new(arguments: &[Value], locals: usize) -> Self {
        let mut frame = Self { locals: Vec::with_capacity(locals), stack: Vec::new() };
        for argument in arguments {
            frame.locals.push(Some(argument.clone()));
            if argument.wide {
                frame.locals.push(None);
            }
        }
        frame.locals.resize(locals.max(frame.locals.len()), None);
        frame
    }

    pub fn pop(&mut self) -> Result<Value, Malformed> {
        self.stack.pop().ok_or(Malformed)
    }

    pub fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    /// Takes that many values off and puts one on that was made from them.
    pub fn compute(&mut self, taken: usize, wide: bool) -> Result<(), Malformed> {
        let mut origin = Origin::Own;
        for _ in 0..taken {
            let value = self.pop()?;
            // A number that was read from a shared object can't change it.
            origin = if value.shared().is_some() { origin } else { join(&origin, &value.origin) };
        }
        self.push(Value::of(origin).wide(wide));
        Ok(())
    }

    pub fn load(&mut self, at: u16) -> Result<(), Malformed> {
        let value = self.locals.get(usize::from(at)).cloned().flatten().ok_or(Malformed)?;
        self.push(value);
        Ok(())
    }

    pub fn store(&mut self, at: u16) -> Result<(), Malformed> {
        let value = self.pop()?;
        *self.locals.get_mut(usize::from(at)).ok_or(Malformed)? = Some(value);
        Ok(())
    }

    /// `dup` and its kin: copies the top `count` places below the next `under` places.
    pub fn dup(&mut self, count: usize, under: usize) -> Result<(), Malformed> {
        let top = self.places(count)?;
        let below = self.places(under)?;
        self.stack.extend(top.iter().cloned());
        self.stack.extend(below);
        self.stack.extend(top);
        Ok(())
    }

    /// Takes off as many values as fill that many places.
    pub fn places(&mut self, count: usize) -> Result<Vec<Value>, Malformed> {
        let (mut taken, mut filled) = (Vec::new(), 0);
        while filled < count {
            let value = self.pop()?;
            filled += if value.wide { 2 } else { 1 };
            taken.push(value);
        }
        if filled != count {
            return Err(Malformed);
        }
        taken.reverse();
        Ok(taken)
    }

    /// Says more of the object that was made at a place, wherever it lies by now.
    pub fn raise(&mut self, site: usize, origin: &Origin) {
        for value in self.locals.iter_mut().flatten().chain(&mut self.stack) {
            if value.site == Some(site) {
                value.origin = join(&value.origin, origin);
            }
        }
    }

    /// Adds what is known on another way to the same place; whether that said anything new.
    pub fn merge(&mut self, other: &Self) -> Result<bool, Malformed> {
        if self.stack.len() != other.stack.len() {
            return Err(Malformed);
        }
        let mut joined = self.clone();
        for (one, other) in joined.stack.iter_mut().zip(&other.stack) {
            *one = one.join(other);
        }
        for (one, other) in joined.locals.iter_mut().zip(&other.locals) {
            *one = one.as_ref().zip(other.as_ref()).map(|(one, other)| one.join(other));
        }
        let changed = joined != *self;
        *self = joined;
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &str) -> Frame {
        let value = |c: char| Value {
            class: Some(c.to_string().into()),
            ..Value::own().wide(c.is_ascii_uppercase())
        };
        Frame { locals: Vec::new(), stack: names.chars().map(value).collect() }
    }

    fn shown(frame: &Frame) -> String {
        frame.stack.iter().filter_map(|value| value.class.as_deref()).collect()
    }

    /// The forms of JVM specification 6.5; capital letters take two places.
    #[test]
    fn dup_in_all_its_forms() {
        for (count, under, before, after) in [
            (1, 0, "a", "aa"),
            (1, 1, "ba", "aba"),
            (1, 2, "cba", "acba"),
            (1, 2, "Ba", "aBa"),
            (2, 0, "ba", "baba"),
            (2, 0, "A", "AA"),
            (2, 1, "cba", "bacba"),
            (2, 1, "bA", "AbA"),
            (2, 2, "dcba", "badcba"),
            (2, 2, "cbA", "AcbA"),
            (2, 2, "Cba", "baCba"),
            (2, 2, "BA", "ABA"),
        ] {
            let mut frame = named(before);
            frame.dup(count, under).unwrap();
            assert_eq!(shown(&frame), after, "{before}");
        }
        assert_eq!(named("A").dup(1, 0), Err(Malformed));
    }
}
