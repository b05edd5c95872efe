//! Pictures of a run, as SVG.

use std::fmt::Write as _;

use crate::run::Moment;

const WIDTH: f64 = 860.0;
const PANEL: f64 = 130.0;
const LEFT: f64 = 64.0;
const GAP: f64 = 34.0;
const COLORS: [&str; 6] = ["#1b6ca8", "#d1495b", "#66a182", "#edae49", "#5d4e8c", "#8d96a3"];

/// A line of a panel.
struct Line {
    name: String,
    color: &'static str,
    values: Vec<f64>,
}

struct Panel {
    title: &'static str,
    lines: Vec<Line>,
}

/// One device: target and delivered, conditions, and the shares of its plan.
#[must_use]
pub fn device(title: &str, moments: &[Moment]) -> String {
    let line = |name: &str, color: usize, value: &dyn Fn(&Moment) -> f64| Line {
        name: name.to_owned(),
        color: COLORS[color % COLORS.len()],
        values: moments.iter().map(value).collect(),
    };
    let share = |moment: &Moment, cut: i32| {
        let found = moment.shares.as_slice().iter().find(|share| share.cut.0 == cut);
        found.map_or(0.0, |share| f64::from(share.per_mille) / 10.0)
    };
    let cuts = moments.iter().flat_map(|moment| moment.shares.as_slice().last());
    let deepest = cuts.map(|share| share.cut.0).max().unwrap_or(0);
    let shares = (0..=deepest)
        .zip(0..)
        .map(|(cut, color)| line(&format!("cut {cut}"), color, &|moment| share(moment, cut)));
    let panels = [
        Panel {
            title: "events a second",
            lines: vec![
                line("arrived", 5, &|moment| moment.arrived),
                line("delivered", 0, &|moment| moment.acked),
            ],
        },
        Panel {
            title: "uplink, Mbit/s",
            lines: vec![line("uplink", 2, &|moment| moment.megabits)],
        },
        Panel { title: "CPU, cores", lines: vec![line("left for the chain", 1, &|m| m.cores)] },
        Panel { title: "plan, per cent by cut", lines: shares.collect() },
    ];
    let mut body = String::new();
    for (n, panel) in panels.iter().enumerate() {
        draw(&mut body, panel, GAP + n as f64 * (PANEL + GAP), moments.len());
    }
    svg(title, GAP + panels.len() as f64 * (PANEL + GAP), &body)
}

/// A fleet: a row per device, dark where less than the arrivals is delivered.
#[must_use]
pub fn heat(title: &str, devices: &[Vec<Moment>], bucket_seconds: usize) -> String {
    let height = (PANEL * 3.0 / devices.len().max(1) as f64).clamp(1.0, 12.0);
    let seconds = devices.first().map_or(1, Vec::len).max(1);
    let mut body = String::new();
    for (row, moments) in devices.iter().enumerate() {
        for (column, bucket) in moments.chunks(bucket_seconds).enumerate() {
            let arrived: f64 = bucket.iter().map(|moment| moment.arrived).sum();
            let acked: f64 = bucket.iter().map(|moment| moment.acked).sum();
            let ratio = if arrived > 0.0 { (acked / arrived).min(1.0) } else { 1.0 };
            if ratio < 0.99 {
                let gray = (255.0 * (ratio - 0.5).max(0.0) * 2.0).round();
                let x = LEFT + (column * bucket_seconds) as f64 / seconds as f64 * WIDTH;
                let width = bucket_seconds as f64 / seconds as f64 * WIDTH;
                let y = GAP + row as f64 * height;
                let _ = writeln!(
                    body,
                    r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="rgb({gray},{gray},{gray})"/>"#
                );
            }
        }
    }
    let bottom = GAP + devices.len() as f64 * height;
    let _ = writeln!(
        body,
        r##"<rect x="{LEFT}" y="{GAP}" width="{WIDTH}" height="{:.1}" fill="none" stroke="#999"/>"##,
        bottom - GAP
    );
    times(&mut body, bottom, seconds);
    svg(title, bottom + GAP, &body)
}

fn draw(body: &mut String, panel: &Panel, top: f64, seconds: usize) {
    let values = panel.lines.iter().flat_map(|line| line.values.iter().copied());
    let most = values.fold(0.0_f64, f64::max).max(1e-9) * 1.05;
    let bottom = top + PANEL;
    let _ = writeln!(
        body,
        r##"<rect x="{LEFT}" y="{top:.1}" width="{WIDTH}" height="{PANEL}" fill="none" stroke="#ccc"/>"##
    );
    text(body, LEFT, top - 6.0, "start", panel.title);
    text(body, LEFT - 6.0, top + 10.0, "end", &number(most));
    text(body, LEFT - 6.0, bottom, "end", "0");
    for (n, line) in panel.lines.iter().enumerate() {
        let mut points = String::new();
        for (second, value) in thinned(&line.values) {
            let x = LEFT + second / seconds.max(1) as f64 * WIDTH;
            let y = bottom - value / most * PANEL;
            let _ = write!(points, "{x:.1},{y:.1} ");
        }
        let color = line.color;
        let _ = writeln!(
            body,
            r#"<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.2"/>"#
        );
        let x = LEFT + WIDTH - 110.0 * (panel.lines.len() - n) as f64 + 100.0;
        let name = &line.name;
        let _ = writeln!(
            body,
            r#"<text x="{x:.1}" y="{:.1}" fill="{color}" text-anchor="end">{name}</text>"#,
            top - 6.0
        );
    }
    times(body, bottom, seconds);
}

/// At most a point per pixel: of each stretch its least and its greatest.
fn thinned(values: &[f64]) -> Vec<(f64, f64)> {
    let stretch = values.len().div_ceil(WIDTH as usize).max(1);
    let mut points = Vec::new();
    for (n, part) in values.chunks(stretch).enumerate() {
        let at = (n * stretch) as f64;
        points.push((at, part.iter().copied().fold(f64::INFINITY, f64::min)));
        if stretch > 1 {
            points.push((at, part.iter().copied().fold(0.0, f64::max)));
        }
    }
    points
}

fn times(body: &mut String, bottom: f64, seconds: usize) {
    for part in 0..=4 {
        let x = LEFT + WIDTH * f64::from(part) / 4.0;
        let second = seconds as f64 * f64::from(part) / 4.0;
        text(body, x, bottom + 14.0, "middle", &format!("{second:.0} s"));
    }
}

fn text(body: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let _ = writeln!(
        body,
        r##"<text x="{x:.1}" y="{y:.1}" fill="#444" text-anchor="{anchor}">{words}</text>"##
    );
}

fn number(value: f64) -> String {
    match value {
        v if v >= 10_000.0 => format!("{:.0}k", v / 1e3),
        v if v >= 10.0 => format!("{v:.0}"),
        v => format!("{v:.2}"),
    }
}

fn svg(title: &str, height: f64, body: &str) -> String {
    let width = LEFT + WIDTH + 30.0;
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
<title>{title}</title>
{body}</svg>
"##
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sluice_model::{Cut, Shares};

    #[test]
    fn a_picture_has_a_line_per_value_and_a_cell_per_failing() {
        let moment = |acked, cut| Moment {
            arrived: 100.0,
            acked,
            megabits: 8.0,
            cores: 1.0,
            shares: Shares::binary(Cut(cut)),
        };
        let moments = vec![moment(100.0, 0), moment(50.0, 2)];
        let picture = device("a device", &moments);
        assert_eq!(picture.matches("<polyline").count(), 2 + 1 + 1 + 3);
        let fleet = heat("a fleet", &[moments.clone(), moments], 1);
        assert_eq!(fleet.matches("fill=\"rgb(0,0,0)\"").count(), 2);
    }
}
