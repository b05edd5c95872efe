//! `java.time.format.DateTimeFormatter`: what it is made of.
use super::{Field, Zone};
use std::sync::LazyLock;

/// When a number has a sign (`SignStyle`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Normal,
    NotNegative,
    ExceedsPad,
}

/// A number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    pub(super) field: Field,
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) sign: Sign,
    /// Digits of the numbers that follow without anything between.
    pub(super) following: usize,
    /// Whether it has its width whatever follows.
    pub(super) fixed: bool,
    /// Whether it stands for a year from 2000 to 2099.
    pub(super) reduced: bool,
}

/// How long a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Full,
    Short,
}

/// An offset's form: `+HHmm` and so on.
#[derive(Debug, Clone, Copy)]
pub(super) struct OffsetForm {
    pub(super) colon: bool,
    /// Whether minutes are there: always, never, or where they are not 0.
    pub(super) minutes: Presence,
    pub(super) seconds: Presence,
    /// What stands for no offset.
    pub(super) zero: &'static str,
    /// Whether the parser takes minutes and seconds as they come.
    pub(super) lenient: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Never,
    Optional,
    Always,
}

/// A part of a formatter.
#[derive(Debug, Clone)]
pub(super) enum Element {
    Literal(String),
    Number(Number),
    /// Digits of the second, behind a point or not.
    Fraction {
        least: usize,
        most: usize,
        point: bool,
    },
    Text {
        field: Field,
        style: Style,
    },
    Offset(OffsetForm),
    Zone {
        brackets: bool,
    },
    Optional(Vec<Element>),
}

/// How the fields make a date (`ResolverStyle`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolver {
    Strict,
    Smart,
}

/// A formatter.
#[derive(Debug, Clone)]
pub struct Formatter {
    pub(super) elements: Vec<Element>,
    pub(super) resolver: Resolver,
    pub(super) ignore_case: bool,
    pub(super) zone: Option<Zone>,
    /// What it reads at once where the text has the common form.
    pub(super) common: Option<Common>,
}

/// A form that most texts have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Common {
    /// `2024-02-29`.
    Date,
    /// `2024-02-29T23:59:59`.
    DateTime,
}

impl Formatter {
    /// `withZone`.
    pub fn with_zone(&self, zone: Zone) -> Formatter {
        Formatter { zone: Some(zone), ..self.clone() }
    }

    /// The predefined formatter of a name: a static field of `DateTimeFormatter`.
    pub fn named(name: &str) -> Option<Formatter> {
        let iso = |elements: Vec<Element>| {
            Some(Formatter {
                elements,
                resolver: Resolver::Strict,
                ignore_case: name != "ISO_LOCAL_DATE" && name != "ISO_LOCAL_TIME",
                zone: None,
                common: match name {
                    "ISO_LOCAL_DATE" => Some(Common::Date),
                    "ISO_LOCAL_DATE_TIME" => Some(Common::DateTime),
                    _ => None,
                },
            })
        };
        let mut elements = match name {
            "ISO_LOCAL_DATE" | "ISO_DATE" | "ISO_OFFSET_DATE" => date(),
            "ISO_LOCAL_TIME" | "ISO_TIME" | "ISO_OFFSET_TIME" => time(),
            "BASIC_ISO_DATE" => {
                return iso(vec![
                    number(Field::Year, 4, 4, Sign::NotNegative),
                    number(Field::Month, 2, 2, Sign::NotNegative),
                    number(Field::Day, 2, 2, Sign::NotNegative),
                    Element::Optional(vec![Element::Offset(OffsetForm {
                        colon: false,
                        minutes: Presence::Always,
                        seconds: Presence::Optional,
                        zero: "Z",
                        lenient: true,
                    })]),
                ]);
            }
            "ISO_LOCAL_DATE_TIME"
            | "ISO_OFFSET_DATE_TIME"
            | "ISO_ZONED_DATE_TIME"
            | "ISO_DATE_TIME" => date_time(),
            _ => return None,
        };
        let offset = Element::Offset(OffsetForm {
            colon: true,
            minutes: Presence::Always,
            seconds: Presence::Optional,
            zero: "Z",
            lenient: matches!(name, "ISO_OFFSET_DATE_TIME" | "ISO_ZONED_DATE_TIME"),
        });
        let zone = Element::Optional(vec![Element::Zone { brackets: true }]);
        match name {
            "ISO_OFFSET_DATE" | "ISO_OFFSET_TIME" | "ISO_OFFSET_DATE_TIME" => elements.push(offset),
            "ISO_ZONED_DATE_TIME" => elements.extend([offset, zone]),
            "ISO_DATE" | "ISO_TIME" => elements.push(Element::Optional(vec![offset])),
            "ISO_DATE_TIME" => elements.push(Element::Optional(vec![offset, zone])),
            _ => {}
        }
        iso(elements)
    }
}

pub(super) fn number(field: Field, least: usize, most: usize, sign: Sign) -> Element {
    let (following, fixed, reduced) = (0, false, false);
    Element::Number(Number { field, least, most, sign, following, fixed, reduced })
}

fn literal(text: &str) -> Element {
    Element::Literal(text.to_owned())
}

fn two(field: Field) -> Element {
    number(field, 2, 2, Sign::NotNegative)
}

fn date() -> Vec<Element> {
    vec![
        number(Field::Year, 4, 10, Sign::ExceedsPad),
        literal("-"),
        two(Field::Month),
        literal("-"),
        two(Field::Day),
    ]
}

fn time() -> Vec<Element> {
    let fraction = Element::Fraction { least: 0, most: 9, point: true };
    let seconds = vec![literal(":"), two(Field::Second), Element::Optional(vec![fraction])];
    vec![two(Field::Hour), literal(":"), two(Field::Minute), Element::Optional(seconds)]
}

fn date_time() -> Vec<Element> {
    [date(), vec![literal("T")], time()].concat()
}

/// What `Instant.parse` reads.
pub(super) static INSTANT: LazyLock<Formatter> = LazyLock::new(|| {
    let mut elements = [date(), vec![literal("T")]].concat();
    elements.extend([two(Field::Hour), literal(":"), two(Field::Minute), literal(":")]);
    elements.extend([two(Field::Second), Element::Fraction { least: 0, most: 9, point: true }]);
    elements.push(Element::Offset(OffsetForm {
        colon: true,
        minutes: Presence::Always,
        seconds: Presence::Optional,
        zero: "Z",
        lenient: false,
    }));
    Formatter { elements, resolver: Resolver::Strict, ignore_case: true, zone: None, common: None }
});
