//! Building our Java parts, and the flags that every JVM of ours gets.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Result, ensure};

use crate::paths;
use crate::process::run;

/// A Maven project of this repository, by its folder and the jar that it makes.
#[derive(Clone, Copy, Debug)]
pub struct Project {
    /// The folder, relative to the root.
    pub dir: &'static str,
    jar: &'static str,
}

/// The query of the demo: an ordinary Flink program.
pub const Q1: Project = Project { dir: "examples/q1", jar: "q1.jar" };
/// Routes of taxis.
pub const Q2: Project = Project { dir: "examples/q2", jar: "q2.jar" };
/// Spikes of smart meters.
pub const Q3: Project = Project { dir: "examples/q3", jar: "q3.jar" };
/// The mood of messages.
pub const Q4: Project = Project { dir: "examples/q4", jar: "q4.jar" };
/// The frame source and the launcher of residual jobs.
pub const FLINK: Project = Project { dir: "rewriter/flink", jar: "sluice-flink.jar" };
/// The sidecar of the jvm engine, which shares sources with the one before.
pub const HOST: Project = Project { dir: "rewriter/flink/host", jar: "sluice-host.jar" };
/// Small jobs, each run split and unsplit by the tests.
pub const EQUIVALENCE: Project = Project { dir: "tests/equivalence/jobs", jar: "equivalence.jar" };

impl Project {
    /// The jar.
    pub fn jar(self) -> PathBuf {
        self.folder().join("target").join(self.jar)
    }

    /// Builds the jar when a source is newer than it.
    pub fn build(self) -> Result<()> {
        let jar = self.jar();
        let built =
            fs::metadata(&jar).and_then(|jar| jar.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        let mut sources = vec![
            self.folder().join("pom.xml"),
            self.folder().join("src"),
            paths::root().join("schemas"),
        ];
        if self.dir == HOST.dir {
            let shared = ["avro", "codec", "host"];
            sources.extend(
                shared.map(|part| FLINK.folder().join("src/main/java/dev/sluice").join(part)),
            );
        }
        if sources.iter().filter_map(|source| newest(source)).any(|changed| changed > built) {
            eprintln!("build: {}", self.dir);
            // Clean: the shade plugin would shade the previous shaded jar again.
            let mut package = self.maven("clean");
            run(package.args(["package", "-q", "-DskipTests"]).stdout(std::io::stderr()))?;
        }
        ensure!(jar.exists(), "{} made no {}", self.dir, jar.display());
        Ok(())
    }

    /// Maven in the folder of this project.
    pub fn maven(self, goal: &str) -> Command {
        let mut maven = Command::new("mvn");
        maven.args(["-B", "-Dstyle.color=never", goal]).current_dir(self.folder());
        maven
    }

    fn folder(self) -> PathBuf {
        paths::root().join(self.dir)
    }
}

/// A JVM with a heap of `heap_mb` and the classes of `class_path`; small, since several share a machine. What it leaves
/// behind lies in `dir`, and goes with it.
pub fn java(heap_mb: u32, class_path: &[PathBuf], dir: &Path) -> Command {
    let mut java = bare(dir);
    java.arg(format!("-Xms{heap_mb}m")).arg(format!("-Xmx{heap_mb}m"));
    java.args(["-XX:+UseSerialGC", "-Djava.awt.headless=true"]);
    java.arg("-cp").arg(join(class_path));
    java
}

/// A JVM without settings but for its temporary files, which lie in `dir`.
pub fn bare(dir: &Path) -> Command {
    let tmp = dir.join("tmp");
    // If it can't be made, the JVM says so with its first temporary file.
    let _ = fs::create_dir_all(&tmp);
    let mut java = Command::new("java");
    java.arg(format!("-Djava.io.tmpdir={}", tmp.display())).arg("-XX:-UsePerfData");
    java
}

/// What Flink needs opened on Java 17.
const FLINK_OPENS: [&str; 6] = [
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.net=ALL-UNNAMED",
    "--add-opens=java.base/java.time=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
];

/// A JVM that holds a whole Flink, and the classes of `jars`; it leaves behind what it must in the folder of `log4j2`.
pub fn flink(jars: &[PathBuf], log4j2: &Path) -> Command {
    let libs = [all_of(&paths::flink_libs())];
    let class_path: Vec<PathBuf> = jars.iter().cloned().chain(libs).collect();
    with_flink(&class_path, log4j2)
}

/// A JVM that becomes a part of a Flink cluster.
pub fn flink_cluster(log4j2: &Path) -> Command {
    with_flink(&[all_of(&paths::flink_cluster_libs())], log4j2)
}

fn with_flink(class_path: &[PathBuf], log4j2: &Path) -> Command {
    let dir = log4j2.parent().unwrap_or(Path::new("."));
    let mut java = java(512, class_path, dir);
    java.args(FLINK_OPENS).arg(format!("-Dlog4j2.configurationFile={}", log4j2.display()));
    java
}

/// All jars of a folder, as a class path entry.
pub fn all_of(libs: &Path) -> PathBuf {
    libs.join("*")
}

fn join(class_path: &[PathBuf]) -> OsString {
    let mut joined = OsString::new();
    for (i, entry) in class_path.iter().enumerate() {
        if i > 0 {
            joined.push(":");
        }
        joined.push(entry);
    }
    joined
}

/// When the newest file below `path` changed; none where there is no file.
fn newest(path: &Path) -> Option<SystemTime> {
    let changed = fs::metadata(path).ok()?.modified().ok()?;
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter_map(|entry| newest(&entry.path())).chain([changed]).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_file_is_found_at_any_depth() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::write(dir.path().join("old"), "").unwrap();
        fs::write(deep.join("new"), "").unwrap();
        let later = SystemTime::now() + std::time::Duration::from_secs(100);
        fs::File::options()
            .write(true)
            .open(deep.join("new"))
            .unwrap()
            .set_modified(later)
            .unwrap();
        assert_eq!(newest(dir.path()), Some(later));
        assert_eq!(newest(&dir.path().join("none")), None);
    }
}
