//! The process-wide metrics recorder and its text form.

use anyhow::Context as _;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// The rendered metrics of this process.
#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
}

impl Metrics {
    /// Installs the recorder behind the `metrics` macros.
    ///
    /// # Errors
    /// When another recorder is installed already.
    pub fn install() -> anyhow::Result<Self> {
        let handle = PrometheusBuilder::new()
            .install_recorder()
            .context("the metrics recorder can't be installed")?;
        Ok(Self { handle })
    }

    /// The text exposition format of Prometheus, version 0.0.4.
    #[must_use]
    pub fn render(&self) -> String {
        self.handle.run_upkeep();
        self.handle.render()
    }
}
