//! Dashboards against the types that Grafana publishes of them, since Grafana itself can't be had everywhere.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::checks::Checks;
use crate::{install, paths};

/// Annotations have fields of their data source, which the types leave out.
const TYPES: &str = r#"import type { AnnotationQuery, Dashboard } from "./node_modules/@grafana/schema/dist/types/raw/dashboard/x/dashboard_types.gen";
type Annotation = AnnotationQuery & { expr?: string; titleFormat?: string; step?: string };
type Ours = Omit<Dashboard, "annotations"> & { annotations: { list: Annotation[] } };
"#;

/// Every dashboard is one by Grafana's types: no field is missing, none is unknown, none is of another type.
pub(super) fn check(checks: &mut Checks) {
    checks.check("dashboards keep Grafana's published types", || {
        let mut count = 0;
        for entry in fs::read_dir(paths::root().join("dashboards"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let text = fs::read_to_string(&path)?;
                has_the_types(&text).with_context(|| path.display().to_string())?;
                count += 1;
            }
        }
        ensure!(count > 0, "no dashboards");
        // What finds nothing wrong with anything would be no check.
        ensure!(has_the_types(r#"{"schemaVersion": "x"}"#).is_err(), "everything is accepted");
        Ok(())
    });
}

fn has_the_types(dashboard: &str) -> Result<()> {
    let dir = install::grafana_types();
    let file = tempfile::Builder::new().suffix(".ts").tempfile_in(&dir)?;
    fs::write(file.path(), format!("{TYPES}export const dashboard: Ours = {dashboard};\n"))?;
    let mut compiler = Command::new("node");
    compiler.arg(dir.join("node_modules/typescript/bin/tsc")).arg(file.path()).current_dir(&dir);
    compiler.args(["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022"]);
    let output = compiler
        .args(["--module", "esnext", "--moduleResolution", "bundler"])
        .output()
        .context("can't start node")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout).trim_end());
    Ok(())
}
