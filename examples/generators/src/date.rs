//! Calendar dates and times of day as text.

/// `yyyy-mm-dd` of a number of days since 1970-01-01 in the Gregorian calendar, for years up to 9999.
///
/// Counts in eras of 400 years that begin on 1 March, so that the leap day is the last of its year (Hinnant,
/// "chrono-compatible low-level date algorithms").
pub(crate) fn iso(days_since_1970: u32) -> [u8; 10] {
    let days = days_since_1970 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u32::from(month <= 2);
    let digit = |value: u32| b'0' + (value % 10) as u8;
    [
        digit(year / 1000),
        digit(year / 100),
        digit(year / 10),
        digit(year),
        b'-',
        digit(month / 10),
        digit(month),
        b'-',
        digit(day / 10),
        digit(day),
    ]
}

/// `yyyy-mm-dd hh:mm:ss` of a number of seconds since 1970-01-01 00:00:00, for years up to 9999.
pub(crate) fn stamp(seconds_since_1970: u64) -> String {
    let (days, second) = (seconds_since_1970 / 86_400, seconds_since_1970 % 86_400);
    let date = iso(days as u32);
    let date = String::from_utf8_lossy(&date);
    format!("{date} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::q1::{FIRST_DAY, LAST_DAY};

    #[test]
    fn known_days_have_their_dates() {
        let days = [
            (0, "1970-01-01"),
            (FIRST_DAY, "2012-01-01"),
            (15_399, "2012-02-29"),
            (LAST_DAY, "9999-12-31"),
        ];
        for (day, date) in days {
            assert_eq!(iso(day), date.as_bytes());
        }
    }

    #[test]
    fn stamps_are_dates_with_times() {
        assert_eq!(stamp(0), "1970-01-01 00:00:00");
        assert_eq!(stamp(1_356_998_400 + 86_399), "2013-01-01 23:59:59");
    }

    #[test]
    fn dates_ascend_with_their_days() {
        for day in FIRST_DAY..FIRST_DAY + 200_000 {
            assert!(iso(day) < iso(day + 1));
        }
    }
}
