//! Cuts, and plans as shares per cut.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How many operators ran at the edge, 0..N (the paper's x with x_i <= x_{i+1}, section 3.2).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cut(pub i32);

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The part of an input's events that leaves the edge at one cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Share {
    /// The cut.
    pub cut: Cut,
    /// Its part in thousandths.
    pub per_mille: i32,
}

/// A plan: a share per cut. Sorted by cut, each positive, each cut once, summing to 1000.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<Share>", into = "Vec<Share>")]
pub struct Shares(Vec<Share>);

/// Shares that are no plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SharesError {
    /// The parts do not sum to the whole.
    #[error("shares sum to {0}, not to 1000 per mille")]
    Sum(i64),
    /// A part below 0 or above 1000.
    #[error("the share of cut {cut} is {per_mille}, not within 0..1000 per mille")]
    Part {
        /// The cut.
        cut: Cut,
        /// Its part as given.
        per_mille: i32,
    },
    /// Two parts for one cut.
    #[error("cut {0} has two shares")]
    Twice(Cut),
    /// A cut that the input does not have.
    #[error("cut {cut} is not within 0..{operators}, the input's operators")]
    Cut {
        /// The cut as given.
        cut: Cut,
        /// The number of movable operators N.
        operators: i32,
    },
}

/// The whole, in thousandths.
pub const WHOLE_PER_MILLE: i32 = 1000;

impl Shares {
    /// The binary plan: everything leaves at one cut.
    #[must_use]
    pub fn binary(cut: Cut) -> Self {
        Self(vec![Share { cut, per_mille: WHOLE_PER_MILLE }])
    }

    /// Orders and checks shares; parts of 0 are left out.
    ///
    /// # Errors
    /// A [`SharesError`] that names the first part that is wrong.
    pub fn new(mut shares: Vec<Share>) -> Result<Self, SharesError> {
        for share in &shares {
            if !(0..=WHOLE_PER_MILLE).contains(&share.per_mille) {
                return Err(SharesError::Part { cut: share.cut, per_mille: share.per_mille });
            }
        }
        shares.retain(|share| share.per_mille > 0);
        shares.sort();
        for pair in shares.windows(2) {
            if pair[0].cut == pair[1].cut {
                return Err(SharesError::Twice(pair[0].cut));
            }
        }
        let sum: i64 = shares.iter().map(|share| i64::from(share.per_mille)).sum();
        if sum != i64::from(WHOLE_PER_MILLE) {
            return Err(SharesError::Sum(sum));
        }
        Ok(Self(shares))
    }

    /// Checks every cut against the number of movable operators.
    ///
    /// # Errors
    /// [`SharesError::Cut`] for the first cut outside 0..N.
    pub fn check(&self, operators: i32) -> Result<(), SharesError> {
        match self.0.iter().find(|share| !(0..=operators).contains(&share.cut.0)) {
            Some(share) => Err(SharesError::Cut { cut: share.cut, operators }),
            None => Ok(()),
        }
    }

    /// The shares in order of cut.
    #[must_use]
    pub fn as_slice(&self) -> &[Share] {
        &self.0
    }
}

impl TryFrom<Vec<Share>> for Shares {
    type Error = SharesError;
    fn try_from(shares: Vec<Share>) -> Result<Self, SharesError> {
        Self::new(shares)
    }
}

impl From<Shares> for Vec<Share> {
    fn from(shares: Shares) -> Self {
        shares.0
    }
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = self.0[..] {
            return write!(f, "cut {}", only.cut);
        }
        for (i, share) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{}:{}", share.cut, share.per_mille)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(parts: &[(i32, i32)]) -> Result<Shares, SharesError> {
        Shares::new(
            parts.iter().map(|&(cut, per_mille)| Share { cut: Cut(cut), per_mille }).collect(),
        )
    }

    #[test]
    fn shares_are_ordered_and_checked() {
        assert_eq!(shares(&[(2, 400), (0, 600), (1, 0)]).unwrap().to_string(), "0:600,2:400");
        assert_eq!(shares(&[(1, 1000)]).unwrap(), Shares::binary(Cut(1)));
        assert_eq!(shares(&[(1, 500)]), Err(SharesError::Sum(500)));
        assert_eq!(shares(&[(1, 500), (1, 500)]), Err(SharesError::Twice(Cut(1))));
        assert!(matches!(shares(&[(1, -1), (0, 1001)]), Err(SharesError::Part { .. })));
        assert!(shares(&[(3, 1000)]).unwrap().check(3).is_ok());
        assert!(shares(&[(4, 1000)]).unwrap().check(3).is_err());
        assert!(shares(&[(-1, 1000)]).unwrap().check(3).is_err());
    }
}
