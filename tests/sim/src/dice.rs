//! Seeded randomness: every actor rolls its own dice, so that a fault left out does not change what the others do.

/// A small generator (splitmix64).
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// The dice of one purpose under a seed.
    #[must_use]
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut dice = Self(seed ^ purpose.wrapping_mul(0xA076_1D64_78BD_642F));
        dice.next();
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..below`; 0 where there is none.
    pub fn roll(&mut self, below: i64) -> i64 {
        if below <= 0 { 0 } else { (self.next() % below.unsigned_abs()).cast_signed() }
    }

    /// A number in `low..=high`.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        low + self.roll(high - low + 1)
    }

    /// The same, as an index or a count.
    pub fn index(&mut self, below: usize) -> usize {
        usize::try_from(self.roll(i64::try_from(below).unwrap_or(i64::MAX))).unwrap_or(0)
    }

    /// True in `per_cent` of 100 cases.
    pub fn chance(&mut self, per_cent: i64) -> bool {
        self.roll(100) < per_cent
    }

    /// One of these; the first of an empty list is a mistake of the caller's.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.index(of.len())]
    }
}
