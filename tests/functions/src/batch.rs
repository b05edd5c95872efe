//! Many functions as one job.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use sluice_check::tools::Tools;

use crate::grammar::{Function, Ty};

const HEAD: &str = "package dev.example;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

public final class Batch {
public static final class P {
  public int a;
  public long b;
  public double c;
  public boolean d;
  public String s;
  public String t;
  public P() {}
  P(int a, String s) { this.a = a; this.s = s; this.b = a * 3L; }
  @Override public String toString() { return a + s; }
}
";

/// The source of a type's events; only its type matters.
const fn source(ty: Ty) -> (&'static str, &'static str) {
    match ty {
        Ty::Pojo => {
            ("pojos", "DataStream<P> pojos = env.fromData(TypeInformation.of(P.class), new P());")
        }
        Ty::Int => ("ints", "DataStream<Integer> ints = env.fromData(1);"),
        Ty::Long => ("longs", "DataStream<Long> longs = env.fromData(1L);"),
        Ty::Double => ("doubles", "DataStream<Double> doubles = env.fromData(1.0);"),
        _ => ("texts", "DataStream<String> texts = env.fromData(\"a\");"),
    }
}

/// The text of the job.
#[must_use]
pub fn text(functions: &[Function]) -> String {
    let mut text = HEAD.to_owned();
    functions.iter().for_each(|function| text += &function.text);
    text += "public static void main(String[] args) throws Exception {\n";
    text += "  StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n";
    for ty in [Ty::Text, Ty::Pojo, Ty::Int, Ty::Long, Ty::Double] {
        text += &format!("  {}\n", source(ty).1);
    }
    for function in functions {
        let method = match function.text.split_whitespace().nth(4) {
            Some(interface) if interface.starts_with("Flat") => "flatMap",
            Some(interface) if interface.starts_with("Filter") => "filter",
            _ => "map",
        };
        let (from, name) = (source(function.input).0, &function.name);
        text += &format!(
            "  {from}.{method}(new {name}()).name(\"{name}\").sinkTo(new DiscardingSink<>());\n"
        );
    }
    text + "  env.execute();\n}\n}\n"
}

/// Compiles the job into a jar in the folder.
///
/// # Errors
/// When the compiler does not take it, which its output says.
pub fn compile(tools: &Tools, functions: &[Function], folder: &Path) -> Result<PathBuf> {
    let source = folder.join("Batch.java");
    fs::write(&source, text(functions)).context("can't write the source")?;
    let (classes, jar) = (folder.join("classes"), folder.join("batch.jar"));
    let mut javac = Command::new("javac");
    javac
        .args(["-nowarn", "-g:source,lines,vars", "--release", "17", "-cp"])
        .arg(tools.flink.join("*"));
    run(javac.arg("-d").arg(&classes).arg(&source))?;
    let mut pack = Command::new("jar");
    run(pack.args(["--create", "--file"]).arg(&jar).arg("-C").arg(&classes).arg("."))?;
    Ok(jar)
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {said}");
    Ok(())
}
