//! What slots refer to while an event is in work.
//!
//! A slot is 64 bits: a number as its bits, or a [`Span`] of text, or a list as a span of elements, or a reference ([`crate::heap`]).
use crate::heap::{Classes, Heap};
use crate::reason::Reason;
use crate::units::Cursor;

/// What one event may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Rounds of loops, plus one for every 64 bytes that a built-in reads or writes.
    pub steps: u64,
    /// Bytes of text made, and bytes of output.
    pub bytes: usize,
    /// Elements of lists made, fields and elements of objects, and objects.
    pub elements: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { steps: 4_000_000, bytes: 16 << 20, elements: 1 << 20 }
    }
}

/// A piece of one of three byte strings: the event, the text made for it, the function's constants.
///
/// Two bits say which, 30 where it begins, 1 whether it is known to be ASCII, 31 how long it is. No text has both of the first bits: those are
/// references to what is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) u64);

const OFFSET_BITS: u32 = 30;
const MADE: u64 = 1 << 62;
const CONSTANT: u64 = 2 << 62;
/// The characters of the text are known to be one byte each.
const ASCII: u64 = 1 << 31;

impl Span {
    /// The longest event that spans can point into, bytes.
    pub(crate) const INPUT_LIMIT: usize = 1 << OFFSET_BITS;

    fn new(source: u64, start: usize, len: usize) -> Span {
        Span(source | (start as u64) << 32 | len as u64)
    }

    pub(crate) fn input(start: usize, len: usize) -> Span {
        Span::new(0, start, len)
    }

    pub(crate) fn constant(start: usize, len: usize) -> Span {
        Span::new(CONSTANT, start, len)
    }

    pub(crate) fn len(self) -> usize {
        (self.0 as u32 & !(ASCII as u32)) as usize
    }

    /// Whether the text is known to be ASCII.
    pub(crate) fn is_ascii(self) -> bool {
        self.0 & ASCII != 0
    }

    /// The same, known to be ASCII where that is true.
    pub(crate) fn known_ascii(self, ascii: bool) -> Span {
        Span(if ascii { self.0 | ASCII } else { self.0 & !ASCII })
    }

    fn start(self) -> usize {
        (self.0 >> 32) as usize & (Span::INPUT_LIMIT - 1)
    }

    /// A part of it.
    pub(crate) fn part(self, from: usize, to: usize) -> Span {
        Span(((self.0 >> 32) + from as u64) << 32 | self.0 & ASCII | (to - from) as u64)
    }
}

/// The bytes behind spans.
pub(crate) struct Memory<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) constants: &'a [u8],
    pub(crate) made: &'a mut Vec<u8>,
    pub(crate) elements: &'a mut Vec<u64>,
    /// The objects of the event.
    pub(crate) heap: &'a mut Heap,
    /// The objects of the functions' constants.
    pub(crate) frozen: &'a Heap,
    /// The classes that functions declare.
    pub(crate) classes: &'a Classes,
    /// The place in a text that was looked up last.
    pub(crate) cursor: Cursor,
    /// The exception that was caught last.
    pub(crate) caught: Option<Reason>,
    pub(crate) steps: u64,
    /// Objects, and elements of objects, made so far.
    pub(crate) charged: usize,
    pub(crate) budget: Budget,
}

impl Memory<'_> {
    /// The bytes of a text.
    #[inline]
    pub(crate) fn bytes(&self, slot: u64) -> &[u8] {
        let span = Span(slot);
        let source = match slot >> 62 {
            0 => self.input,
            1 => &self.made[..],
            2 => self.constants,
            // A reference to what is no text, where Java's verifier lets nothing but text through.
            _ => return &[],
        };
        &source[span.start()..span.start() + span.len()]
    }

    /// Counts work on so many bytes; loops look at the count.
    #[inline]
    pub(crate) fn work(&mut self, bytes: usize) {
        self.steps += (bytes / 64) as u64;
    }

    /// Refuses so many more bytes of text if they exceed the budget.
    #[inline]
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(), Reason> {
        self.work(bytes);
        match self.made.len().saturating_add(bytes) <= self.budget.bytes {
            true => Ok(()),
            false => Err(Reason::Memory),
        }
    }

    /// Appends a text to the text in making. The bytes must have been reserved.
    #[inline]
    pub(crate) fn append(&mut self, slot: u64) {
        let span = Span(slot);
        let range = span.start()..span.start() + span.len();
        match slot >> 62 {
            0 => self.made.extend_from_slice(&self.input[range]),
            1 => self.made.extend_from_within(range),
            2 => self.made.extend_from_slice(&self.constants[range]),
            _ => {}
        }
    }

    /// The text that was made from `start` on.
    #[inline]
    pub(crate) fn made_since(&self, start: usize) -> u64 {
        Span::new(MADE, start, self.made.len() - start).0
    }

    /// The bytes of a text as text.
    #[inline]
    pub(crate) fn text(&self, slot: u64) -> &str {
        // Texts are UTF-8 from the beginning: events are checked, and parts are cut at characters.
        std::str::from_utf8(self.bytes(slot)).unwrap_or_default()
    }

    /// A new text.
    #[inline]
    pub(crate) fn new_text(&mut self, text: &str) -> Result<u64, Reason> {
        self.reserve(text.len())?;
        let start = self.made.len();
        self.made.extend_from_slice(text.as_bytes());
        Ok(Span(self.made_since(start)).known_ascii(text.is_ascii()).0)
    }

    /// Appends an element to the list in making.
    #[inline]
    pub(crate) fn push_element(&mut self, slot: u64) -> Result<(), Reason> {
        if self.elements.len() == self.budget.elements {
            return Err(Reason::Memory);
        }
        self.elements.push(slot);
        Ok(())
    }

    /// The list that was made from `start` on.
    #[inline]
    pub(crate) fn list_since(&self, start: usize) -> u64 {
        Span::new(0, start, self.elements.len() - start).0
    }

    /// The elements of a list.
    #[inline]
    pub(crate) fn list(&self, slot: u64) -> &[u64] {
        let span = Span(slot);
        &self.elements[span.start()..span.start() + span.len()]
    }
}
