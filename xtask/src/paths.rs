//! Where things lie: the clone, and the cache outside it.

use std::env;
use std::path::{Path, PathBuf};

/// The root of the clone.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the clone")
}

/// Downloads and builds that outlive a clone: `$SLUICE_CACHE`, else the user's cache folder.
pub fn cache() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("SLUICE_CACHE")
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("sluice")))
        .or_else(|| Some(set("HOME")?.join(".cache/sluice")))
        .unwrap_or_else(|| env::temp_dir().join("sluice-cache"))
}

/// Where cargo builds: `$CARGO_TARGET_DIR`, else a folder of the cache.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| cache().join("target"), |dir| root().join(dir))
}

/// The jars of the Kafka broker and of its console tools.
pub fn kafka_libs() -> PathBuf {
    cache().join("kafka/libs")
}

/// The unpacked schema registry.
pub fn apicurio() -> PathBuf {
    cache().join("apicurio")
}

/// The jars of Flink, for jobs that run in a Flink of their own.
pub fn flink_libs() -> PathBuf {
    cache().join("flink/libs")
}

/// The jars of a Flink cluster.
pub fn flink_cluster_libs() -> PathBuf {
    cache().join("flink-cluster/libs")
}
