//! The gate over functions whose IR was written by hand, right and wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use sluice_check::tools::Tools;
use sluice_functions::{Captured, Said, tools};
use sluice_gate::Limits;
use sluice_model::FunctionKind;
use sluice_planner::graph::UserFunction;
use sluice_planner::{Refusal, Translate};
use sluice_wire::Type;

const JOB: &str = r#"package dev.example;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
public final class Job {
  static class Twice implements MapFunction<Long, Long> { public Long map(Long x) { return x + x; } }
  static class Short implements FilterFunction<String> { public boolean filter(String x) { return x.length() < 3; } }
  static class Parsed implements MapFunction<String, Integer> { public Integer map(String x) { return Integer.parseInt(x); } }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Long> longs = env.fromData(1L);
    DataStream<String> texts = env.fromData("a");
    longs.map(new Twice()).name("twice").sinkTo(new DiscardingSink<>());
    texts.filter(new Short()).name("short").sinkTo(new DiscardingSink<>());
    texts.map(new Parsed()).name("parsed").sinkTo(new DiscardingSink<>());
    env.execute();
  }
}
"#;

/// The text of each function by its class.
struct ByHand(&'static [(&'static str, &'static str)]);

impl Translate for ByHand {
    fn operator(
        &self,
        _: FunctionKind,
        function: &UserFunction,
        _: &Type,
        _: &Type,
    ) -> Result<String, Refusal> {
        let name = function.class.rsplit('$').next().unwrap_or_default();
        let known = self.0.iter().find(|(known, _)| *known == name);
        let text = known.map(|(_, text)| (*text).to_owned());
        text.ok_or_else(|| Refusal::new("none", "not written"))
    }

    fn timestamps(&self, _: &UserFunction, _: &Type) -> Result<String, Refusal> {
        Err(Refusal::new("none", "not written"))
    }
}

const RIGHT: ByHand = ByHand(&[
    ("Twice", "map twice(%x: long) -> long {\nstart:\n  %y = add %x, %x\n  return %y\n}"),
    (
        "Short",
        "filter short(%x: string) -> bool {\nstart:\n  %n = call string.length(%x)\n  %less = lt %n, 3\n  return %less\n}",
    ),
]);

const WRONG: ByHand = ByHand(&[
    (
        "Twice",
        "map twice(%x: long) -> long {\nstart:\n  %big = eq %x, 9223372036854775807L\n  branch %big, odd, even\nodd:\n  return %x\neven:\n  %y = add %x, %x\n  return %y\n}",
    ),
    ("Short", "filter short(%x: string) -> bool {\nstart:\n  jump again\nagain:\n  jump again\n}"),
    ("Parsed", "map parsed(%x: string) -> int {\nstart:\n  return 7\n}"),
]);

fn job(tools: &Tools, folder: &Path) -> PathBuf {
    let source = folder.join("Job.java");
    fs::write(&source, JOB).unwrap();
    let (classes, jar) = (folder.join("classes"), folder.join("job.jar"));
    let mut javac = Command::new("javac");
    javac.arg("-cp").arg(tools.flink.join("*")).arg("-d").arg(&classes).arg(&source);
    assert!(javac.status().unwrap().success());
    let mut pack = Command::new("jar");
    pack.args(["--create", "--file"]).arg(&jar).arg("-C").arg(&classes).arg(".");
    assert!(pack.status().unwrap().success());
    jar
}

#[test]
fn what_is_equal_passes_and_what_is_not_goes_to_the_jvm() {
    let folder = tempfile::tempdir().unwrap();
    let tools = tools::tools(folder.path()).unwrap();
    let sidecar = tools.sidecar(&folder.path().join("host"));
    let jar = job(&tools, folder.path());
    let captured = Captured::of_jar(&tools, &jar, &["dev.example.Job"], folder.path()).unwrap();
    let limits = Limits { time: Duration::from_secs(10), sampled: 0, generated: 500 };

    let said = captured.judge(&RIGHT, &sidecar, &limits, 1).unwrap();
    let of = |name: &str| &said.iter().find(|(known, _)| known == name).unwrap().1;
    assert!(matches!(of("twice"), Said::Equal(events) if *events >= 500), "{said:?}");
    assert!(matches!(of("short"), Said::Equal(events) if *events >= 500), "{said:?}");
    assert_eq!(*of("parsed"), Said::Refused("none: not written".to_owned()));

    let said = captured.judge(&WRONG, &sidecar, &limits, 1).unwrap();
    let why = |name: &str| match &said.iter().find(|(known, _)| known == name).unwrap().1 {
        Said::Unequal(why) => why.clone(),
        other => panic!("{name}: {other:?}"),
    };
    assert!(why("twice").starts_with("not equal to the JVM for 9223372036854775807"), "{said:?}");
    assert!(why("short").contains("died of step budget"), "{said:?}");
    assert!(why("parsed").contains("the JVM died of java.lang.NumberFormatException"), "{said:?}");
}
