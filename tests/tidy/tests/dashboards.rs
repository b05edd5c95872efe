//! Every metric that a dashboard or an alert names is one that a service defines, and every panel asks something.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sluice_tidy::{files, text};

/// What Flink calls the metrics of the frame source's group.
const OF_SOURCE: &str = "flink_taskmanager_job_task_operator_sluice_";
/// Flink's own that are used.
const OF_FLINK: [&str; 12] = [
    "flink_jobmanager_job_lastCheckpointDuration",
    "flink_jobmanager_job_lastCheckpointSize",
    "flink_jobmanager_job_numberOfCompletedCheckpoints",
    "flink_jobmanager_job_numberOfFailedCheckpoints",
    "flink_jobmanager_job_numRestarts",
    "flink_jobmanager_Status_JVM_Memory_Heap_Used",
    "flink_taskmanager_Status_JVM_Memory_Heap_Used",
    "flink_taskmanager_job_task_backPressuredTimeMsPerSecond",
    "flink_taskmanager_job_task_busyTimeMsPerSecond",
    "flink_taskmanager_job_task_operator_sluice_events",
    "flink_taskmanager_job_task_operator_sluice_device_watermark",
    "flink_taskmanager_job_task_operator_sluice_emittedWatermark",
];

fn dashboards() -> Vec<(PathBuf, Value)> {
    let files = files();
    let of_folder = |path: &&PathBuf| {
        path.parent() == Some(Path::new("dashboards"))
            && path.extension().is_some_and(|e| e == "json")
    };
    let read = |path: &PathBuf| {
        let text = text(path).expect("a dashboard is UTF-8");
        let json = serde_json::from_str(&text);
        (path.clone(), json.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    files.iter().filter(of_folder).map(read).collect()
}

fn panels(dashboard: &Value) -> &[Value] {
    dashboard["panels"].as_array().expect("panels")
}

fn expressions(dashboard: &Value) -> Vec<&str> {
    let targets = panels(dashboard).iter().flat_map(|panel| panel["targets"].as_array());
    let of_panels = targets.flatten().map(|target| target["expr"].as_str().expect("an expression"));
    let annotations = dashboard["annotations"]["list"].as_array().into_iter().flatten();
    of_panels.chain(annotations.filter_map(|annotation| annotation["expr"].as_str())).collect()
}

/// Words of a text that begin like names of metrics.
fn metrics(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words
        .filter(|w| w.starts_with("sluice_") || w.starts_with("flink_"))
        .map(str::to_owned)
        .collect()
}

fn defined() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for path in files() {
        if path.starts_with("services") && path.ends_with("meters.rs") {
            all.extend(metrics(&text(&path).expect("source is UTF-8")));
        }
    }
    let source = "rewriter/flink/src/main/java/dev/sluice/source/FrameSourceMetrics.java";
    let source = text(Path::new(source)).expect("the metrics of the frame source");
    for (prefix, opening) in
        [("", "gauge(\""), ("", "counter(\""), ("device_", "gauge(\""), ("device_", "counter(\"")]
    {
        let names = source.split(opening).skip(1).filter_map(|rest| rest.split('"').next());
        all.extend(names.map(|name| format!("{OF_SOURCE}{prefix}{name}")));
    }
    all.extend(OF_FLINK.map(str::to_owned));
    all
}

#[test]
fn every_metric_of_a_dashboard_or_an_alert_is_defined() {
    let defined = defined();
    let rules = text(Path::new("dashboards/prometheus/rules.yml")).expect("the rules");
    let rules =
        rules.lines().filter(|line| !line.contains("summary")).collect::<Vec<_>>().join("\n");
    let mut used = vec![("rules.yml".to_owned(), metrics(&rules))];
    for (path, dashboard) in dashboards() {
        let named = expressions(&dashboard).into_iter().flat_map(metrics).collect();
        used.push((path.display().to_string(), named));
    }
    assert_eq!(used.len(), 5, "four dashboards and the rules");
    for (place, named) in used {
        assert!(!named.is_empty(), "{place} asks for nothing");
        for name in named {
            assert!(defined.contains(&name), "{place}: no service defines {name}");
        }
    }
}

#[test]
fn every_alert_is_tested() {
    let read = |name: &str| text(&Path::new("dashboards/prometheus").join(name)).expect("rules");
    let tests = read("rules_test.yml");
    for alert in read("rules.yml").lines().filter_map(|line| line.split("alert: ").nth(1)) {
        let fires = tests.split("alertname: ").skip(1).filter(|rest| rest.starts_with(alert));
        assert!(
            fires
                .filter(|rest| rest.lines().nth(1).is_some_and(|line| line.contains("exp_alerts")))
                .count()
                > 0,
            "{alert} fires in no test"
        );
    }
}

#[test]
fn dashboards_have_the_form_that_grafana_loads() {
    let mut uids = BTreeSet::new();
    for (path, dashboard) in dashboards() {
        let place = path.display();
        assert!(dashboard["title"].is_string() && dashboard["schemaVersion"].is_u64(), "{place}");
        assert!(uids.insert(dashboard["uid"].as_str().expect("a uid").to_owned()), "{place}: uid");
        let mut ids = BTreeSet::new();
        let mut taken = BTreeSet::new();
        for panel in panels(&dashboard) {
            let title = panel["title"].as_str().expect("a title");
            let question = panel["description"].as_str().unwrap_or_default();
            assert!(question.ends_with('?'), "{place}: {title} asks nothing");
            assert!(ids.insert(panel["id"].as_u64()), "{place}: {title} has the id of another");
            assert!(["timeseries", "stat"].contains(&panel["type"].as_str().unwrap_or_default()));
            let at = |key: &str| panel["gridPos"][key].as_u64().expect("a position");
            assert!(at("x") + at("w") <= 24, "{place}: {title} is too wide");
            for x in at("x")..at("x") + at("w") {
                for y in at("y")..at("y") + at("h") {
                    assert!(taken.insert((x, y)), "{place}: {title} lies on another");
                }
            }
            let targets = panel["targets"].as_array().expect("targets");
            assert!(!targets.is_empty(), "{place}: {title} shows nothing");
            for target in targets {
                assert_eq!(target["datasource"]["uid"], "prometheus", "{place}: {title}");
            }
        }
    }
}
