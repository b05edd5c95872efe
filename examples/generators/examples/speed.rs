//! Prints how many lines a second one core makes, for each query.

use sluice_generators::Query;

fn main() {
    for query in Query::ALL {
        let mut generator = query.generator(1, 0);
        let mut out = Vec::new();
        let (mut bytes, lines) = (0, 1_000_000u32);
        let started = std::time::Instant::now();
        for _ in 0..lines {
            out.clear();
            generator.next_line(&mut out);
            bytes += out.len();
        }
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "query={query} lines_per_s={:.0} mb_per_s={:.0}",
            f64::from(lines) / seconds,
            bytes as f64 / 1e6 / seconds
        );
    }
}
