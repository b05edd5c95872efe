//! Names that topics, keys and metrics can carry, from those that a job gives.

use std::collections::{BTreeMap, BTreeSet};

use sluice_model::InputName;

use crate::graph::Node;
use crate::options::Options;

/// The longest name that [`InputName`] takes.
const MOST: usize = 64;

/// Makes names unique by numbers behind them.
#[derive(Debug, Default)]
pub struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Names that are taken.
    #[must_use]
    pub fn taken<'a>(names: impl IntoIterator<Item = &'a InputName>) -> Self {
        Self { taken: names.into_iter().map(|name| name.as_str().to_owned()).collect() }
    }

    /// A legal name like `wish`, or like `otherwise` if nothing of it is legal, that was not given before.
    pub fn unique(&mut self, wish: &str, otherwise: &str) -> String {
        let stem = Some(legal(wish)).filter(|name| !name.is_empty());
        let stem = stem.unwrap_or_else(|| otherwise.to_owned());
        let mut name = stem.clone();
        for number in 2.. {
            if self.taken.insert(name.clone()) {
                break;
            }
            let suffix = format!("-{number}");
            name = format!("{}{suffix}", &stem[..stem.len().min(MOST - suffix.len())]);
        }
        name
    }
}

/// The text in small letters, with `-` in the place of whatever is not allowed.
fn legal(text: &str) -> String {
    let mut name = String::new();
    for c in text.trim().chars().flat_map(char::to_lowercase) {
        if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' {
            name.push(c);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_start_matches(['-', '_']);
    name[..name.len().min(MOST)].trim_end_matches('-').to_owned()
}

/// The names of inputs, by source: as the user says, else the source's uid, else its name.
#[must_use]
pub fn input_names(sources: &[&Node], options: &Options) -> BTreeMap<i32, InputName> {
    let wished = |source: &Node| {
        options.input_names.iter().find(|(name, _)| source.is_called(name)).map(|(_, name)| name)
    };
    let mut names = Names::taken(sources.iter().filter_map(|source| wished(source)));
    let mut named = BTreeMap::new();
    for source in sources {
        let name = wished(source).cloned().unwrap_or_else(|| {
            let given = source.name.trim_start_matches("Source: ");
            let name = names.unique(source.uid.as_deref().unwrap_or(given), "input");
            InputName::new(name).expect("made legal")
        });
        named.insert(source.id, name);
    }
    named
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_keep_what_is_legal() {
        let mut names = Names::default();
        assert_eq!(names.unique("Flat Map", "x"), "flat-map");
        assert_eq!(names.unique("flat  map!", "x"), "flat-map-2");
        assert_eq!(names.unique("Größe -> _1", "x"), "gr-e-_1");
        assert_eq!(names.unique("源", "input"), "input");
    }

    proptest! {
        #[test]
        fn names_are_legal_and_unique(wishes in prop::collection::vec(".{0,80}", 0..20)) {
            let mut names = Names::default();
            let given: Vec<_> = wishes.iter().map(|wish| names.unique(wish, "input")).collect();
            for (at, name) in given.iter().enumerate() {
                prop_assert!(InputName::new(name.clone()).is_ok(), "{name:?}");
                prop_assert!(!given[..at].contains(name));
            }
        }
    }
}
