//! The table of code points, read from its text once.
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What is known of a code point.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Record {
    pub(super) category: u8,
    flags: u8,
    /// Distance to the lower case.
    pub(super) to_lower: i32,
    pub(super) to_upper: i32,
    pub(super) to_title: i32,
    /// Value as a digit up to 35, or -1.
    pub(super) digit: i8,
    pub(super) numeric: i32,
}

impl Record {
    pub(super) const LOWER: u8 = 1;
    pub(super) const UPPER: u8 = 2;
    pub(super) const ALPHABETIC: u8 = 4;
    pub(super) const IDEOGRAPHIC: u8 = 8;
    pub(super) const MIRRORED: u8 = 16;
    pub(super) const WHITESPACE: u8 = 32;
    pub(super) const IDENTIFIER_START: u8 = 64;
    pub(super) const IDENTIFIER_PART: u8 = 128;

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    fn parse(text: &str) -> Option<Record> {
        let numbers: Vec<i32> = text.split(',').filter_map(|number| number.parse().ok()).collect();
        let &[category, flags, to_lower, to_upper, to_title, digit, numeric] = &numbers[..] else {
            return None;
        };
        let (category, flags, digit) = (category as u8, flags as u8, digit as i8);
        Some(Record { category, flags, to_lower, to_upper, to_title, digit, numeric })
    }
}

const BLOCK: usize = 128;

/// Code points in blocks; equal blocks are one.
#[derive(Debug, Default)]
struct Table {
    records: Vec<Record>,
    /// The place of a block in `cells`, by the code point's upper bits.
    blocks: Vec<u16>,
    /// Numbers of records.
    cells: Vec<u16>,
    long_upper_case: BTreeMap<char, String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::parse(include_str!("java-17.txt")));

impl Table {
    fn parse(text: &str) -> Table {
        let mut table = Table::default();
        let mut points = Vec::with_capacity(0x11_0000);
        for line in text.lines() {
            let mut items = line.split(' ');
            let what = items.next();
            for item in items {
                match what {
                    Some("record") => table.records.extend(Record::parse(item)),
                    Some("run") => {
                        let (count, record) = item.split_once('*').unwrap_or_default();
                        let [count, record] = [count, record].map(hexadecimal);
                        points.extend(std::iter::repeat_n(record as u16, count as usize));
                    }
                    _ => {
                        let (from, to) = item.split_once('=').unwrap_or_default();
                        let to = to.split('+').map(hexadecimal).filter_map(char::from_u32);
                        let from = char::from_u32(hexadecimal(from)).unwrap_or_default();
                        table.long_upper_case.insert(from, to.collect());
                    }
                }
            }
        }
        let mut places = BTreeMap::new();
        for block in points.chunks(BLOCK) {
            let next = (table.cells.len() / BLOCK) as u16;
            let place = *places.entry(block).or_insert(next);
            if place == next {
                table.cells.extend_from_slice(block);
            }
            table.blocks.push(place);
        }
        table
    }
}

fn hexadecimal(text: &str) -> u32 {
    u32::from_str_radix(text, 16).unwrap_or_default()
}

/// What is known of a code point; whatever is none is like an unassigned one.
pub(super) fn record(code: i32) -> Record {
    const NONE: Record = Record {
        category: 0,
        flags: 0,
        to_lower: 0,
        to_upper: 0,
        to_title: 0,
        digit: -1,
        numeric: -1,
    };
    let Ok(code) = usize::try_from(code) else { return NONE };
    let table = &*TABLE;
    let Some(&block) = table.blocks.get(code / BLOCK) else { return NONE };
    table.records[usize::from(table.cells[usize::from(block) * BLOCK + code % BLOCK])]
}

pub(super) fn long_upper_case(c: char) -> Option<&'static str> {
    TABLE.long_upper_case.get(&c).map(String::as_str)
}
