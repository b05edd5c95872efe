//! The class files of the user's jar.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::archive::{Archive, ArchiveError};

/// Where class files come from.
pub trait Classes {
    /// The class file of a class by its internal name (`a/b/C`); none if it is not there.
    fn class(&self, internal_name: &str) -> Option<&[u8]>;

    /// The internal names of all classes, sorted.
    fn names(&self) -> Vec<&str>;
}

/// A jar in memory, with the jars in its folder `lib`, whose classes come behind its own as in Flink's class path.
#[derive(Debug)]
pub struct Jar {
    archives: Vec<Archive>,
    classes: HashMap<String, Class>,
}

#[derive(Debug)]
struct Class {
    archive: usize,
    at: usize,
    /// Unpacked when it is first asked for: of a large jar only few classes ever are.
    bytes: OnceLock<Option<Vec<u8>>>,
}

impl Jar {
    /// Reads a jar.
    ///
    /// # Errors
    /// An [`ArchiveError`] if it, or a jar in it, can't be read.
    pub fn read(bytes: impl Into<Vec<u8>>) -> Result<Self, ArchiveError> {
        let outer = Archive::read(bytes.into())?;
        let nested = |name: &str| name.starts_with("lib/") && name.ends_with(".jar");
        let inner: Vec<usize> =
            (0..outer.names().len()).filter(|&at| nested(&outer.names()[at])).collect();
        let mut archives = Vec::with_capacity(1 + inner.len());
        for at in inner {
            archives.push(Archive::read(outer.unpack(at)?)?);
        }
        archives.insert(0, outer);
        let mut classes = HashMap::new();
        for (archive, names) in archives.iter().map(Archive::names).enumerate() {
            for (at, name) in names.iter().enumerate() {
                if let Some(class) = name.strip_suffix(".class") {
                    let class_at = Class { archive, at, bytes: OnceLock::new() };
                    classes.entry(class.to_owned()).or_insert(class_at);
                }
            }
        }
        Ok(Self { archives, classes })
    }
}

impl Classes for Jar {
    fn class(&self, internal_name: &str) -> Option<&[u8]> {
        let class = self.classes.get(internal_name)?;
        let unpack = || self.archives[class.archive].unpack(class.at).ok();
        class.bytes.get_or_init(unpack).as_deref()
    }

    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.classes.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }
}
