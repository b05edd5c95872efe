//! Dates.
use crate::memory::Memory;
use crate::reason::Reason;

const DAY_MS: i64 = 86_400_000;

/// Midnight in UTC of a date `yyyy-MM-dd`, ten ASCII characters, a day that exists: epoch milliseconds.
pub(super) fn parse_ms(memory: &mut Memory<'_>, args: &[u64]) -> Result<u64, Reason> {
    match parse(memory.bytes(args[0])) {
        Some(day) => Ok((day * DAY_MS) as u64),
        None => Err(Reason::DateFormat),
    }
}

/// Days since 1970-01-01.
fn parse(text: &[u8]) -> Option<i64> {
    let &[a, b, c, d, b'-', e, f, b'-', g, h] = text else {
        return None;
    };
    let digits = |digits: &[u8]| {
        digits.iter().try_fold(0, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
        })
    };
    let (year, month, day) = (digits(&[a, b, c, d])?, digits(&[e, f])?, digits(&[g, h])?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then(|| epoch_day(year, month, day))
}

/// The proleptic Gregorian calendar in years that begin on the first of March.
fn epoch_day(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn dates() {
        assert_eq!(parse(b"1970-01-01"), Some(0));
        assert_eq!(parse(b"1969-12-31"), Some(-1));
        assert_eq!(parse(b"2016-02-29"), Some(16_860));
        assert_eq!(parse(b"2000-02-29"), Some(11_016));
        assert_eq!(parse(b"9999-12-31"), Some(2_932_896));
        assert_eq!(parse(b"0000-01-01"), Some(-719_528));
    }

    #[test]
    fn every_day_of_four_centuries_follows_the_one_before() {
        let mut expected = parse(b"1800-01-01").unwrap();
        for year in 1800..2200 {
            for month in 1..=12 {
                for day in 1..=31 {
                    if let Some(found) = parse(format!("{year:04}-{month:02}-{day:02}").as_bytes())
                    {
                        assert_eq!(found, expected);
                        expected += 1;
                    }
                }
            }
        }
        assert_eq!(parse(b"2200-01-01"), Some(expected));
    }

    #[test]
    fn no_dates() {
        for text in [
            "",
            "2016-1-15",
            "2016-13-01",
            "2016-00-01",
            "2016-01-00",
            "2016-01-32",
            "2015-02-29",
            "1900-02-29",
            "2016-04-31",
            "+2016-01-15",
            "2016/01/15",
            "2016-01-15 ",
            " 2016-01-1",
            "-016-01-15",
            "２016-01-15",
            "2016-01-1a",
            "20160-1-15",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }
}
