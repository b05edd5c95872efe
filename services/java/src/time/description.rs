//! A formatter from what its `toString` gives.
use super::formatter::{
    Element, Formatter, Number, OffsetForm, Presence, Resolver, Sign, Style, number,
};
use super::pattern::Builder;
use super::{Field, Zone};

impl Formatter {
    /// The formatter that describes itself so; none where its parts are not all known. Names are those of English.
    pub fn of_description(text: &str, strict: bool, zone: Option<Zone>) -> Option<Formatter> {
        let mut builder = Builder::new(true);
        let mut reader = Reader { rest: text, ignore_case: false, lenient: false };
        reader.elements(&mut builder)?;
        if !reader.rest.is_empty() {
            return None;
        }
        let resolver = if strict { Resolver::Strict } else { Resolver::Smart };
        let elements = builder.finish().ok()?;
        Some(Formatter { elements, resolver, ignore_case: reader.ignore_case, zone, common: None })
    }
}

struct Reader<'a> {
    rest: &'a str,
    ignore_case: bool,
    lenient: bool,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, wanted: &str) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// What stands before a character, which is taken too.
    fn until(&mut self, end: char) -> Option<&'a str> {
        let (before, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(before)
    }

    fn elements(&mut self, builder: &mut Builder) -> Option<()> {
        while !self.rest.is_empty() && !self.rest.starts_with([')', ']']) {
            if self.eat("(") {
                // A formatter within another; numbers do not reach across.
                builder.seal();
                self.elements(builder)?;
                self.eat(")").then_some(())?;
                builder.seal();
            } else if self.eat("[") {
                builder.open();
                self.elements(builder)?;
                self.eat("]").then_some(())?;
                builder.close().ok()?;
            } else if self.rest.starts_with('\'') {
                self.literals(builder)?;
            } else {
                let name = self.until('(')?;
                let arguments: Vec<&str> = self.until(')')?.split(',').collect();
                self.element(name, &arguments, builder)?;
            }
        }
        Some(())
    }

    /// Literals in a row, each between quotes. Whether two quotes are the end of one and the beginning of the next or stand for a quote is
    /// certain where each is a single character that is no letter.
    fn literals(&mut self, builder: &mut Builder) -> Option<()> {
        let inside = |text: &str| text.find('\'').filter(|end| *end > 0);
        let end = 1 + inside(&self.rest[1..])?;
        let several = self.rest[end + 1..].starts_with('\'');
        let literal = &self.rest[1..end];
        let plain = literal.chars().count() == 1 && !literal.chars().any(char::is_alphabetic);
        if several && !plain {
            return None;
        }
        builder.push(Element::Literal(literal.to_owned()));
        self.rest = &self.rest[end + 1..];
        if several {
            let next = 1 + inside(&self.rest[1..])?;
            let single = self.rest[1..next].chars().count() == 1;
            if !single || self.rest[1..next].chars().any(char::is_alphabetic) {
                return None;
            }
        }
        Some(())
    }

    fn element(&mut self, name: &str, arguments: &[&str], builder: &mut Builder) -> Option<()> {
        match (name, arguments) {
            ("ParseCaseSensitive", ["false"]) => self.ignore_case = true,
            ("ParseCaseSensitive", ["true"]) => {}
            ("ParseStrict", [strict]) => self.lenient = *strict == "false",
            ("Value", [name]) => {
                builder.push_number(number(field(name)?, 1, 19, Sign::Normal));
            }
            ("Value", [name, width]) => {
                let width = width.parse().ok()?;
                builder.push_number(number(field(name)?, width, width, Sign::NotNegative));
            }
            ("Value", [name, least, most, sign]) => {
                let sign = match *sign {
                    "NORMAL" => Sign::Normal,
                    "NOT_NEGATIVE" => Sign::NotNegative,
                    "EXCEEDS_PAD" => Sign::ExceedsPad,
                    _ => return None,
                };
                let (least, most) = (least.parse().ok()?, most.parse().ok()?);
                builder.push_number(number(field(name)?, least, most, sign));
            }
            ("ReducedValue", [name, "2", "2", "2000-01-01"]) => {
                builder.push_number(Element::Number(Number {
                    field: field(name)?,
                    least: 2,
                    most: 2,
                    sign: Sign::NotNegative,
                    following: 0,
                    fixed: false,
                    reduced: true,
                }));
            }
            ("Fraction", ["NanoOfSecond", least, most]) if least == most => {
                let width = least.parse().ok()?;
                builder.push_number(Element::Fraction { least: width, most: width, point: false });
            }
            ("Fraction", ["NanoOfSecond", least, most, "DecimalPoint"]) => {
                let (least, most) = (least.parse().ok()?, most.parse().ok()?);
                builder.push(Element::Fraction { least, most, point: true });
            }
            ("Text", [name, rest @ ..]) => {
                let style = match rest {
                    [] => Style::Full,
                    ["SHORT"] => Style::Short,
                    _ => return None,
                };
                builder.push(Element::Text { field: field(name)?, style });
            }
            ("Offset", [form, zero]) => {
                let (colon, minutes, seconds) = match *form {
                    "+HH" => (false, Presence::Never, Presence::Never),
                    "+HHmm" => (false, Presence::Optional, Presence::Never),
                    "+HHMM" => (false, Presence::Always, Presence::Never),
                    "+HH:MM" => (true, Presence::Always, Presence::Never),
                    "+HHMMss" => (false, Presence::Always, Presence::Optional),
                    "+HH:MM:ss" => (true, Presence::Always, Presence::Optional),
                    _ => return None,
                };
                let zero = match zero.trim_matches('\'') {
                    "Z" => "Z",
                    "+00" => "+00",
                    "+0000" => "+0000",
                    "+00:00" => "+00:00",
                    _ => return None,
                };
                let lenient = self.lenient;
                builder.push(Element::Offset(OffsetForm {
                    colon,
                    minutes,
                    seconds,
                    zero,
                    lenient,
                }));
            }
            ("ZoneId", [""]) => builder.push(Element::Zone { brackets: false }),
            _ => return None,
        }
        Some(())
    }
}

fn field(name: &str) -> Option<Field> {
    const FIELDS: [Field; 14] = [
        Field::Year,
        Field::YearOfEra,
        Field::Month,
        Field::Day,
        Field::DayOfYear,
        Field::DayOfWeek,
        Field::AmPm,
        Field::HourOfAmPm,
        Field::ClockHourOfAmPm,
        Field::ClockHourOfDay,
        Field::Hour,
        Field::Minute,
        Field::Second,
        Field::Nano,
    ];
    FIELDS.into_iter().find(|field| field.name() == name)
}
