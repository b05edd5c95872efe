//! Flink in a JVM of its own, for what only Java can do: capturing a job.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use clap::Args;
use sluice_check::tools::OPENS;
use sluice_runtime::exit::Failure;

/// What makes a short run of a JVM short.
const SHORT_RUN: [&str; 3] =
    ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true"];

/// Where Java, Flink and Sluice's own jar are.
#[derive(Debug, Clone, Args)]
pub struct Java {
    /// The program that runs Java 17 or newer.
    #[arg(long, env = "SLUICE_JAVA", value_name = "PROGRAM", default_value = "java")]
    pub java: PathBuf,
    /// The folder with Flink's jars (`lib` of a Flink distribution).
    #[arg(long, env = "SLUICE_FLINK_LIB", value_name = "DIR")]
    pub flink: Option<PathBuf>,
    /// Sluice's jar for Flink, `sluice-flink.jar`.
    #[arg(long, env = "SLUICE_FLINK_JAR", value_name = "JAR")]
    pub runtime: Option<PathBuf>,
}

impl Java {
    /// Sluice's jar for Flink.
    ///
    /// # Errors
    /// Not given, or not there (exit code 64).
    pub fn runtime_jar(&self) -> Result<&Path> {
        let jar = self.runtime.as_deref().ok_or_else(|| {
            Failure::usage("say where sluice-flink.jar is, with --runtime or SLUICE_FLINK_JAR")
        })?;
        if !jar.is_file() {
            return Err(Failure::usage(format!("--runtime {}: no such file", jar.display())));
        }
        Ok(jar)
    }

    /// The folder with Flink's jars.
    ///
    /// # Errors
    /// Not given, or without jars (exit code 64).
    pub fn flink_lib(&self) -> Result<&Path> {
        let lib = self.flink.as_deref().ok_or_else(|| {
            Failure::usage("say where Flink's jars are, with --flink or SLUICE_FLINK_LIB")
        })?;
        let mut entries = std::fs::read_dir(lib).into_iter().flatten().flatten();
        if !entries.any(|entry| entry.path().extension().is_some_and(|e| e == "jar")) {
            return Err(Failure::usage(format!("--flink {}: no jars there", lib.display())));
        }
        Ok(lib)
    }

    /// A JVM that runs `main` with Flink, Sluice's jar and `jars`; its temporary files go to `scratch`.
    ///
    /// # Errors
    /// Settings that are missing or wrong (exit code 64).
    pub fn command(&self, main: &str, jars: &[&Path], scratch: &Path) -> Result<Command> {
        let (runtime, flink) = (self.runtime_jar()?, self.flink_lib()?.join("*"));
        let mut path = OsString::from(runtime);
        for entry in jars.iter().copied().chain([flink.as_path()]) {
            path.push(":");
            path.push(entry);
        }
        let mut temporary = OsString::from("-Djava.io.tmpdir=");
        temporary.push(scratch);
        let mut command = Command::new(&self.java);
        command.args(SHORT_RUN).args(OPENS).arg(temporary).arg("-cp").arg(path).arg(main);
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_its_option() {
        let dir = tempfile::tempdir().unwrap();
        let java = Java { java: "java".into(), flink: None, runtime: None };
        assert!(java.runtime_jar().unwrap_err().to_string().contains("--runtime"));
        assert!(java.flink_lib().unwrap_err().to_string().contains("--flink"));
        let (flink, runtime) = (Some(dir.path().to_owned()), Some(dir.path().join("x.jar")));
        let java = Java { flink, runtime, ..java };
        assert!(java.runtime_jar().unwrap_err().to_string().ends_with("no such file"));
        assert!(java.flink_lib().unwrap_err().to_string().ends_with("no jars there"));
    }

    #[test]
    fn the_class_path_is_ours_then_the_jars_then_flink() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = dir.path().join("sluice-flink.jar");
        std::fs::write(&runtime, "").unwrap();
        let (flink, runtime) = (Some(dir.path().to_owned()), Some(runtime));
        let java = Java { java: "java".into(), flink, runtime };
        let command = java.command("a.Main", &[Path::new("job.jar")], dir.path()).unwrap();
        let args: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy()).collect();
        let at = args.iter().position(|arg| arg == "-cp").unwrap();
        let place = dir.path().display();
        assert_eq!(args[at + 1], format!("{place}/sluice-flink.jar:job.jar:{place}/*"));
        assert_eq!(args.last().unwrap(), "a.Main");
    }
}
