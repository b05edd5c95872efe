//! Flink clusters of a JobManager and a TaskManager: one that takes jobs, and one that is there for a single job.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use xtask::process::output;
use xtask::stack::{Stack, free_ports};
use xtask::{http, install, java};

const SESSION: &str = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
const APPLICATION: &str =
    "org.apache.flink.container.entrypoint.StandaloneApplicationClusterEntryPoint";
const CLIENT: &str = "org.apache.flink.client.cli.CliFrontend";
const TASK_MANAGER: &str = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";
/// What a cluster is made of, by the names of the stack.
pub const JOB_MANAGER: &str = "job-manager";
/// See [`JOB_MANAGER`].
pub const TASKS: &str = "task-manager";

/// What both processes must know.
const COMMON: &str = "\
jobmanager.rpc.address: 127.0.0.1
jobmanager.bind-host: 127.0.0.1
taskmanager.host: 127.0.0.1
taskmanager.bind-host: 127.0.0.1
rest.address: 127.0.0.1
rest.bind-address: 127.0.0.1
heartbeat.interval: 1000
heartbeat.timeout: 8000
restart-strategy.type: fixed-delay
restart-strategy.fixed-delay.attempts: 100
restart-strategy.fixed-delay.delay: 500 ms
execution.checkpointing.interval: 1000 ms
taskmanager.numberOfTaskSlots: 4
taskmanager.cpu.cores: 1
taskmanager.memory.task.heap.size: 256m
taskmanager.memory.task.off-heap.size: 0m
taskmanager.memory.network.min: 64m
taskmanager.memory.network.max: 64m
taskmanager.memory.managed.size: 32m
taskmanager.memory.framework.heap.size: 64m
taskmanager.memory.framework.off-heap.size: 64m
taskmanager.memory.jvm-metaspace.size: 128m
taskmanager.memory.jvm-overhead.min: 64m
taskmanager.memory.jvm-overhead.max: 64m
";

/// A cluster in a stack.
pub struct FlinkCluster {
    /// Its REST interface.
    pub rest: SocketAddr,
    /// The cluster's home: `conf`, `usrlib`, checkpoints and savepoints.
    home: PathBuf,
}

impl FlinkCluster {
    /// A cluster of this name that is not started.
    fn new(stack: &Stack, name: &str) -> Result<Self> {
        install::flink_cluster()?;
        let home = stack.state().dir.join(name);
        let folders = ["conf", "usrlib", "lib", "tmp"].map(|folder| home.join(folder));
        folders.iter().try_for_each(fs::create_dir_all)?;
        let ports = free_ports(2)?;
        let config = format!(
            "{COMMON}rest.port: {}\njobmanager.rpc.port: {}\nexecution.checkpointing.dir: file://{}\n\
             execution.checkpointing.savepoint-dir: file://{}\nio.tmp.dirs: {}\n",
            ports[0],
            ports[1],
            home.join("checkpoints").display(),
            home.join("savepoints").display(),
            home.join("tmp").display(),
        );
        fs::write(home.join("conf/config.yaml"), config)?;
        Ok(Self { rest: ([127, 0, 0, 1], ports[0]).into(), home })
    }

    /// Starts a session cluster and waits until it has slots.
    ///
    /// # Errors
    /// When it does not come up.
    pub fn session(stack: &mut Stack, name: &str) -> Result<Self> {
        let cluster = Self::new(stack, name)?;
        stack.spawn(JOB_MANAGER, &mut cluster.part(stack, SESSION))?;
        stack.spawn(TASKS, &mut cluster.part(stack, TASK_MANAGER))?;
        cluster.await_slots(stack)?;
        Ok(cluster)
    }

    /// Starts a cluster for one job by the command that `sluice deploy` prints for application mode, `DIR` its folder for
    /// checkpoints; `jars` are its `usrlib`.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn application(
        stack: &mut Stack,
        name: &str,
        jars: &[PathBuf],
        command: &str,
    ) -> Result<Self> {
        let cluster = Self::new(stack, name)?;
        for jar in jars {
            let name = jar.file_name().context("a jar with a name")?;
            fs::copy(jar, cluster.home.join("usrlib").join(name))?;
        }
        let script = cluster.home.join("standalone-job.sh");
        fs::write(&script, as_script(&cluster.part(stack, APPLICATION)))?;
        let script = format!("sh {} ", script.display());
        let checkpoints = cluster.home.join("checkpoints").display().to_string();
        let line =
            command.replace("standalone-job.sh start ", &script).replace("DIR", &checkpoints);
        ensure!(line.starts_with(&script), "{command}");
        let mut shell = Command::new("sh");
        // Flink names the jars of `usrlib` by their way from here, to the TaskManager too.
        shell.args(["-c", &format!("exec {line}")]).envs(cluster.environment());
        stack.spawn(JOB_MANAGER, shell.current_dir(&cluster.home))?;
        stack.spawn(TASKS, &mut cluster.part(stack, TASK_MANAGER))?;
        Ok(cluster)
    }

    /// One of its processes.
    fn part(&self, stack: &Stack, class: &str) -> Command {
        let mut part = java::flink_cluster(&stack.log4j2());
        part.arg(class).arg("--configDir").arg(self.home.join("conf"));
        part.envs(self.environment()).current_dir(&self.home);
        part
    }

    /// By this Flink finds `usrlib` and its settings; its scripts set it.
    fn environment(&self) -> [(&'static str, PathBuf); 2] {
        [("FLINK_LIB_DIR", self.home.join("lib")), ("FLINK_CONF_DIR", self.home.join("conf"))]
    }

    fn await_slots(&self, stack: &Stack) -> Result<()> {
        stack.await_answer(JOB_MANAGER, || Ok(self.get("/overview")?["slots-total"] == 4))
    }

    /// Runs the `main` of a jar on a session cluster, as Flink's own `flink run` does.
    ///
    /// # Errors
    /// When the cluster refuses.
    pub fn run(&self, stack: &Stack, jar: &Path, main_class: &str, args: &[&str]) -> Result<()> {
        let mut run = self.client(stack, &["run", "--detached", "--class", main_class]);
        output(run.arg(jar).args(args)).map(|_| ())
    }

    /// Stops a job with a savepoint, as Flink's own `flink stop` does; where that is.
    ///
    /// # Errors
    /// When the job fails, or takes too long.
    pub fn stop(&self, stack: &Stack, job: &str) -> Result<String> {
        output(&mut self.client(stack, &["stop", job]))?;
        let savepoint =
            fs::read_dir(self.home.join("savepoints"))?.next().context("no savepoint")?;
        Ok(format!("file:{}", savepoint?.path().display()))
    }

    fn client(&self, stack: &Stack, arguments: &[&str]) -> Command {
        let mut client = java::flink_cluster(&stack.log4j2());
        client.arg(CLIENT).args(arguments).envs(self.environment());
        client
    }

    /// The id and the state of its one job that is not over.
    ///
    /// # Errors
    /// When the cluster does not answer.
    pub fn job(&self) -> Result<Option<(String, String)>> {
        let jobs = self.get("/jobs")?;
        let mut jobs = jobs["jobs"].as_array().into_iter().flatten().filter_map(|job| {
            Some((job["id"].as_str()?.to_owned(), job["status"].as_str()?.to_owned()))
        });
        let over = ["FINISHED", "CANCELED", "FAILED"];
        Ok(jobs.find(|(_, state)| !over.contains(&state.as_str())))
    }

    /// Whether a job runs.
    ///
    /// # Errors
    /// When the cluster does not answer.
    pub fn is_running(&self) -> Result<bool> {
        Ok(self.job()?.is_some_and(|(_, state)| state == "RUNNING"))
    }

    /// What of a job's checkpoints is at a JSON pointer.
    ///
    /// # Errors
    /// When the cluster does not answer.
    pub fn checkpoints(&self, job: &str, pointer: &str) -> Result<Value> {
        let checkpoints = self.get(&format!("/jobs/{job}/checkpoints"))?;
        Ok(checkpoints.pointer(pointer).cloned().unwrap_or_default())
    }

    fn get(&self, path: &str) -> Result<Value> {
        Ok(serde_json::from_str(&http::get(self.rest, path)?.body)?)
    }
}

/// A shell script that becomes the command, with the script's own arguments behind it.
fn as_script(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(|word| format!("'{}'", word.to_string_lossy())).collect();
    format!("exec {} \"$@\"\n", words.join(" "))
}
