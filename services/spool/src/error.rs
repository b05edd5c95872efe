//! What can go wrong, and what the caller can do about it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::{Index, SpoolHole};

/// Why a call on a spool failed.
#[derive(Debug, Error)]
pub enum SpoolError {
    /// Another process (or another handle of this one) has the spool open.
    #[error("the spool in {} is in use by another process", .0.display())]
    Locked(PathBuf),
    /// The journal does not hold what was once durable in it. Nothing is skipped or repaired: without its facts
    /// numbers could be used twice. (Damaged records become holes instead.)
    #[error("spool file {file} is damaged at byte {offset}: {what}")]
    Damaged {
        /// Name of the file inside the spool directory.
        file: String,
        /// Where the damage begins, in bytes from the start of the file.
        offset: u64,
        /// What was found.
        what: String,
    },
    /// A file could not be opened or read.
    #[error("spool cannot {what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// What the operating system said.
        #[source]
        error: io::Error,
    },
    /// The disk has no space left. Nothing was written; trying again later may succeed.
    #[error("spool cannot {what}: the disk is full")]
    DiskFull {
        /// What was tried.
        what: String,
    },
    /// The file system is read-only. Nothing was written; trying again later may succeed.
    #[error("spool cannot {what}: the file system is read-only")]
    ReadOnly {
        /// What was tried.
        what: String,
    },
    /// The record can't be read: it was dropped, or is damaged. Reading goes on behind the hole.
    #[error("the records from {} to {} are in a hole of the spool", .0.first, .0.end)]
    Hole(SpoolHole),
    /// The record was acknowledged, so that it may be removed at any time.
    #[error("record {from} is gone from the spool; the cursor is at {cursor}")]
    Gone {
        /// The record asked for.
        from: Index,
        /// The oldest record that may be read.
        cursor: Index,
    },
    /// The call is not allowed now or with these arguments.
    #[error("spool misused: {0}")]
    Misuse(&'static str),
    /// A write or an fsync failed. Final: what the disk holds is unknown until the spool is opened again.
    #[error("the spool has failed and must be opened again: {0}")]
    Failed(Arc<str>),
    /// The spool was closed.
    #[error("the spool is closed")]
    Closed,
}

/// Why an append was refused; nothing of the refused record was written.
#[derive(Debug, Error)]
pub enum AppendError {
    /// No room now; `Spool::wait_for_room` tells when.
    #[error("{0}")]
    Full(Full),
    /// The value can never be appended to this spool.
    #[error("a value of {bytes} bytes is over the limit of {limit}")]
    TooLarge {
        /// Size of the value.
        bytes: usize,
        /// The largest value that this spool takes.
        limit: usize,
    },
    /// The spool accepts nothing (failed, closed, or no start was begun).
    #[error(transparent)]
    Refused(#[from] SpoolError),
}

/// What is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Full {
    /// The spool's own bound, `max_bytes`.
    #[error("the spool is full")]
    Spool,
    /// The disk (or its quota), before the spool's own bound was reached.
    #[error("the disk under the spool is full")]
    Disk,
    /// Nothing: the file system is read-only, and no other place is left.
    #[error("the file system under the spool is read-only")]
    ReadOnly,
}

impl SpoolError {
    /// A failed open or read of a file.
    pub(crate) fn read(what: impl Into<String>, error: io::Error) -> SpoolError {
        match error.kind() {
            io::ErrorKind::ReadOnlyFilesystem => SpoolError::ReadOnly { what: what.into() },
            _ => SpoolError::Io { what: what.into(), error },
        }
    }

    /// A failed write: a full or read-only disk can be waited for, everything else is final.
    pub(crate) fn write(what: impl Into<String>, error: &io::Error) -> SpoolError {
        let what = what.into();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                SpoolError::DiskFull { what }
            }
            io::ErrorKind::ReadOnlyFilesystem => SpoolError::ReadOnly { what },
            _ => SpoolError::Failed(format!("cannot {what}: {error}").into()),
        }
    }

    /// A failed fsync. Always final: the kernel may have dropped the dirty pages, so that a second fsync would
    /// succeed without the data being on the disk.
    pub(crate) fn sync(what: impl Into<String>, error: &io::Error) -> SpoolError {
        SpoolError::Failed(format!("cannot sync {}: {error}", what.into()).into())
    }

    /// The same error where nothing can go on behind it.
    pub(crate) fn into_final(self) -> SpoolError {
        match self {
            SpoolError::Failed(_) => self,
            other => SpoolError::Failed(other.to_string().into()),
        }
    }

    /// What keeps from writing now and may end by itself; `None` for everything else.
    pub(crate) fn blocked(&self) -> Option<Full> {
        match self {
            SpoolError::DiskFull { .. } => Some(Full::Disk),
            SpoolError::ReadOnly { .. } => Some(Full::ReadOnly),
            _ => None,
        }
    }

    pub(crate) fn damaged(file: &str, offset: u64, what: impl Into<String>) -> SpoolError {
        SpoolError::Damaged { file: file.to_owned(), offset, what: what.into() }
    }
}
