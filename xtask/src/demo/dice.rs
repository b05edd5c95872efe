//! Drawing by seed.

/// The 64-bit generator MMIX; its high bits are good enough for drawing routes and victims.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// Evenly from 0 to below `bound`.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// Takes one of `items` out.
    pub(super) fn take<T>(&mut self, items: &mut Vec<T>) -> Option<T> {
        let at = self.below(u32::try_from(items.len()).ok()?) as usize;
        (at < items.len()).then(|| items.swap_remove(at))
    }
}
