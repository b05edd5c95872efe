//! What a fresh machine lacks: system packages, and downloads kept in the cache.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::paths;
use crate::process::run;

/// The Maven plugin that fetches, by its full name, so that every machine runs the same one.
const FETCHER: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";
/// An older one for an archive whose parent is not published: the newer refuses it.
const LENIENT_FETCHER: &str = "org.apache.maven.plugins:maven-dependency-plugin:2.8";
const KAFKA_POM: &str = include_str!("../assets/kafka.xml");
const APICURIO: &str = "io.apicurio:apicurio-registry-app:3.0.9:tar.gz:all";

/// A program that must be there, and the Debian package that brings it.
const PROGRAMS: [(&str, &str); 6] = [
    ("g++", "g++"),
    ("make", "make"),
    ("python3", "python3"),
    ("javac", "openjdk-17-jdk-headless"),
    ("mvn", "maven"),
    ("tar", "tar"),
];
/// What tests need beside that.
const TEST_PROGRAMS: [(&str, &str); 3] =
    [("openssl", "openssl"), ("mosquitto", "mosquitto"), ("pip3", "python3-pip")];
/// What a Docker engine of our own and the stand-ins of images need.
const DOCKER_PROGRAMS: [(&str, &str); 8] = [
    ("dockerd", "docker.io"),
    ("docker", "docker.io"),
    ("iptables", "iptables"),
    ("ip", "iproute2"),
    ("debootstrap", "debootstrap"),
    ("prometheus", "prometheus"),
    ("mosquitto", "mosquitto"),
    ("mosquitto_pub", "mosquitto-clients"),
];
/// Compose is in no Debian release that has the engine: it is built from its module.
const COMPOSE: &str = "v2.40.3";
const COMPOSE_MODULE: &str = "github.com/docker/compose/v2";
const GRAFANA_TYPES: [&str; 2] = ["@grafana/schema@12.2.1", "typescript@5.9.3"];
const DEBIAN: &str = "bookworm";
/// The package whose scores q4 must reproduce.
const VADER: &str = "vaderSentiment==3.3.2";

/// Installs everything that is missing; says a line for each thing it does and nothing when all is there.
pub fn all() -> Result<()> {
    services()?;
    flink()
}

/// What only tests need: everything else, an MQTT broker, which no test expects to run, and the package that q4 is compared with.
pub fn for_tests() -> Result<()> {
    all()?;
    let _lock = prepare()?;
    let had_broker = is_there("mosquitto");
    packages(&TEST_PROGRAMS)?;
    if !had_broker && is_there("systemctl") {
        // Where there is a service manager, the package has started it.
        let _ =
            Command::new("systemctl").args(["disable", "--now", "--quiet", "mosquitto"]).status();
    }
    kept(&vader(), VADER, |dir| {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]);
        run(pip.arg(dir).arg(VADER).stdout(std::io::stderr()))
    })
}

/// A Docker engine, compose, and a Debian to build images on.
pub fn docker() -> Result<()> {
    let _lock = prepare()?;
    let had: Vec<bool> = DOCKER_PROGRAMS.iter().map(|(program, _)| is_there(program)).collect();
    packages(&DOCKER_PROGRAMS)?;
    if is_there("systemctl") {
        // Where there is a service manager, packages have started what nobody asked for.
        let new = DOCKER_PROGRAMS.iter().zip(had).filter(|(_, had)| !had);
        for ((_, package), _) in new {
            let service = package.trim_end_matches(".io").trim_end_matches("-clients");
            let mut disable = Command::new("systemctl");
            let _ = disable.args(["disable", "--now", "--quiet", service]).status();
        }
    }
    kept(&paths::cache().join("docker-compose"), COMPOSE, |dir| {
        ensure!(
            is_there("go"),
            "docker compose is built from source, which needs go (1.24 or newer)"
        );
        fs::write(dir.join("go.mod"), "module compose\n\ngo 1.24\n")?;
        let go = || {
            let mut go = Command::new("go");
            go.current_dir(dir).env("CGO_ENABLED", "0").stdout(std::io::stderr());
            go
        };
        run(go().args(["get", &format!("{COMPOSE_MODULE}/cmd@{COMPOSE}")]))?;
        let flags = format!("-s -w -X {COMPOSE_MODULE}/internal.Version={COMPOSE}");
        run(go()
            .args(["build", "-mod=mod", "-trimpath", "-o", "docker-compose", "-ldflags", &flags])
            .arg(format!("{COMPOSE_MODULE}/cmd")))
    })?;
    kept(&paths::cache().join("debian"), DEBIAN, |dir| {
        let root = dir.join("root");
        let mut debootstrap = Command::new("debootstrap");
        debootstrap.args(["--variant=minbase", "--include=ca-certificates", DEBIAN]).arg(&root);
        run(debootstrap.stdout(Stdio::null()))?;
        run(Command::new("tar")
            .arg("-C")
            .arg(&root)
            .arg("-cf")
            .arg(dir.join("root.tar"))
            .arg("."))?;
        Ok(fs::remove_dir_all(root)?)
    })
}

/// The types of Grafana's dashboards, and the compiler that checks by them.
pub fn grafana_schema() -> Result<()> {
    let _lock = prepare()?;
    packages(&[("npm", "npm")])?;
    kept(&grafana_types(), &GRAFANA_TYPES.join(" "), |dir| {
        // Without one, npm would install into a folder above that has one.
        fs::write(dir.join("package.json"), "{\"private\": true}\n")?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]);
        run(npm.args(GRAFANA_TYPES).current_dir(dir).stdout(std::io::stderr()))
    })
}

/// Where they lie.
pub fn grafana_types() -> PathBuf {
    paths::cache().join("grafana-types")
}

/// Compose as a program of its own.
pub fn docker_compose() -> PathBuf {
    paths::cache().join("docker-compose/docker-compose")
}

/// A Debian root file system, packed.
pub fn debian() -> PathBuf {
    paths::cache().join("debian/root.tar")
}

/// Where the package that q4 is compared with lies.
pub fn vader() -> PathBuf {
    paths::cache().join("vader")
}

/// The jars of Flink, for jobs that run in a Flink of their own.
pub fn flink() -> Result<()> {
    flink_jars("pom.xml", &paths::cache().join("flink"))
}

/// The same with what makes clusters of them.
pub fn flink_cluster() -> Result<()> {
    flink_jars("cluster.xml", &paths::cache().join("flink-cluster"))
}

fn flink_jars(pom: &str, dir: &Path) -> Result<()> {
    let _lock = prepare()?;
    let runtime = paths::root().join("rewriter/flink/runtime");
    let read = |pom: &str| {
        let pom = runtime.join(pom);
        fs::read_to_string(&pom).with_context(|| format!("can't read {}", pom.display()))
    };
    let key = if pom == "pom.xml" { read(pom)? } else { read("pom.xml")? + &read(pom)? };
    kept(dir, &key, |dir| copy_dependencies(&runtime.join(pom), &dir.join("libs")))
}

/// Kafka and the schema registry.
pub fn services() -> Result<()> {
    let _lock = prepare()?;
    let cache = paths::cache();
    kept(&cache.join("kafka"), KAFKA_POM, |dir| {
        let pom = dir.join("pom.xml");
        fs::write(&pom, KAFKA_POM)?;
        copy_dependencies(&pom, &dir.join("libs"))
    })?;
    kept(&cache.join("apicurio"), APICURIO, |dir| {
        let mut copy = maven(&format!("{LENIENT_FETCHER}:copy"));
        run(copy
            .arg(format!("-Dartifact={APICURIO}"))
            .arg(format!("-DoutputDirectory={}", dir.display())))?;
        let archive = find(dir, ".tar.gz")?;
        run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(dir))?;
        Ok(fs::remove_file(archive)?)
    })
}

/// System packages and the cache folder. Two tasks on one machine take turns: the lock is held until the file is closed.
fn prepare() -> Result<File> {
    packages(&PROGRAMS)?;
    let cache = paths::cache();
    fs::create_dir_all(&cache)
        .with_context(|| format!("can't create the cache folder {}", cache.display()))?;
    let lock = File::create(cache.join("lock"))?;
    lock.lock()?;
    Ok(lock)
}

/// The one file of `dir` whose name ends so.
pub fn find(dir: &Path, ending: &str) -> Result<std::path::PathBuf> {
    let entries = fs::read_dir(dir).with_context(|| format!("can't read {}", dir.display()))?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let found = paths.find(|path| path.to_string_lossy().ends_with(ending));
    found.with_context(|| format!("no *{ending} in {}", dir.display()))
}

/// Makes a folder once per `key`. The stamp is written last, so an interrupted making is made again.
fn kept(dir: &Path, key: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let stamp = dir.join("complete");
    if fs::read_to_string(&stamp).is_ok_and(|made| made == key) {
        return Ok(());
    }
    eprintln!("install: {}", dir.display());
    if dir.exists() {
        fs::remove_dir_all(dir)?;
    }
    fs::create_dir_all(dir)?;
    make(dir).with_context(|| format!("can't install {}", dir.display()))?;
    Ok(fs::write(stamp, key)?)
}

fn copy_dependencies(pom: &Path, libs: &Path) -> Result<()> {
    let mut copy = maven(&format!("{FETCHER}:copy-dependencies"));
    copy.arg("-f")
        .arg(pom)
        .arg("-DincludeScope=runtime")
        .arg(format!("-DoutputDirectory={}", libs.display()));
    run(&mut copy)?;
    find(libs, ".jar").map(|_| ())
}

fn maven(goal: &str) -> Command {
    let mut maven = Command::new("mvn");
    maven.args(["-B", "-q", "-Dstyle.color=never", goal]).stdout(std::io::stderr());
    maven
}

/// Installs the packages of those programs that are missing.
fn packages(programs: &[(&str, &str)]) -> Result<()> {
    let missing: Vec<&str> = programs
        .iter()
        .filter(|(program, _)| !is_there(program))
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let wanted = missing.join(" ");
    if !is_there("apt-get") || !is_root() {
        bail!(
            "missing on this machine: {wanted}; install them, on Debian by: sudo apt-get install {wanted}"
        );
    }
    eprintln!("install: {wanted}");
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        run(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()))
    };
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], &missing[..]].concat())?;
    for (program, package) in programs {
        ensure!(is_there(program), "{package} is installed, but there is no {program} on the path");
    }
    Ok(())
}

fn is_there(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_making_is_made_again_and_a_complete_one_is_kept() {
        let cache = tempfile::tempdir().unwrap();
        let dir = cache.path().join("thing");
        let interrupted = kept(&dir, "v1", |dir| {
            fs::write(dir.join("half"), "")?;
            bail!("interrupted")
        });
        assert!(interrupted.is_err());
        kept(&dir, "v1", |dir| Ok(fs::write(dir.join("whole"), "")?)).unwrap();
        assert!(!dir.join("half").exists() && dir.join("whole").exists());
        kept(&dir, "v1", |_| bail!("made twice")).unwrap();
        kept(&dir, "v2", |dir| Ok(fs::write(dir.join("newer"), "")?)).unwrap();
        assert!(!dir.join("whole").exists() && dir.join("newer").exists());
    }
}
