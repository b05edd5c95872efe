//! A monitoring site: the parts of its lines that never change, rendered once, and its air.

use super::row::Kind;
use crate::random::Random;

/// Sites per device.
pub(super) const SITES: u32 = 50;
/// Sites that report an hourly row beside the daily one: 22 of 72 rows, 31 %.
const CONTINUOUS_SITES: u32 = 22;
/// Device numbers with a state of their own; 99 is the closing site's.
const STATES: u32 = 98;
const COUNTIES_PER_DEVICE: u32 = 5;

/// The first line of every file.
pub const HEADER: &str = concat!(
    r#""State Code","County Code","Site Num","Parameter Code","POC","Latitude","Longitude","Datum","Parameter Name","#,
    r#""Sample Duration","Pollutant Standard","Date Local","Units of Measure","Event Type","Observation Count","#,
    r#""Observation Percent","Arithmetic Mean","1st Max Value","1st Max Hour","AQI","Method Code","Method Name","#,
    r#""Local Site Name","Address","State Name","County Name","City Name","CBSA Name","Date of Last Change""#,
);

/// Made-up names with the flaws of real ones: commas, quotes, blanks, letters beyond ASCII.
const NAMES: [&str; 10] = [
    "HARBOR VIEW, North",
    "Riverside Elementary School",
    "",
    "Cañon Flats",
    "MILL CREEK, 2 mi. SW of the interchange",
    "Old Depot \"Annex\"",
    "N/A",
    "Saint Anne's Hospital",
    "EAST SIDE FIRE STATION NO. 4",
    "Lakeshore Nation: Tamarack",
];
const STREETS: [&str; 8] = [
    "RIVERSIDE ELEMENTARY SCHOOL, 1 HERON DRIVE, NORTH HARBOR",
    "600 E ORCHARD AVE & N 7TH ST",
    "Tribal Route 31, Mile Post 9, 1/4 Mi N. of the Power Line Rd.",
    "S.W. CORNER OF COURT HOUSE ANNEX",
    "3100 WEST 14TH AVENUE, SUITE \"B\"",
    "WATER TREATMENT PLANT, VALLEY ROAD, LOWER MILL CREEK",
    "1400 S FOUNDRY AVE, ROOF",
    "Ranger Station, Forest Road 12",
];
const CITIES: [(&str, &str, &str); COUNTIES_PER_DEVICE as usize] = [
    ("Harbor", "North Harbor", "North Harbor-Millbrook-Eastport, EX"),
    ("Saint Anne", "Saint Anne", "Saint Anne, EX-WY"),
    ("Mill Creek ", "Not in a city", ""),
    ("Foundry", "Foundry City", "Foundry City-Lakeshore, EX"),
    ("Cañon", "Cañon Flats", "Cañon Flats, EX"),
];
const COORDINATE_TAILS: [&str; 4] = ["", "3", "01", "999999997"];

/// Both ways of writing the same text: the usual, and the second dialect (fewer quotes, no leading zeros).
#[derive(Clone, Debug, Default)]
pub(super) struct Dialects {
    pub(super) usual: Vec<u8>,
    pub(super) second: Vec<u8>,
}

impl Dialects {
    pub(super) fn get(&self, second: bool) -> &[u8] {
        if second { &self.second } else { &self.usual }
    }

    fn text(&mut self, text: &str) {
        let quoted = format!("\"{}\"", text.replace('"', "\"\""));
        self.usual.extend_from_slice(quoted.as_bytes());
        let bare = !text.contains(['"', ',']);
        self.second.extend_from_slice(if bare { text } else { &quoted }.as_bytes());
        self.verbatim(",");
    }

    fn code(&mut self, code: u32, digits: usize) {
        self.usual.extend_from_slice(format!("\"{code:0digits$}\",").as_bytes());
        self.second.extend_from_slice(format!("{code},").as_bytes());
    }

    fn verbatim(&mut self, text: &str) {
        self.usual.extend_from_slice(text.as_bytes());
        self.second.extend_from_slice(text.as_bytes());
    }
}

#[derive(Clone, Debug)]
pub(super) struct Site {
    /// From the state code to the parameter name.
    pub(super) head: Dialects,
    /// From the site's name to the date of last change.
    pub(super) tail: Dialects,
    is_continuous: bool,
    /// The usual mean in tenths of a microgram per cubic metre.
    usual_tenths: u32,
    /// Today's weather: the mean in percent of the usual one.
    weather_percent: u32,
    smoke_days: u32,
}

impl Site {
    pub(super) fn new(device: u32, number: u32, random: &mut Random) -> Site {
        let block = device / STATES;
        let county = 1 + (block * COUNTIES_PER_DEVICE + number % COUNTIES_PER_DEVICE) % 998;
        let mut site = Site::at(1 + device % STATES, county, 1 + number, random);
        // Spread evenly over the sites, so that counties and dialects have both sorts.
        site.is_continuous = number * CONTINUOUS_SITES % SITES < CONTINUOUS_SITES;
        site
    }

    /// The site of closing lines.
    pub(super) fn closing() -> Site {
        Site::at(99, 999, 9999, &mut Random::new(0, 0))
    }

    fn at(state: u32, county: u32, number: u32, random: &mut Random) -> Site {
        let mut head = Dialects::default();
        head.code(state, 2);
        head.code(county, 3);
        head.code(number, 4);
        head.text("88101");
        let (latitude, longitude) = (random.below(20_000_000), random.below(50_000_000));
        head.verbatim(&format!(
            "{},{}.{:06}{},-{}.{:06},",
            1 + random.below(3),
            28 + latitude / 1_000_000,
            latitude % 1_000_000,
            random.pick(&COORDINATE_TAILS),
            70 + longitude / 1_000_000,
            longitude % 1_000_000,
        ));
        head.text(random.pick(&["NAD83", "WGS84"]));
        head.text("PM2.5 - Local Conditions");

        let mut tail = Dialects::default();
        tail.text(random.pick(&NAMES));
        tail.text(random.pick(&STREETS));
        let (county_name, city, area) = CITIES[(county as usize - 1) % CITIES.len()];
        tail.text(&format!("Example State {state}"));
        tail.text(county_name);
        tail.text(city);
        tail.text(area);
        let changed = format!(
            "{}-{:02}-{:02}",
            2014 + random.below(7),
            1 + random.below(12),
            1 + random.below(28)
        );
        tail.usual.extend_from_slice(format!("\"{changed}\"").as_bytes());
        tail.second.extend_from_slice(changed.as_bytes());

        let usual_tenths = 45 + random.below(70);
        Site { head, tail, is_continuous: false, usual_tenths, weather_percent: 100, smoke_days: 0 }
    }

    /// The rows that the site sends for each day.
    pub(super) fn kinds(&self) -> &'static [Kind] {
        if self.is_continuous { &[Kind::Hourly, Kind::DailyBlock] } else { &[Kind::Daily] }
    }

    /// Draws the day's weather; now and then smoke begins that stays for days, so that some windows raise an alert.
    pub(super) fn begin_day(&mut self, random: &mut Random) {
        if self.smoke_days == 0 && random.chance(5) {
            self.smoke_days = 5 + random.below(12);
        }
        self.weather_percent = 40 + random.below(60) + random.below(60);
        if self.smoke_days > 0 {
            self.smoke_days -= 1;
            self.weather_percent = 500 + random.below(600);
        }
    }

    /// A mean of today in tenths of a microgram per cubic metre; the site's rows of a day differ by a little.
    pub(super) fn mean_tenths(&self, random: &mut Random) -> u32 {
        self.usual_tenths * self.weather_percent / 100 + random.below(6)
    }
}
