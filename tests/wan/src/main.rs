//! `sluice-wan`: relays in a process of their own, for stacks that are left running.

use std::net::{SocketAddr, TcpListener};

use anyhow::{Context, Result, bail, ensure};
use sluice_wan::{Relay, control};

const USAGE: &str = "usage: sluice-wan --relay NAME=LISTEN,UPSTREAM [--relay ...] [--say LINE ...] --control ADDRESS";

fn main() -> Result<()> {
    let mut relays = Vec::new();
    let mut said = Vec::new();
    let mut control_address = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().with_context(|| format!("{flag} needs a value; {USAGE}"))?;
        match flag.as_str() {
            "--relay" => relays.push(start(&value).with_context(|| format!("--relay {value}"))?),
            "--say" => said.push(value),
            "--control" => control_address = Some(address(&value).context("--control")?),
            _ => bail!("unknown flag {flag}; {USAGE}"),
        }
    }
    ensure!(!relays.is_empty(), "no --relay; {USAGE}");
    let control_address = control_address.with_context(|| format!("no --control; {USAGE}"))?;
    let listener = TcpListener::bind(control_address)
        .with_context(|| format!("--control {control_address}"))?;
    println!("control {}", listener.local_addr()?);
    for (name, relay) in &relays {
        println!("{name} {}", relay.address());
    }
    let links = relays.iter().map(|(name, relay)| (name.clone(), relay.link())).collect();
    for line in said {
        // As if a client had said it.
        let answer = control::answer(&links, &line);
        ensure!(answer.ends_with("ok\n"), "--say {line}: {}", answer.trim_end());
    }
    Ok(control::serve(&listener, &links)?)
}

fn start(text: &str) -> Result<(String, Relay)> {
    let parts = text.split_once('=').and_then(|(name, rest)| Some((name, rest.split_once(',')?)));
    let (name, (listen, upstream)) = parts.context("is not NAME=LISTEN,UPSTREAM")?;
    Ok((name.to_owned(), Relay::start(address(listen)?, upstream)?))
}

fn address(text: &str) -> Result<SocketAddr> {
    text.parse().with_context(|| format!("{text} is no address of the form 127.0.0.1:9092"))
}
