//! The chain as a picture in text.

use std::fmt::Write;

use sluice_model::Engine;

use super::{Explanation, SourceSaid, StepSaid};
use crate::graph::{Reads, simple};

/// The widest column of names.
const MOST_NAME: usize = 28;

pub fn text(said: &Explanation, width: usize) -> String {
    let mut out = String::new();
    let (moves, stays) = (said.operators(), said.residual.len());
    let operators = if moves == 1 { "operator" } else { "operators" };
    line(&mut out, &format!("{}: {moves} {operators} can move, {stays} stay", said.job));
    line(&mut out, &format!("{}, Flink {}", said.main_class, said.flink));
    for source in &said.sources {
        out.push('\n');
        match &source.input {
            Some(input) => {
                line(&mut out, &format!("input {input}"));
                out.push('\n');
                chain(&mut out, source, width);
            }
            None => {
                line(
                    &mut out,
                    &format!("source `{}` stays in the job: {}", source.name, source.end.word),
                );
                wrapped(&mut out, "  ", "  ", &format!("{}.", source.end.why), width);
                advice(&mut out, "  ", "To move it", &source.end.advice, width);
            }
        }
    }
    if !said.residual.is_empty() {
        let names: Vec<_> = said.residual.iter().map(|stays| stays.name.as_str()).collect();
        out.push_str("\nstays in the job\n");
        wrapped(&mut out, "  ", "  ", &names.join(", "), width);
    }
    if !said.warnings.is_empty() {
        out.push_str("\nfrom the capture\n");
        for warning in &said.warnings {
            wrapped(&mut out, "  - ", "    ", warning, width);
        }
    }
    out
}

fn chain(out: &mut String, source: &SourceSaid, width: usize) {
    let names = source.steps.iter().map(|step| &step.name).chain([&source.name]);
    let name_width = names.map(|name| name.chars().count()).max().unwrap_or(0).min(MOST_NAME);
    let numbers = source.types.len().saturating_sub(1).to_string().len();
    let row = |out: &mut String, mark: &str, name: &str, what: &str, rest: &str| {
        let name = shortened(name, name_width);
        let head = format!("  {mark:<w$}  {name:<name_width$}  {what:<10}  ", w = numbers + 1);
        let indent = " ".repeat(head.chars().count());
        wrapped(out, &head, &indent, rest, width);
    };
    let flows = |out: &mut String, shown: &str| {
        line(
            out,
            &format!("  │{}  {}", " ".repeat(numbers), shortened(shown, width - numbers - 6)),
        );
    };
    let what = match source.reads {
        Reads::Bytes | Reads::Schema => "bytes",
        _ => "text",
    };
    row(out, "v0", &source.name, "source", &format!("{}, {what}", simple(&source.class)));
    flows(out, &source.types[0].shown);
    for step in &source.steps {
        let mark = if step.assigner { "◷".to_owned() } else { format!("v{}", step.number) };
        row(out, &mark, &step.name, &step.what, &right(step));
        if !step.assigner {
            flows(out, &source.types[step.number].shown);
        }
    }
    let place = match &source.end.name {
        Some(name) => format!("ends before `{name}`: {}", source.end.word),
        None => format!("ends here: {}", source.end.word),
    };
    let indent = " ".repeat(numbers + 5);
    wrapped(out, &format!("  ┴{}  ", " ".repeat(numbers)), &indent, &place, width);
    wrapped(out, &indent, &indent, &format!("{}.", source.end.why), width);
    advice(out, &indent, "To move more", &source.end.advice, width);
    for note in &source.notes {
        wrapped(out, "  note  ", "        ", note, width);
    }
}

/// What stands to the right of a step's name.
fn right(step: &StepSaid) -> String {
    let engine = match step.engine {
        Engine::Native => "native",
        Engine::Jvm => "jvm",
    };
    if step.assigner {
        let runs = if step.number == 0 {
            "at the source".to_owned()
        } else {
            format!("wherever v{} runs", step.number)
        };
        return format!("{}; {runs} ({engine}: {})", step.does, step.engine_why);
    }
    format!("{engine}: {}", step.engine_why)
}

fn advice(out: &mut String, indent: &str, head: &str, advice: &str, width: usize) {
    if !advice.is_empty() {
        wrapped(out, indent, indent, &format!("{head}: {advice}."), width);
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

/// Writes words behind `first`, and further lines behind `next`.
fn wrapped(out: &mut String, first: &str, next: &str, text: &str, width: usize) {
    let mut current = first.to_owned();
    let mut used = first.chars().count();
    let mut empty = true;
    for word in text.split_whitespace() {
        let wide = word.chars().count();
        if !empty && used + 1 + wide > width {
            line(out, &current);
            current.clear();
            let _ = write!(current, "{next}");
            used = next.chars().count();
            empty = true;
        }
        if !empty {
            current.push(' ');
            used += 1;
        }
        current.push_str(word);
        used += wide;
        empty = false;
    }
    line(out, &current);
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}
