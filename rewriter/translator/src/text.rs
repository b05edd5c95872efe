//! The function that is being written, as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::value::Reg;

/// A block that is being written.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Registers with their types.
    pub(crate) params: Vec<(Reg, String)>,
    lines: Vec<String>,
    end: Option<String>,
    /// The source line that was named last.
    source: String,
}

/// The blocks of a function, and the registers that they define.
#[derive(Debug, Default)]
pub(crate) struct Text {
    blocks: Vec<Block>,
    /// The block to which steps are added.
    here: usize,
    registers: Reg,
    /// Registers of steps without side effects in this block, by what they do.
    known: BTreeMap<String, Reg>,
    /// The source line of the steps to come.
    source: String,
    /// The declarations before the function.
    head: Vec<String>,
}

impl Text {
    /// A new block; its number.
    pub(crate) fn block(&mut self) -> usize {
        self.blocks.push(Block::default());
        self.blocks.len() - 1
    }

    pub(crate) fn size(&self) -> usize {
        self.blocks.len() + self.registers as usize
    }

    /// The name of a block.
    pub(crate) fn label(block: usize) -> String {
        format!("b{block}")
    }

    pub(crate) fn go_on_in(&mut self, block: usize) {
        self.here = block;
        self.known.clear();
    }

    pub(crate) fn register(&mut self) -> Reg {
        self.registers += 1;
        self.registers
    }

    pub(crate) fn param(&mut self, block: usize, ty: impl Into<String>) -> Reg {
        let reg = self.register();
        self.blocks[block].params.push((reg, ty.into()));
        reg
    }

    pub(crate) fn at_source(&mut self, source: String) {
        self.source = source;
    }

    /// Declares something once.
    pub(crate) fn declare(&mut self, line: String) {
        if !self.head.contains(&line) {
            self.head.push(line);
        }
    }

    fn line(&mut self, line: String) {
        let block = &mut self.blocks[self.here];
        if block.source != self.source {
            block.source.clone_from(&self.source);
            block.lines.push(format!("# {}", self.source));
        }
        block.lines.push(line);
    }

    /// A step with a result; `catch` is the target for its exceptions.
    pub(crate) fn step(&mut self, what: &str, catch: Option<&str>) -> Reg {
        let reg = self.register();
        self.line(match catch {
            Some(target) => format!("%{reg} = {what} catch {target}"),
            None => format!("%{reg} = {what}"),
        });
        reg
    }

    /// A step without side effects and exceptions: done once in a block.
    pub(crate) fn pure(&mut self, what: String) -> Reg {
        if let Some(reg) = self.known.get(&what) {
            return *reg;
        }
        let reg = self.step(&what, None);
        self.known.insert(what, reg);
        reg
    }

    /// A step without result.
    pub(crate) fn act(&mut self, what: &str, catch: Option<&str>) {
        self.line(match catch {
            Some(target) => format!("{what} catch {target}"),
            None => what.to_owned(),
        });
    }

    pub(crate) fn end(&mut self, end: String) {
        let block = &mut self.blocks[self.here];
        if block.end.is_none() {
            block.end = Some(end);
        }
    }

    /// The whole text; `signature` is `map name(%in: T) -> U`.
    pub(crate) fn finish(&self, signature: &str) -> String {
        let mut text = String::new();
        for line in &self.head {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "{signature} {{");
        for (at, block) in self.blocks.iter().enumerate() {
            let Some(end) = &block.end else { continue };
            let params: Vec<String> =
                block.params.iter().map(|(reg, ty)| format!("%{reg}: {ty}")).collect();
            let params = match params.is_empty() {
                true => String::new(),
                false => format!("({})", params.join(", ")),
            };
            let _ = writeln!(text, "{}{params}:", Text::label(at));
            for line in &block.lines {
                let _ = writeln!(text, "  {line}");
            }
            let _ = writeln!(text, "  {end}");
        }
        text.push_str("}\n");
        text
    }
}
