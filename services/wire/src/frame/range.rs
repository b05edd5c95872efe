//! A frame's range in Kafka headers, so that a frame whose body cannot be decoded still names it (DESIGN section 2).

use sluice_model::{DeviceId, Incarnation, NameError, Seq};
use thiserror::Error;

use super::FrameHeader;

const DEVICE: &str = "device";
const INCARNATION: &str = "incarnation";
const FIRST: &str = "first";
const LAST: &str = "last";

/// Whose events a frame accounts for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameRange {
    /// The device.
    pub device: DeviceId,
    /// The incarnation.
    pub incarnation: Incarnation,
    /// The first seq.
    pub first: Seq,
    /// The last seq, inclusive; first - 1 in heartbeats and leaves.
    pub last: Seq,
}

/// Kafka headers that do not name a range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RangeError {
    /// A header is not there.
    #[error("the Kafka header `{0}` is missing")]
    Missing(&'static str),
    /// A header that is no number.
    #[error("the Kafka header `{0}` is no number")]
    Number(&'static str),
    /// A device that is no name.
    #[error(transparent)]
    Device(#[from] NameError),
    /// A range that ends before it begins, or begins below 0.
    #[error("the range {0}..={1} is impossible")]
    Range(Seq, Seq),
}

/// The Kafka headers of a frame: name, and value as decimal text.
#[must_use]
pub fn range_headers(header: &FrameHeader) -> [(&'static str, String); 4] {
    [
        (DEVICE, header.device.to_string()),
        (INCARNATION, header.incarnation.to_string()),
        (FIRST, header.first.to_string()),
        (LAST, header.last.to_string()),
    ]
}

impl FrameRange {
    /// Reads the range back from all of a message's Kafka headers; others are left aside, of equal ones the last counts.
    ///
    /// # Errors
    /// A [`RangeError`] that names the header.
    pub fn from_headers<'a>(
        headers: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Self, RangeError> {
        let [mut device, mut incarnation, mut first, mut last] = [None; 4];
        for (name, value) in headers {
            match name {
                DEVICE => device = Some(value),
                INCARNATION => incarnation = Some(value),
                FIRST => first = Some(value),
                LAST => last = Some(value),
                _ => {}
            }
        }
        let device = device.ok_or(RangeError::Missing(DEVICE))?;
        let range = Self {
            device: DeviceId::new(String::from_utf8_lossy(device))?,
            incarnation: Incarnation(number(INCARNATION, incarnation)?),
            first: Seq(number(FIRST, first)?),
            last: Seq(number(LAST, last)?),
        };
        if range.first.0 < 0 || range.last.0 < range.first.0 - 1 {
            return Err(RangeError::Range(range.first, range.last));
        }
        Ok(range)
    }
}

fn number(name: &'static str, value: Option<&[u8]>) -> Result<i64, RangeError> {
    let value = value.ok_or(RangeError::Missing(name))?;
    let text = std::str::from_utf8(value).map_err(|_| RangeError::Number(name))?;
    text.parse().map_err(|_| RangeError::Number(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(headers: &[(&str, &str)]) -> Result<FrameRange, RangeError> {
        FrameRange::from_headers(headers.iter().map(|(name, value)| (*name, value.as_bytes())))
    }

    #[test]
    fn headers_that_name_no_range_are_refused() {
        let good = [(DEVICE, "pi-1"), (INCARNATION, "7"), (FIRST, "0"), (LAST, "-1")];
        assert!(parse(&good).is_ok());
        for i in 0..good.len() {
            let mut headers = good.to_vec();
            headers.remove(i);
            assert_eq!(parse(&headers), Err(RangeError::Missing(good[i].0)));
        }
        let with = |name, value| parse(&[good.as_slice(), &[(name, value)]].concat());
        assert_eq!(with(FIRST, "x"), Err(RangeError::Number(FIRST)));
        assert_eq!(
            with(FIRST, "-9223372036854775808"),
            Err(RangeError::Range(Seq(i64::MIN), Seq(-1)))
        );
        assert_eq!(with(FIRST, "1"), Err(RangeError::Range(Seq(1), Seq(-1))));
        assert!(matches!(with(DEVICE, "a/b"), Err(RangeError::Device(_))));
        assert!(with("other", "x").is_ok());
    }

    proptest! {
        #[test]
        fn any_headers_are_read_without_panic(
            headers in prop::collection::vec(("device|incarnation|first|last", any::<Vec<u8>>()), 0..8)
        ) {
            let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_slice()));
            let _ = FrameRange::from_headers(headers);
        }
    }
}
