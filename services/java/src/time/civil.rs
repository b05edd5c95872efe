//! The proleptic ISO calendar.
use super::{Field, date_time};
use crate::Result;

/// Days since 1970-01-01 of a date that exists. Years begin on the first of March here, so that the leap day is the last.
pub(crate) fn epoch_day(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of days since 1970-01-01.
pub(crate) fn date_of(epoch_day: i64) -> (i64, i64, i64) {
    let days = epoch_day + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

pub(crate) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub(crate) fn month_length(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap(year)),
        _ => 31,
    }
}

pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(crate) const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A day of the calendar (`java.time.LocalDate`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// From -999,999,999 to 999,999,999.
    pub year: i32,
    /// From 1.
    pub month: i32,
    /// From 1.
    pub day: i32,
}

impl Date {
    /// `LocalDate.of(int, int, int)`.
    pub fn of(year: i64, month: i64, day: i64) -> Result<Date> {
        Field::Year.check(year)?;
        Field::Month.check(month)?;
        Field::Day.check(day)?;
        if day > month_length(year, month) {
            return date_time(match day {
                29 => format!("Invalid date 'February 29' as '{year}' is not a leap year"),
                _ => {
                    let month = MONTHS[month as usize - 1].to_uppercase();
                    format!("Invalid date '{month} {day}'")
                }
            });
        }
        Ok(Date { year: year as i32, month: month as i32, day: day as i32 })
    }

    /// `LocalDate.ofEpochDay`.
    pub fn of_epoch_day(epoch_day: i64) -> Result<Date> {
        Field::EpochDay.check(epoch_day)?;
        let (year, month, day) = date_of(epoch_day);
        Ok(Date { year: year as i32, month: month as i32, day: day as i32 })
    }

    /// `LocalDate.ofYearDay`.
    pub fn of_year_day(year: i64, day_of_year: i64) -> Result<Date> {
        Field::Year.check(year)?;
        Field::DayOfYear.check(day_of_year)?;
        if day_of_year == 366 && !is_leap(year) {
            return date_time(format!(
                "Invalid date 'DayOfYear 366' as '{year}' is not a leap year"
            ));
        }
        Date::of_epoch_day(epoch_day(year, 1, 1) + day_of_year - 1)
    }

    /// `toEpochDay`.
    pub fn epoch_day(self) -> i64 {
        epoch_day(self.year.into(), self.month.into(), self.day.into())
    }

    /// `getDayOfYear`.
    pub fn day_of_year(self) -> i32 {
        (self.epoch_day() - epoch_day(self.year.into(), 1, 1)) as i32 + 1
    }

    /// `getDayOfWeek().getValue()`: from 1, Monday, to 7.
    pub fn day_of_week(self) -> i32 {
        (self.epoch_day() + 3).rem_euclid(7) as i32 + 1
    }

    /// `lengthOfMonth`.
    pub fn length_of_month(self) -> i32 {
        month_length(self.year.into(), self.month.into()) as i32
    }

    /// `isLeapYear`.
    pub fn is_leap_year(self) -> bool {
        is_leap(self.year.into())
    }

    /// `hashCode`.
    pub fn hash_code(self) -> i32 {
        let year = self.year;
        year & 0xFFFF_F800u32 as i32
            ^ (year.wrapping_shl(11)).wrapping_add(self.month << 6).wrapping_add(self.day)
    }

    /// `plusMonths`: the day is at most the last of its month.
    pub fn plus_months(self, months: i64) -> Result<Date> {
        if months == 0 {
            return Ok(self);
        }
        let count = i64::from(self.year) * 12 + i64::from(self.month) - 1;
        let Some(count) = count.checked_add(months) else {
            return super::overflow();
        };
        let year = i64::from(Field::Year.check(count.div_euclid(12))?);
        let month = count.rem_euclid(12) + 1;
        Date::of(year, month, i64::from(self.day).min(month_length(year, month)))
    }

    /// `plusDays`.
    pub fn plus_days(self, days: i64) -> Result<Date> {
        if days == 0 {
            return Ok(self);
        }
        match self.epoch_day().checked_add(days) {
            Some(day) => Date::of_epoch_day(day),
            None => super::overflow(),
        }
    }

    /// `plusYears`.
    pub fn plus_years(self, years: i64) -> Result<Date> {
        if years == 0 {
            return Ok(self);
        }
        let year = i64::from(Field::Year.check(i64::from(self.year).saturating_add(years))?);
        let month = i64::from(self.month);
        Date::of(year, month, i64::from(self.day).min(month_length(year, month)))
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Date { year, month, day } = *self;
        match year {
            -999..=-1 => write!(f, "-{:04}", -year)?,
            10_000.. => write!(f, "+{year}")?,
            _ => write!(f, "{year:04}")?,
        }
        write!(f, "-{month:02}-{day:02}")
    }
}
