//! Where trips begin and end.

use std::fmt;

use crate::random::Random;

/// A position in millionths of a degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) longitude: i64,
    pub(super) latitude: i64,
}

/// What a taxi without a position says.
pub(super) const NOWHERE: Place = Place { longitude: 0, latitude: 0 };
/// The centre of cell 1.1 of the query's grid.
pub(super) const FIRST_CELL: Place = Place { longitude: -74_913_585, latitude: 41_474_937 };

/// Both ends of Manhattan's long axis.
const SOUTH_END: Place = Place { longitude: -74_013_000, latitude: 40_705_000 };
const NORTH_END: Place = Place { longitude: -73_950_000, latitude: 40_802_000 };
/// Corners where taxis wait: one trip in eight begins or ends at one of them.
const CORNERS: [Place; 8] = [
    Place { longitude: -73_991_500, latitude: 40_750_300 },
    Place { longitude: -73_977_300, latitude: 40_752_700 },
    Place { longitude: -73_987_200, latitude: 40_761_100 },
    Place { longitude: -74_005_600, latitude: 40_740_400 },
    Place { longitude: -73_982_100, latitude: 40_768_200 },
    Place { longitude: -73_989_000, latitude: 40_730_500 },
    Place { longitude: -73_871_000, latitude: 40_773_900 },
    Place { longitude: -73_781_500, latitude: 40_644_800 },
];
const CORNER_PER_10000: u32 = 1250;
const OUTER_PER_10000: u32 = 900;
const BEYOND_PER_10000: u32 = 1;

impl Place {
    pub(super) fn draw(random: &mut Random) -> Place {
        let roll = random.below(10_000);
        if roll < BEYOND_PER_10000 {
            return Place { longitude: -75_400_000, latitude: 39_950_000 };
        }
        if roll < OUTER_PER_10000 {
            let (east, north) = (random.below(280_000), random.below(260_000));
            return Place {
                longitude: -74_050_000 + i64::from(east),
                latitude: 40_580_000 + i64::from(north),
            };
        }
        if roll < OUTER_PER_10000 + CORNER_PER_10000 {
            return random.item(&CORNERS).moved(random, 1_500);
        }
        // The mean of two draws lies near the middle more often than near the ends.
        let along = i64::from(random.below(1000) + random.below(1000));
        let between = |south: i64, north: i64| south + (north - south) * along / 2000;
        Place {
            longitude: between(SOUTH_END.longitude, NORTH_END.longitude),
            latitude: between(SOUTH_END.latitude, NORTH_END.latitude),
        }
        .moved(random, 13_000)
    }

    /// A place up to `most` millionths of a degree away in each direction.
    fn moved(self, random: &mut Random, most: u32) -> Place {
        let mut away = || i64::from(random.below(2 * most + 1)) - i64::from(most);
        Place { longitude: self.longitude + away(), latitude: self.latitude + away() }
    }

    /// Hundredths of a mile to another place, along streets.
    pub(super) fn hundredths_of_a_mile_to(self, other: Place) -> u32 {
        // 69 miles a degree of latitude, three quarters of that a degree of longitude.
        let north = (self.latitude - other.latitude).unsigned_abs() * 69;
        let east = (self.longitude - other.longitude).unsigned_abs() * 52;
        ((north + east) / 10_000) as u32
    }
}

/// `longitude,latitude`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let degrees = |millionths: i64| {
            let sign = if millionths < 0 { "-" } else { "" };
            let size = millionths.unsigned_abs();
            format!("{sign}{}.{:06}", size / 1_000_000, size % 1_000_000)
        };
        write!(f, "{},{}", degrees(self.longitude), degrees(self.latitude))
    }
}
