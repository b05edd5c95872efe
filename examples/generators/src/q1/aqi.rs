//! The air quality index of a PM2.5 mean (EPA, 40 CFR 58 appendix G, breakpoints of 2012).

/// Concentration in tenths of a microgram per cubic metre, and index, at both ends of each category.
const BREAKPOINTS: [(u32, u32, u32, u32); 7] = [
    (0, 120, 0, 50),
    (121, 354, 51, 100),
    (355, 554, 101, 150),
    (555, 1504, 151, 200),
    (1505, 2504, 201, 300),
    (2505, 3504, 301, 400),
    (3505, 5004, 401, 500),
];

/// The index, rounded; 500 above the last breakpoint.
pub(super) fn index(mean_tenths: u32) -> u32 {
    let category = BREAKPOINTS.iter().find(|(_, highest, _, _)| mean_tenths <= *highest);
    category.map_or(500, |(low, high, low_index, high_index)| {
        let (span, above) = (high - low, mean_tenths - low);
        low_index + ((high_index - low_index) * above * 2 + span) / (span * 2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_pairs_hold() {
        for (mean_tenths, expected) in
            [(0, 0), (67, 28), (90, 38), (120, 50), (121, 51), (354, 100), (355, 101), (9999, 500)]
        {
            assert_eq!(index(mean_tenths), expected, "{mean_tenths}");
        }
    }
}
