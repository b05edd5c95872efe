//! The Java side.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use sluice_check::tools::Tools;
use xtask::java::{FLINK, HOST, Project};
use xtask::{install, paths};

/// The jars of this tree, built if need be, unless the environment names others; JVMs leave what they must in `folder`.
///
/// # Errors
/// When something can't be installed or built.
pub fn tools(folder: &Path) -> Result<Tools> {
    let _alone = alone();
    install::flink()?;
    Ok(Tools {
        java: "java".into(),
        flink: env::var_os("SLUICE_FLINK_LIB").map_or_else(paths::flink_libs, PathBuf::from),
        runtime: given("SLUICE_FLINK_JAR", FLINK)?,
        host: given("SLUICE_HOST_JAR", HOST)?,
        tmp: folder.to_owned(),
    })
}

/// Two tests must not build the same jar at once.
fn alone() -> MutexGuard<'static, ()> {
    static BUILDING: Mutex<()> = Mutex::new(());
    BUILDING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn given(name: &str, project: Project) -> Result<PathBuf> {
    match env::var_os(name) {
        Some(jar) => Ok(jar.into()),
        None => project.build().map(|()| project.jar()),
    }
}

/// The job of an example, its jar built if need be.
///
/// # Errors
/// When it can't be built.
pub fn example(project: Project) -> Result<PathBuf> {
    let _alone = alone();
    project.build()?;
    Ok(project.jar())
}
