//! House rules as tests: who may depend on whom, how large files get, what text never says, which schemas may change how.

use std::path::{Path, PathBuf};

/// Words that code without IO, clock or environment has no use for.
pub const IMPURE: [&str; 9] = [
    "std::fs",
    "std::net",
    "std::env",
    "std::io",
    "std::thread",
    "SystemTime",
    "Instant::now",
    "tokio::",
    "rdkafka::",
];

/// The top folder of the repository.
#[must_use]
pub fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository is there")
}

/// Every file of the repository, as a path from the top, without what builds leave behind.
#[must_use]
pub fn files() -> Vec<PathBuf> {
    let (top, mut files) = (top(), Vec::new());
    walk(&top, &top, &mut files);
    files.sort();
    files
}

fn walk(top: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        // A worktree has a file of that name.
        if name == ".git" {
            continue;
        }
        if path.is_dir() {
            if name != "target" {
                walk(top, &path, files);
            }
        } else if let Ok(relative) = path.strip_prefix(top) {
            files.push(relative.to_owned());
        }
    }
}

/// The text of a file given from the top; `None` where it is no UTF-8.
#[must_use]
pub fn text(path: &Path) -> Option<String> {
    std::fs::read_to_string(top().join(path)).ok()
}
