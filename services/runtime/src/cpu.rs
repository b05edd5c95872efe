//! What the machine gives this process of its processors: time used, the control group's limit and throttling (cgroup v1
//! and v2), and how long threads waited in the run queue, where a processor without any limit is short.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use sluice_model::CpuCounters;

/// Processor time that the calling thread has used.
#[must_use]
pub fn of_thread() -> Duration {
    time_of(ClockId::ThreadCPUTime)
}

/// Processor time that this process has used, all threads.
#[must_use]
pub fn of_process() -> Duration {
    time_of(ClockId::ProcessCPUTime)
}

fn time_of(clock: ClockId) -> Duration {
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

/// Reads the counters of this process. What a machine does not tell is 0, or none.
#[derive(Debug)]
pub struct CpuMeter {
    proc_self: PathBuf,
    /// By thread: nanoseconds that it has waited so far.
    waits: BTreeMap<String, u64>,
    waited_ns: u64,
}

impl Default for CpuMeter {
    fn default() -> Self {
        Self::of(Path::new("/proc/self"))
    }
}

impl CpuMeter {
    fn of(proc_self: &Path) -> Self {
        Self { proc_self: proc_self.to_owned(), waits: BTreeMap::new(), waited_ns: 0 }
    }

    /// The counters now.
    pub fn read(&mut self) -> CpuCounters {
        let group = self.group().unwrap_or_default();
        self.add_waits();
        let cores = rustix::thread::sched_getaffinity(None).map_or(1, |set| set.count());
        CpuCounters {
            used_us: micros(of_process()),
            cores: f64::from(cores),
            run_queue_us: i64::try_from(self.waited_ns / 1_000).unwrap_or(i64::MAX),
            ..group
        }
    }

    /// Threads end, and what they waited must not go with them.
    fn add_waits(&mut self) {
        let Ok(threads) = fs::read_dir(self.proc_self.join("task")) else { return };
        let mut waits = BTreeMap::new();
        for thread in threads.flatten() {
            let text = fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
            let waited = text.split_whitespace().nth(1).and_then(|text| text.parse::<u64>().ok());
            let (Some(waited), Ok(name)) = (waited, thread.file_name().into_string()) else {
                continue;
            };
            let before = self.waits.get(&name).copied().unwrap_or(0);
            // A lower number is that of another thread under the same id.
            self.waited_ns += waited.checked_sub(before).unwrap_or(waited);
            waits.insert(name, waited);
        }
        self.waits = waits;
    }

    /// The tightest limit among the control group and those above it, with its throttling. Asked anew each time: a
    /// process may be moved.
    fn group(&self) -> Option<CpuCounters> {
        let read = |name: &str| fs::read_to_string(self.proc_self.join(name)).ok();
        let (group, mounts) = (read("cgroup")?, read("mountinfo")?);
        let folders = places(&group, &mounts).into_iter().flat_map(|(mount, group)| {
            let above: Vec<PathBuf> = group
                .ancestors()
                .filter(|folder| folder.starts_with(&mount))
                .map(Path::to_owned)
                .collect();
            above
        });
        let limited = folders.filter_map(|folder| limit_of(&folder).map(|limit| (limit, folder)));
        let (limit, folder) = limited.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(CpuCounters { limit_cores: Some(limit), ..throttling_of(&folder) })
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// Where the control groups of the cpu controller are mounted, and this process's group there.
fn places(cgroup: &str, mountinfo: &str) -> Vec<(PathBuf, PathBuf)> {
    let group_of = |is_ours: &dyn Fn(&str) -> bool| {
        cgroup.lines().find_map(|line| {
            let [_, controllers, path] = line.splitn(3, ':').collect::<Vec<_>>()[..] else {
                return None;
            };
            is_ours(controllers).then(|| PathBuf::from(path))
        })
    };
    let place = |line: &str| {
        let (mount, kind) = line.split_once(" - ")?;
        let mount: Vec<&str> = mount.split(' ').collect();
        let (root, point) = (mount.get(3)?, PathBuf::from(mount.get(4)?));
        let mut kind = kind.split(' ');
        let options: Vec<&str> = match kind.next()? {
            "cgroup2" => Vec::new(),
            "cgroup" => kind.next_back()?.split(',').collect(),
            _ => return None,
        };
        let group = match options[..] {
            [] => group_of(&|controllers| controllers.is_empty())?,
            _ if options.contains(&"cpu") => {
                group_of(&|controllers| controllers.split(',').any(|name| name == "cpu"))?
            }
            _ => return None,
        };
        // Inside a container the group's path may be that of the host, and the mount shows the group itself.
        let below = group.strip_prefix(root).unwrap_or(Path::new(""));
        Some((point.clone(), point.join(below)))
    };
    mountinfo.lines().filter_map(place).collect()
}

/// The limit of a group, processors; none without one.
fn limit_of(folder: &Path) -> Option<f64> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let (quota, period) = match read("cpu.max") {
        Some(text) => {
            let (quota, period) = text.trim().split_once(' ')?;
            (quota.to_owned(), period.to_owned())
        }
        None => (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?),
    };
    let quota: f64 = quota.trim().parse().ok().filter(|quota| *quota > 0.0)?;
    let period: f64 = period.trim().parse().ok().filter(|period| *period > 0.0)?;
    Some(quota / period)
}

fn throttling_of(folder: &Path) -> CpuCounters {
    let text = fs::read_to_string(folder.join("cpu.stat")).unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.trim().parse::<i64>().ok())
    };
    CpuCounters {
        periods: field("nr_periods").unwrap_or(0),
        throttled_periods: field("nr_throttled").unwrap_or(0),
        throttled_us: field("throttled_usec")
            .or(field("throttled_time").map(|nanos| nanos / 1_000))
            .unwrap_or(0),
        ..CpuCounters::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    /// A process in the group `/a/b` of a hierarchy mounted at `at`.
    fn process(at: &Path, cgroup: &str, kind: &str) -> tempfile::TempDir {
        let mounts = format!("36 35 0:1 / {} rw - {kind}\n", at.display());
        folder(&[("cgroup", cgroup), ("mountinfo", &mounts)])
    }

    #[test]
    fn the_tightest_limit_above_counts_in_version_2() {
        let at = folder(&[
            ("a/cpu.max", "50000 100000\n"),
            ("a/cpu.stat", "usage_usec 9\nnr_periods 7\nnr_throttled 3\nthrottled_usec 1234\n"),
            ("a/b/cpu.max", "max 100000\n"),
        ]);
        let process = process(at.path(), "0::/a/b\n", "cgroup2 cgroup rw");
        let read = CpuMeter::of(process.path()).read();
        assert_eq!(read.limit_cores, Some(0.5));
        assert_eq!((read.periods, read.throttled_periods, read.throttled_us), (7, 3, 1234));
    }

    #[test]
    fn version_1_counts_nanoseconds() {
        let at = folder(&[
            ("a/b/cpu.cfs_quota_us", "20000\n"),
            ("a/b/cpu.cfs_period_us", "100000\n"),
            ("a/b/cpu.stat", "nr_periods 7\nnr_throttled 3\nthrottled_time 1234000\n"),
            ("a/cpu.cfs_quota_us", "-1\n"),
            ("a/cpu.cfs_period_us", "100000\n"),
        ]);
        let groups = "4:memory:/x\n3:cpu,cpuacct:/a/b\n0::/\n";
        let process = process(at.path(), groups, "cgroup cgroup rw,cpu,cpuacct");
        let read = CpuMeter::of(process.path()).read();
        assert_eq!((read.limit_cores, read.throttled_us), (Some(0.2), 1234));
    }

    #[test]
    fn a_machine_that_tells_nothing_has_no_limit() {
        let nothing = folder(&[]);
        let read = CpuMeter::of(nothing.path()).read();
        assert_eq!((read.limit_cores, read.run_queue_us), (None, 0));
        assert!(read.cores >= 1.0);
    }

    #[test]
    fn waits_of_threads_that_ended_are_kept() {
        let process =
            folder(&[("task/1/schedstat", "5 2000000 1"), ("task/2/schedstat", "5 3000000 1")]);
        let mut meter = CpuMeter::of(process.path());
        assert_eq!(meter.read().run_queue_us, 5_000);
        fs::remove_dir_all(process.path().join("task/2")).unwrap();
        fs::write(process.path().join("task/1/schedstat"), "6 2500000 2").unwrap();
        assert_eq!(meter.read().run_queue_us, 5_500);
    }

    #[test]
    fn time_is_used() {
        assert!(of_process() >= of_thread());
    }
}
