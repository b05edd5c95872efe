//! The sections `[jvm]` and `[artifacts]` of a service's configuration.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sluice_runtime::config::Config;

/// A heap in which no function runs.
const LEAST_HEAP_MB: u32 = 16;

/// Where the host and the files of jobs are. What is not set is only missed when a deployed operator needs it.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// `jvm.java`: the program.
    pub java: PathBuf,
    /// `jvm.host`: `sluice-host.jar`.
    pub host: Option<PathBuf>,
    /// `jvm.heap_mb`: the most memory for objects.
    pub heap_mb: u32,
    /// `jvm.deadline_ms`: how long a frame may take.
    pub deadline: Duration,
    /// `jvm.dir`: where the host's socket lies; of this process alone.
    pub dir: Option<PathBuf>,
    /// `artifacts.url`: the store.
    pub url: Option<String>,
    /// `artifacts.dir`: what was fetched; of this process alone.
    pub artifacts: Option<PathBuf>,
    /// `artifacts.max_bytes`: of all that was fetched.
    pub max_bytes: u64,
}

impl Settings {
    /// Reads the two sections; folders that are not set lie in `data_dir`.
    pub fn read(config: &mut Config, data_dir: Option<&Path>) -> Self {
        // No query has a name that begins so: their folders lie beside these.
        let within = |name: &str| data_dir.map(|dir| dir.join(format!("_{name}")));
        let jvm = config.section("jvm");
        let java = jvm.or("java", PathBuf::from("java"));
        let host = jvm.optional("host");
        let heap_mb = jvm.or("heap_mb", 64);
        if heap_mb < LEAST_HEAP_MB {
            jvm.problem(
                "heap_mb",
                format!("{heap_mb} is too small; at least {LEAST_HEAP_MB} is needed"),
            );
        }
        let deadline_ms = jvm.or("deadline_ms", 10_000);
        if deadline_ms == 0 {
            jvm.problem("deadline_ms", "must be positive");
        }
        let dir = jvm.optional("dir").or_else(|| within("jvm"));
        drop(jvm);
        let artifacts = config.section("artifacts");
        Self {
            java,
            host,
            heap_mb,
            deadline: Duration::from_millis(deadline_ms),
            dir,
            url: artifacts.optional("url"),
            artifacts: artifacts.optional("dir").or_else(|| within("artifacts")),
            max_bytes: artifacts.or("max_bytes", 2 << 30),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Settings> {
        let mut config = Config::parse(text, "edge.toml", std::iter::empty())?;
        let settings = Settings::read(&mut config, Some(Path::new("data")));
        config.finish()?;
        Ok(settings)
    }

    #[test]
    fn nothing_must_be_set() {
        let settings = read("").unwrap();
        assert_eq!(settings.java, Path::new("java"));
        assert_eq!((settings.heap_mb, settings.deadline), (64, Duration::from_secs(10)));
        assert_eq!(settings.dir.as_deref(), Some(Path::new("data/_jvm")));
        assert_eq!(settings.artifacts.as_deref(), Some(Path::new("data/_artifacts")));
        assert_eq!((settings.host, settings.url), (None, None));
    }

    #[test]
    fn what_can_not_be_is_said() {
        let text = "[jvm]\nheap_mb = 3\ndeadline_ms = 0\nx = 1";
        let error = read(text).unwrap_err().to_string();
        for part in ["jvm.heap_mb: 3 is too small", "jvm.deadline_ms: must be", "jvm.x: unknown"] {
            assert!(error.contains(part), "{part} not in {error}");
        }
    }
}
