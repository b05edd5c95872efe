//! The Java programs that a check runs, and the flags that their JVMs get.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use sluice_engine::jvm::{Options, Sidecar};

/// As on a device.
const HOST_HEAP_MB: u32 = 64;
/// A frame must be done by then.
const HOST_DEADLINE: Duration = Duration::from_secs(30);

/// What Flink needs opened on Java 17.
pub const OPENS: [&str; 6] = [
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.net=ALL-UNNAMED",
    "--add-opens=java.base/java.time=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
];

/// Where the Java side is.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The `java` command.
    pub java: PathBuf,
    /// The folder of Flink's jars.
    pub flink: PathBuf,
    /// `sluice-flink.jar`.
    pub runtime: PathBuf,
    /// `sluice-host.jar`, which runs functions on devices.
    pub host: PathBuf,
    /// A folder for what JVMs leave behind.
    pub tmp: PathBuf,
}

impl Tools {
    /// A JVM with Flink and our classes, for one of our main classes.
    #[must_use]
    pub fn flink(&self, main_class: &str, heap_mb: u32) -> Command {
        let mut class_path = OsString::from(&self.runtime);
        class_path.push(":");
        class_path.push(self.flink.join("*"));
        let mut java = Command::new(&self.java);
        java.arg(format!("-Djava.io.tmpdir={}", self.tmp.display())).arg("-XX:-UsePerfData");
        java.arg(format!("-Xmx{heap_mb}m"));
        // They live for seconds: what the compiler would win late is lost early.
        java.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true"]);
        java.args(OPENS).arg("-cp").arg(class_path).arg(main_class);
        java
    }

    /// The process that executes the job's own functions, not started yet; its socket lies in `folder`.
    #[must_use]
    pub fn sidecar(&self, folder: &Path) -> Sidecar {
        let options = Options {
            java: self.java.clone(),
            host: self.host.clone(),
            heap_mb: HOST_HEAP_MB,
            deadline: HOST_DEADLINE,
            socket_dir: folder.to_owned(),
        };
        Sidecar::new(options, |_| ())
    }
}
