//! `cargo xtask bench`: measurements that are printed, not tested.

use anyhow::Result;

use crate::cargo::cargo;
use crate::process::run;

/// One core, no broker: the chain of Q1 from spooled lines to encoded frames, beside a hand-written loop.
pub fn path(arguments: &[String]) -> Result<()> {
    run(cargo("run")
        .args(["--release", "--quiet", "--package", "sluice-bench", "--"])
        .arg("path")
        .args(arguments))
}
