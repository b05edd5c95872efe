//! A processor of its own size for a process: a control group with a quota, where this machine lets us make one.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::process::children;
use crate::stack::Stack;

/// The period of a quota, microseconds.
const PERIOD_US: u64 = 100_000;

/// A control group that limits what is in it. Dropping it moves its processes back and removes it.
#[derive(Debug)]
pub struct CpuLimit {
    folder: PathBuf,
    /// The group that its processes came from.
    parent: PathBuf,
    is_v2: bool,
}

impl CpuLimit {
    /// Makes a group named `name` without a limit.
    ///
    /// # Errors
    /// Where this machine has no control groups that we may make.
    fn new(name: &str) -> Result<CpuLimit> {
        let root = Path::new("/sys/fs/cgroup");
        let is_v2 = root.join("cgroup.controllers").exists();
        let parent = if is_v2 { root.to_owned() } else { root.join("cpu") };
        let has_quota = |folder: &Path| {
            folder.join(if is_v2 { "cpu.max" } else { "cpu.cfs_quota_us" }).exists()
        };
        let folder = parent.join(name);
        fs::create_dir_all(&folder).context("control groups can't be made here")?;
        if !has_quota(&folder) {
            let _ = fs::remove_dir(&folder);
            bail!("{}: has no quota of the processor", folder.display());
        }
        // The quota is to be the limit, and not what others do on this machine.
        let (name, most) = if is_v2 { ("cpu.weight", "10000") } else { ("cpu.shares", "262144") };
        fs::write(folder.join(name), most).with_context(|| format!("{name} can't be set"))?;
        Ok(CpuLimit { folder, parent, is_v2 })
    }

    /// Makes one around the running agent of a device; `part` of the demo or bench names it.
    ///
    /// # Errors
    /// Where the agent does not run, or this machine has no such groups.
    pub fn of_device(stack: &Stack, part: &str, device: &str, cores: f64) -> Result<CpuLimit> {
        let agent = stack.state().service(&format!("edge-{device}"));
        let pid = agent.with_context(|| format!("{device} has not been started"))?.process.pid;
        let limit = CpuLimit::new(&format!("sluice-{part}-{}-{device}", std::process::id()))?;
        limit.set(Some(cores))?;
        limit.take(pid)?;
        Ok(limit)
    }

    /// Takes in a process with all its threads, and those that it started: the host of an agent.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn take(&self, pid: u32) -> Result<()> {
        fs::write(self.folder.join("cgroup.procs"), pid.to_string()).with_context(|| {
            format!("process {pid} can't be moved to {}", self.folder.display())
        })?;
        // One that has ended meanwhile needs no limit.
        children(pid).into_iter().for_each(|child| drop(self.take(child)));
        Ok(())
    }

    /// Sets how many processors its processes may use; none is as many as there are.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn set(&self, cores: Option<f64>) -> Result<()> {
        let quota_us = cores.map(|cores| (cores * PERIOD_US as f64).max(1_000.0) as u64);
        let write = |name: &str, text: String| {
            fs::write(self.folder.join(name), text).with_context(|| format!("{name} can't be set"))
        };
        if self.is_v2 {
            let quota = quota_us.map_or("max".to_owned(), |quota| quota.to_string());
            write("cpu.max", format!("{quota} {PERIOD_US}"))
        } else {
            write("cpu.cfs_period_us", PERIOD_US.to_string())?;
            write("cpu.cfs_quota_us", quota_us.map_or("-1".to_owned(), |quota| quota.to_string()))
        }
    }
}

impl Drop for CpuLimit {
    fn drop(&mut self) {
        let processes = fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
        for process in processes.lines() {
            // One that has ended needs no group.
            let _ = fs::write(self.parent.join("cgroup.procs"), process);
        }
        let _ = fs::remove_dir(&self.folder);
    }
}
