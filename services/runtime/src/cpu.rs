//! What the machine gives this process of its processors: time used, the control group's limit and throttling (cgroup v1
//! and v2), and how long a thread waited in the run queue, where a processor without any limit is short.

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

/// Time that the calling thread was ready to run and did not, the holds of a quota included; 0 where the machine does not tell.
#[must_use]
pub fn waited_by_thread() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    schedstat(&text).map_or(Duration::ZERO, |(_, waited)| waited)
}

/// Processor time that another process has used, all threads; 0 once it has ended. In steps of a clock tick.
#[must_use]
pub fn of_other(process: u32) -> Duration {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let ticks = ticks(&text).unwrap_or(0);
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_micros(ticks.saturating_mul(1_000_000) / per_second)
}

/// Processor time that the running threads of this name in another process have used.
#[must_use]
pub fn of_threads(process: u32, name: &str) -> Duration {
    of_threads_in(Path::new(&format!("/proc/{process}/task")), name)
}

fn of_threads_in(tasks: &Path, name: &str) -> Duration {
    let Ok(threads) = fs::read_dir(tasks) else { return Duration::ZERO };
    let read = |thread: &Path, file: &str| fs::read_to_string(thread.join(file)).ok();
    let threads = threads.flatten().map(|thread| thread.path());
    let named =
        threads.filter(|thread| read(thread, "comm").is_some_and(|comm| comm.trim() == name));
    named.filter_map(|thread| Some(schedstat(&read(&thread, "schedstat")?)?.0)).sum()
}

/// How long a thread ran, and how long it waited in the run queue.
fn schedstat(text: &str) -> Option<(Duration, Duration)> {
    let mut nanos = text.split_whitespace().map(|text| text.parse::<u64>().ok());
    Some((Duration::from_nanos(nanos.next()??), Duration::from_nanos(nanos.next()??)))
}

/// The ticks in user and system mode of a process: fields 14 and 15 of its `stat`. Its name may hold anything.
fn ticks(text: &str) -> Option<u64> {
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
    Some(fields.next()?? + fields.next()??)
}

/// Reads what this process has and is held back by. What a machine does not tell is 0, or none.
#[derive(Debug)]
pub struct CpuMeter {
    proc_self: PathBuf,
}

impl Default for CpuMeter {
    fn default() -> Self {
        Self::of(Path::new("/proc/self"))
    }
}

impl CpuMeter {
    fn of(proc_self: &Path) -> Self {
        Self { proc_self: proc_self.to_owned() }
    }

    /// Processors, limit and throttling now; what was used is another question.
    #[must_use]
    pub fn read(&self) -> CpuCounters {
        let group = self.group().unwrap_or_default();
        let cores = rustix::thread::sched_getaffinity(None).map_or(1, |set| set.count());
        CpuCounters { cores: f64::from(cores), ..group }
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
        assert_eq!((read.limit_cores, read.throttled_us), (None, 0));
        assert!(read.cores >= 1.0);
    }

    #[test]
    fn threads_are_found_by_name() {
        let tasks = folder(&[
            ("1/comm", "chain\n"),
            ("1/schedstat", "2000000 7 1\n"),
            ("2/comm", "chain\n"),
            ("2/schedstat", "3000000 7 1\n"),
            ("3/comm", "C2 CompilerThre\n"),
            ("3/schedstat", "9000000 7 1\n"),
        ]);
        assert_eq!(of_threads_in(tasks.path(), "chain"), Duration::from_millis(5));
    }

    #[test]
    fn a_process_may_have_any_name() {
        let stat = "12 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 40 2 0 0";
        assert_eq!(ticks(stat), Some(42));
        assert_eq!(of_other(u32::MAX), Duration::ZERO);
    }

    #[test]
    fn time_is_used() {
        assert!(of_process() >= of_thread());
    }
}
