//! What benches of the control loop have in common: Q1 on devices behind relays and processor limits, and a controller.

use std::path::Path;

use anyhow::Result;
use sluice_wan::control::Client;

use super::query::{Play, Query};
use super::{Options, build};
use crate::case::Case;
use crate::controller::Controller;
use crate::cpu::CpuLimit;
use crate::stack::{self, Stack};

/// How it is set up.
pub(super) struct Setup<'a, 'b> {
    /// Names its control groups.
    pub(super) part: &'static str,
    pub(super) options: &'a Options,
    /// What each device plays.
    pub(super) play: Play,
    /// The text of the controller's section `[controller]`.
    pub(super) controller: &'b str,
    /// Whether replicas and the residual job run, so that there are results.
    pub(super) has_cloud: bool,
    /// By device: bytes a second of its uplink, and its processors.
    pub(super) devices: &'b [(u64, f64)],
}

/// Everything that runs. Limits are lifted before it ends.
pub(super) struct Rig<'a> {
    pub(super) limits: Vec<CpuLimit>,
    pub(super) names: Vec<String>,
    pub(super) wan: Client,
    pub(super) controller: Controller,
    pub(super) query: Query<'a>,
    pub(super) stack: Stack,
}

impl<'a> Rig<'a> {
    /// Builds and starts it: the controller waits for the devices, whose sources play at once. They start without limits of their
    /// processors.
    pub(super) fn start(setup: Setup<'a, '_>) -> Result<Rig<'a>> {
        let Setup { part, options, play, controller, has_cloud, devices } = setup;
        build(Case::of(options.query))?;
        let names: Vec<String> = (1..=devices.len()).map(|number| format!("pi-{number}")).collect();
        let mut stack = stack(&options.dir, &names)?;
        let query = Query::new(&mut stack, options, None, play)?;
        query.deploy(&stack)?;
        if has_cloud {
            query.start_cloud(&mut stack)?;
        }
        let controller = Controller::start(&mut stack, "controller", controller)?;
        let mut wan = stack.wan()?;
        for (name, (bytes_per_s, _)) in names.iter().zip(devices) {
            wan.ask(&format!("rate {name} {bytes_per_s} unlimited"))?;
        }
        query.start_devices(&mut stack)?;
        let mut limits = Vec::new();
        for (name, (_, cores)) in names.iter().zip(devices) {
            limits.push(CpuLimit::of_device(&stack, part, name, *cores)?);
        }
        Ok(Rig { limits, names, wan, controller, query, stack })
    }

    /// The devices as keys.
    pub(super) fn keys(&self) -> Vec<String> {
        self.names.iter().map(|name| format!("{}/{name}", self.query.case.key())).collect()
    }

    /// Gives every device as much as the machine has, so that what the spools hold leaves soon.
    pub(super) fn relax(&mut self) -> Result<()> {
        self.limits.iter().try_for_each(|limit| limit.set(None))?;
        for name in &self.names {
            self.wan.ask(&format!("rate {name} unlimited unlimited"))?;
        }
        Ok(())
    }
}

/// A stack with these devices that ends with this process.
pub(super) fn stack(dir: &Path, names: &[String]) -> Result<Stack> {
    Stack::up(&stack::Options { dir: dir.to_owned(), devices: names.to_vec(), detached: false })
}
