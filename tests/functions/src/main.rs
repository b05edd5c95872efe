//! Prints what becomes of each stateless function of a job: refused, equal or unequal, and why.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use sluice_functions::{Captured, Said, tools};
use sluice_gate::Limits;

#[derive(Parser)]
struct Options {
    /// The job's jar.
    jar: PathBuf,
    /// The class with `main`.
    #[arg(long)]
    main: Option<String>,
    /// A capture that was made before.
    #[arg(long)]
    capture: Option<PathBuf>,
    /// Events for each function.
    #[arg(long, default_value_t = 1_000)]
    events: usize,
    /// Chooses them.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Arguments of `main`.
    #[arg(last = true)]
    args: Vec<String>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let folder = tempfile::tempdir()?;
    let tools = tools::tools(folder.path())?;
    let captured = match &options.capture {
        Some(file) => Captured::read(&options.jar, file)?,
        None => {
            let mut line = vec![options.main.as_deref().unwrap_or_default()];
            line.extend(options.args.iter().map(String::as_str));
            Captured::of_jar(&tools, &options.jar, &line, folder.path())?
        }
    };
    let sidecar = tools.sidecar(&folder.path().join("host"));
    let limits =
        Limits { time: Duration::from_secs(20), generated: options.events, ..Limits::default() };
    let translator = captured.translator();
    for (name, said) in captured.judge(&translator, &sidecar, &limits, options.seed)? {
        let (word, why) = match said {
            Said::Refused(why) => ("refused", why),
            Said::Equal(events) => ("equal", events.to_string()),
            Said::Unequal(why) => ("unequal", why),
            Said::Uncertain(why) => ("uncertain", why),
        };
        println!("{name}\t{word}\t{}", why.replace(['\n', '\t'], " "));
    }
    Ok(())
}
