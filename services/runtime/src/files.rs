//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::Context as _;

/// Puts `bytes` in the place of the file `name` in `folder`, which is made where it is missing. After a crash the old content is there or the new.
///
/// # Errors
/// When the disk refuses; names the file.
pub fn replace(folder: &Path, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
    let path = folder.join(name);
    let new = path.with_extension("new");
    let write = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut file = File::create(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        File::open(folder)?.sync_all()
    };
    write().with_context(|| format!("{}: can't be written", path.display()))
}
