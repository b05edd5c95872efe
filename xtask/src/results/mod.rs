//! `cargo xtask results`: what each query gives and what each of its cuts costs, as a page of the documentation.

mod costs;
mod page;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use sluice_generators::Query;

use crate::case::Case;
use crate::demo::{self, Verdict};
use costs::Costs;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// The queries, in the order of the page.
    pub queries: Vec<Query>,
    /// A folder with a folder of public data for each query, `q1` and so on; those that are missing are generated.
    pub data: Option<PathBuf>,
    /// Leaves the demos out.
    pub cuts_only: bool,
    /// How long a demo plays generated events, seconds.
    pub seconds: u32,
    /// Lines of each device by which cuts are measured.
    pub lines: u64,
    /// The scratch folder.
    pub dir: PathBuf,
    /// The page.
    pub out: PathBuf,
}

/// What came of one query.
struct Outcome {
    case: &'static Case,
    /// Whether public data was played.
    is_public: bool,
    /// None where no demo was played.
    verdict: Option<Verdict>,
    costs: Costs,
}

fn play(
    query: Query,
    options: &Options,
    data: Option<PathBuf>,
    say: &mut dyn FnMut(&str),
) -> Result<Verdict> {
    say(&format!("== {query}: split, switched and unsplit"));
    let (seconds, dir) = (options.seconds, options.dir.clone());
    let demo_options = demo::Options { query, seconds, dir, data, ..demo::Options::default() };
    let verdict = demo::run(&demo_options, say)?;
    say(&verdict.to_string());
    ensure!(verdict.is_pass(), "the demo of {query} is no pass: nothing was written");
    Ok(verdict)
}

/// Plays and measures every query, and writes the page. Nothing is written when a demo fails.
pub fn run(options: &Options, say: &mut dyn FnMut(&str)) -> Result<()> {
    let mut outcomes = Vec::new();
    for &query in &options.queries {
        let data = options.data.as_ref().map(|data| data.join(query.name()));
        let data = data.filter(|folder| folder.is_dir());
        let verdict = match options.cuts_only {
            true => None,
            false => Some(play(query, options, data.clone(), say)?),
        };
        say(&format!("== {query}: each cut by itself"));
        let case = Case::of(query);
        demo::build(case)?;
        let costs = costs::measure(case, data.as_deref(), options.lines, &options.dir, say)?;
        outcomes.push(Outcome { case, is_public: data.is_some(), verdict, costs });
    }
    fs::write(&options.out, page::text(options, &outcomes))
        .with_context(|| format!("can't write {}", options.out.display()))
}
