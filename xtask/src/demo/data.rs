//! Public data, dealt to the devices in order of time, each with a line at the end that closes its windows.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use sluice_generators::Query;

use crate::process::run;

/// The EPA's file of daily PM2.5 readings of 2012, as it is offered.
const AIR_ARCHIVE: &str = "daily_88101_2012.zip";
const AIR_TABLE: &str = "daily_88101_2012.csv";
/// The column with the day, `yyyy-mm-dd`.
const AIR_DAY: usize = 11;
/// A valid row of a site of its own, long after the others.
const AIR_CLOSING: &str = "\"99\",\"999\",\"9999\",\"88101\",1,0.0,0.0,\"WGS84\",\"PM2.5 - Local Conditions\",\"24 HOUR\",\
    \"PM25 24-hour 2012\",\"2013-12-31\",\"Micrograms/cubic meter (LC)\",\"None\",1,100.0,1.0,1.0,0,4,\"120\",\"-\",\"closing\",\
    \"-\",\"-\",\"-\",\"-\",\"-\",\"2014-01-01\"";
/// The DEBS challenge's taxi trips, in order of their drop-off.
const TRIPS: &str = "debs2015_sorted_data_10k.csv";
/// A file per household of 2013, and which device has which.
const METERS: &str = "halfhourly";
const METERS_OF_DEVICES: &str = "device_assignment.csv";
/// A reading of a household of its own, long after the others.
const METER_CLOSING: &str = "MAC999999,2014-03-01 00:00:00, 5.0 ";
/// Short texts with ratings.
const POSTS: &str = "vader_tweets_GroundTruth.txt";

/// The lines of each device in files of their own, and how many the longest has.
pub(crate) struct Data {
    /// A file per device.
    pub(crate) files: Vec<PathBuf>,
    /// Lines of the longest file.
    pub(crate) most_lines: u64,
}

/// Deals the public data of a query, in the folder `data`, to `devices` files in `dir`.
pub(crate) fn deal(query: Query, data: &Path, dir: &Path, devices: usize) -> Result<Data> {
    fs::create_dir_all(dir)?;
    let (mut dealt, closing) = match query {
        Query::Q1 => (air(data, dir, devices)?, AIR_CLOSING.to_owned()),
        Query::Q2 => (in_turn(&read(data, TRIPS)?, devices), closing_line(query)),
        Query::Q3 => (meters(data, devices)?, METER_CLOSING.to_owned()),
        Query::Q4 => (in_turn(&read(data, POSTS)?, devices), closing_line(query)),
    };
    let most_lines = dealt.iter().map(Vec::len).max().unwrap_or(0) as u64;
    let write = |(number, rows): (usize, &mut Vec<String>)| {
        rows.push(closing.clone());
        let file = dir.join(format!("rows-{number}.csv"));
        fs::write(&file, rows.join("\n") + "\n")?;
        Ok(file)
    };
    let files = dealt.iter_mut().enumerate().map(write).collect::<Result<_>>()?;
    Ok(Data { files, most_lines })
}

fn read(data: &Path, name: &str) -> Result<String> {
    let file = data.join(name);
    let what = || format!("--data {}: {name} can't be read", data.display());
    // Some texts are not UTF-8; what is replaced here is replaced for both sides of the comparison.
    let bytes = fs::read(&file).with_context(what)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The closing line of a generator that has played nothing: long after data of a few days.
fn closing_line(query: Query) -> String {
    let mut line = Vec::new();
    query.generator(0, 0).closing_line(&mut line);
    String::from_utf8_lossy(&line).into_owned()
}

/// Lines that are in order, dealt in turn.
fn in_turn(text: &str, devices: usize) -> Vec<Vec<String>> {
    let mut dealt = vec![Vec::new(); devices];
    for (number, line) in text.lines().enumerate() {
        dealt[number % devices].push(line.to_owned());
    }
    dealt
}

/// The rows of each state together, by their day.
fn air(data: &Path, dir: &Path, devices: usize) -> Result<Vec<Vec<String>>> {
    let archive = data.join(AIR_ARCHIVE);
    ensure!(archive.exists(), "--data {}: there is no {AIR_ARCHIVE}", data.display());
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&archive).arg(dir))?;
    let text = read(dir, AIR_TABLE)?;
    fs::remove_file(dir.join(AIR_TABLE))?;
    let mut dealt: Vec<Vec<(&str, &str)>> = vec![Vec::new(); devices];
    for line in text.lines().skip(1) {
        let state: usize = column(line, 0).and_then(|state| state.parse().ok()).unwrap_or(0);
        dealt[state % devices].push((column(line, AIR_DAY).unwrap_or_default(), line));
    }
    Ok(dealt.into_iter().map(by_time).collect())
}

/// The readings of each device's households together, by their half hour.
fn meters(data: &Path, devices: usize) -> Result<Vec<Vec<String>>> {
    let assignment = read(data, METERS_OF_DEVICES)?;
    let mut texts: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for line in assignment.lines().skip(1) {
        let (Some(device), Some(household)) = (column(line, 0), column(line, 1)) else { continue };
        let device: usize =
            device.parse().with_context(|| format!("{METERS_OF_DEVICES}: {line}"))?;
        let text = read(data, &format!("{METERS}/{household}.csv"))?;
        texts.entry((device - 1) % devices).or_default().push(text);
    }
    let rows_of = |device| {
        let texts = texts.get(&device).map(Vec::as_slice).unwrap_or_default();
        let rows = texts.iter().flat_map(|text| text.lines().skip(1));
        by_time(rows.map(|row| (column(row, 1).unwrap_or_default(), row)).collect())
    };
    Ok((0..devices).map(rows_of).collect())
}

/// Rows by their time, as text; those of one time keep their order.
fn by_time(mut rows: Vec<(&str, &str)>) -> Vec<String> {
    rows.sort_by_key(|(time, _)| *time);
    rows.into_iter().map(|(_, row)| row.to_owned()).collect()
}

/// A column of a CSV row without its quotes.
fn column(line: &str, at: usize) -> Option<&str> {
    let mut quoted = false;
    let columns = line.split(|c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    });
    columns.skip(at).map(|column| column.trim_matches('"')).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_behind_quoted_commas() {
        assert_eq!(column("\"01\",\"a, b\",3", 2), Some("3"));
        assert_eq!(column("\"01\",\"a, b\",3", 1), Some("a, b"));
        assert_eq!(column(AIR_CLOSING, AIR_DAY), Some("2013-12-31"));
        assert_eq!(column(AIR_CLOSING, 28), Some("2014-01-01"));
        assert_eq!(column(AIR_CLOSING, 29), None);
    }
}
