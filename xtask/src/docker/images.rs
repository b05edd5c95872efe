//! The images: how they are built, and what is promised about them.

use std::fs::File;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use super::checks::Checks;
use super::engine::Engine;
use super::script;
use crate::process::{output, run};
use crate::{install, paths};

/// A service's image, what it may take unpacked, and its program.
const IMAGES: [(&str, u64, &str); 5] = [
    ("edge", 25, "sluice-edge"),
    ("edge-jvm", 110, "sluice-edge"),
    ("replica", 110, "sluice-replica"),
    ("controller", 25, "sluice-controller"),
    ("cli", 500, "sluice"),
];
const USER: &str = "10001:10001";

/// The tag of our images.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Builds the stand-ins, then our images from programs that are built already.
pub(super) fn build(engine: &Engine) -> Result<()> {
    let mut standins = script("build.sh", "compose/offline");
    engine.reach(&mut standins);
    standins.env("BASE", install::debian()).env("KAFKA_LIBS", paths::kafka_libs());
    standins.env("FLINK_LIBS", paths::flink_cluster_libs()).env("APICURIO", paths::apicurio());
    run(standins.stdout(Stdio::null()))?;

    let packed = paths::target().join("images");
    let mut pack = script("pack.sh", "edge-image");
    pack.arg(paths::target()).arg(&packed).env("FLINK_LIBS", paths::flink_libs());
    run(&mut pack)?;
    let archive = packed.with_extension("tar");
    let mut tar = std::process::Command::new("tar");
    run(tar.arg("-C").arg(&packed).arg("-cf").arg(&archive).arg("."))?;
    let mut import = engine.docker(["import", "-", "sluice/binaries"]);
    run(import.stdin(File::open(&archive)?).stdout(Stdio::null()))?;
    std::fs::remove_file(&archive)?;

    let mut images = script("build.sh", "edge-image");
    engine.reach(&mut images);
    images.env("VERSION", VERSION).env("DOCKER_BUILDKIT", "0");
    run(images.stdout(Stdio::null()))
}

/// Sizes, users, labels, health checks and programs.
pub(super) fn check(engine: &Engine, checks: &mut Checks) {
    for (name, most_mb, program) in IMAGES {
        let image = format!("sluice/{name}:{VERSION}");
        checks.check(&format!("image {name} keeps what is promised"), || {
            is_as_promised(engine, &image, most_mb)?;
            answers_its_version(engine, &image, program)
        });
    }
    checks.check("an image for 32-bit ARM is refused", || {
        let mut pack = script("pack.sh", "edge-image");
        pack.args(["target", "out", "armv7-unknown-linux-gnueabihf"]);
        let output = pack.output().context("can't start pack.sh")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() == Some(64) && said.contains("only 64-bit"), "{said}");
        Ok(())
    });
}

fn is_as_promised(engine: &Engine, image: &str, most_mb: u64) -> Result<()> {
    let bytes: u64 = engine.inspect(image, "{{.Size}}")?.parse()?;
    ensure!(bytes <= most_mb * 1_000_000, "{} MB, {most_mb} are allowed", bytes / 1_000_000);
    println!("  {image}: {:.1} MB", bytes as f64 / 1e6);
    let user = engine.inspect(image, "{{.Config.User}}")?;
    ensure!(user == USER, "its user is {user}, not {USER}");
    for label in ["title", "description", "licenses", "version", "revision"] {
        let template = format!("{{{{index .Config.Labels \"org.opencontainers.image.{label}\"}}}}");
        ensure!(!engine.inspect(image, &template)?.is_empty(), "no label {label}");
    }
    let health = engine.inspect(image, "{{json .Config.Healthcheck}}")?;
    ensure!(health != "null" || image.contains("/cli:"), "no health check");
    Ok(())
}

/// As strictly confined as compose runs it.
fn answers_its_version(engine: &Engine, image: &str, program: &str) -> Result<()> {
    let confined = ["run", "--rm", "--read-only", "--cap-drop", "ALL", "--network", "none"];
    let said = output(engine.docker(confined).args([image, "--version"]))?;
    let expected = format!("{program} {VERSION}");
    ensure!(said.trim() == expected, "--version says {said:?}, not {expected:?}");
    Ok(())
}
