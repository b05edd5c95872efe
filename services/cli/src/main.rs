//! The `sluice` command: what people and scripts do with Sluice.

mod args;
mod artifacts;
mod audit;
mod candidate;
mod cluster;
mod commands;
mod compare;
mod context;
mod controller;
mod decoder;
mod deployment;
mod device_file;
mod flink;
mod generation;
mod holes;
mod java;
mod job;
mod native;
mod order;
mod plan;
mod problems;
mod publish;
mod render;
mod residual;
mod rows;
mod table;
mod verdict;

use std::process::ExitCode;

use args::{Cli, Command};
use clap::Parser as _;
use commands::{
    artifacts as artifact_store, certificates, check, compose, deploy, device, explain,
    explain_route, feed, history, init, ping, route, skip, status, tail, top, topic, undeploy,
    verify,
};
use context::Context;
use sluice_runtime::exit;

/// A verdict that is no pass.
const VERDICT_FAIL: u8 = 1;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are errors to clap, but not to us. Nothing can be done if printing fails.
            let _ = error.print();
            return if error.use_stderr() { exit::USAGE.into() } else { ExitCode::SUCCESS };
        }
    };
    let done = Context::new(cli.services, cli.json).and_then(|context| run(&context, cli.command));
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => VERDICT_FAIL.into(),
        Err(error) => exit::report("sluice", Err(error)),
    }
}

/// Runs a command. Returns false only for a verdict that is no pass.
fn run(context: &Context, command: Command) -> anyhow::Result<bool> {
    match command {
        Command::Init(options) => init::run(context, &options)?,
        Command::Explain(options) => explain::run(context, &options)?,
        Command::Check(options) => return check::run(context, &options),
        Command::Deploy(options) => deploy::run(context, &options)?,
        Command::Compose(options) => compose::run(context, &options)?,
        Command::Undeploy(options) => undeploy::run(context, &options)?,
        Command::Artifacts(command) => artifact_store::run(context, &command)?,
        Command::Device(command) => device::run(context, &command)?,
        Command::Route(options) => route::run(context, options)?,
        Command::Skip(options) => skip::run(context, &options)?,
        Command::Status(options) => status::run(context, &options)?,
        Command::Tail(options) => tail::run(context, &options)?,
        Command::Verify(options) => return verify::run(context, &options),
        Command::Feed(options) => feed::run(context, &options)?,
        Command::Top(options) => top::run(context, &options)?,
        Command::ExplainRoute(options) => explain_route::run(context, &options)?,
        Command::Whatif(options) => explain_route::run_what_if(context, &options)?,
        Command::History(options) => history::run(context, &options)?,
        Command::Topic(command) => topic::run(context, &command)?,
        Command::Certificates(options) => certificates::run(context, &options)?,
        Command::Ping(options) => ping::run(context, &options)?,
    }
    Ok(true)
}
