//! The EPA's file of daily PM2.5 readings, dealt to the devices by state and put in order of time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::run;

/// The file of 2012, as the EPA offers it.
const ARCHIVE: &str = "daily_88101_2012.zip";
const TABLE: &str = "daily_88101_2012.csv";
/// The column with the day, `yyyy-mm-dd`.
const DAY: usize = 11;
/// A valid row of a site of its own, long after the others: it ends a device's stream.
const CLOSING: &str = "\"99\",\"999\",\"9999\",\"88101\",1,0.0,0.0,\"WGS84\",\"PM2.5 - Local Conditions\",\"24 HOUR\",\
    \"PM25 24-hour 2012\",\"2013-12-31\",\"Micrograms/cubic meter (LC)\",\"None\",1,100.0,1.0,1.0,0,4,\"120\",\"-\",\"closing\",\
    \"-\",\"-\",\"-\",\"-\",\"-\",\"2014-01-01\"";

/// The lines of each device in files of their own, and how many the longest has.
pub(super) struct Data {
    /// A file per device.
    pub(super) files: Vec<PathBuf>,
    /// Lines of the longest file.
    pub(super) most_lines: u64,
}

/// Deals the rows of the file in the folder `data` to `devices` files in `dir`.
pub(super) fn deal(data: &Path, dir: &Path, devices: usize) -> Result<Data> {
    let archive = data.join(ARCHIVE);
    ensure!(archive.exists(), "--data {}: there is no {ARCHIVE}", data.display());
    fs::create_dir_all(dir)?;
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&archive).arg(dir))?;
    let table = dir.join(TABLE);
    let text = fs::read_to_string(&table).with_context(|| table.display().to_string())?;
    fs::remove_file(&table)?;
    let mut dealt: Vec<Vec<(&str, &str)>> = vec![Vec::new(); devices];
    for line in text.lines().skip(1) {
        let state: usize = column(line, 0).and_then(|state| state.parse().ok()).unwrap_or(0);
        dealt[state % devices].push((column(line, DAY).unwrap_or_default(), line));
    }
    let most_lines = dealt.iter().map(Vec::len).max().unwrap_or(0) as u64;
    let write = |(number, mut rows): (usize, Vec<(&str, &str)>)| {
        // Stable: within a day the rows keep the file's order.
        rows.sort_by_key(|(day, _)| *day);
        let lines: String = rows.iter().map(|(_, line)| format!("{line}\n")).collect();
        let file = dir.join(format!("rows-{number}.csv"));
        fs::write(&file, format!("{lines}{CLOSING}\n"))?;
        Ok(file)
    };
    let files = dealt.into_iter().enumerate().map(write).collect::<Result<_>>()?;
    Ok(Data { files, most_lines })
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
        assert_eq!(column(CLOSING, DAY), Some("2013-12-31"));
        assert_eq!(column(CLOSING, 28), Some("2014-01-01"));
        assert_eq!(column(CLOSING, 29), None);
    }
}
