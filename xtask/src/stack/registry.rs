//! The schema registry: Apicurio, in memory, through its Confluent API.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::java::bare;
use crate::{http, install, paths};

pub(super) const CONFLUENT_API: &str = "/apis/ccompat/v7";

/// The registry's process, at a port for clients and one for its management.
pub(super) fn command(port: u16, management_port: u16, dir: &Path) -> Result<Command> {
    let mut java = bare(dir);
    java.args([
        "-Xms64m",
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:MaxMetaspaceSize=192m",
    ]);
    java.args([
        "-Dquarkus.http.host=127.0.0.1",
        "-Dquarkus.management.host=127.0.0.1",
        "-Dquarkus.log.level=WARN",
    ]);
    java.arg(format!("-Dquarkus.http.port={port}"));
    java.arg(format!("-Dquarkus.management.port={management_port}"));
    java.arg("-jar").arg(install::find(&paths::apicurio(), "-runner.jar")?);
    java.env("APICURIO_STORAGE_KIND", "sql").env("APICURIO_STORAGE_SQL_KIND", "h2");
    Ok(java)
}

/// Whether the registry lists its subjects.
pub(super) fn is_ready(address: SocketAddr) -> Result<bool> {
    Ok(http::get(address, &format!("{CONFLUENT_API}/subjects"))?.status == 200)
}

/// Makes the registry refuse schemas that can't read what was written before: its own default is to take any.
pub(super) fn set_compatibility(address: SocketAddr) -> Result<()> {
    let body = r#"{"compatibility":"BACKWARD"}"#;
    let answer = http::send_json(address, "PUT", &format!("{CONFLUENT_API}/config"), body)?;
    ensure!(
        answer.status == 200,
        "the registry refuses BACKWARD compatibility: {} {}",
        answer.status,
        answer.body
    );
    Ok(())
}
