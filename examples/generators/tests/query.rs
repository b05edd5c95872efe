//! The generators by the names of their queries.

use sluice_generators::{Query, UnknownQuery};

#[test]
fn names_are_read_back() {
    for query in Query::ALL {
        assert_eq!(query.name().parse(), Ok(query));
        assert_eq!(query.to_string(), query.name());
    }
    assert_eq!("q9".parse::<Query>(), Err(UnknownQuery));
}

#[test]
fn latest_times_never_fall_and_closing_lines_are_not_empty() {
    for query in Query::ALL {
        let mut generator = query.generator(1, 0);
        assert_eq!(generator.latest_ms(), None, "{query}");
        let (mut latest, mut line) = (None, Vec::new());
        for _ in 0..2_000 {
            line.clear();
            generator.next_line(&mut line);
            assert!(generator.latest_ms() >= latest, "{query}");
            latest = generator.latest_ms();
            assert!(!line.contains(&b'\n'), "{query}");
        }
        assert!(latest.is_some(), "{query}");
        line.clear();
        generator.closing_line(&mut line);
        assert!(!line.is_empty(), "{query}");
        assert!(!query.closing_results().is_empty());
    }
}
