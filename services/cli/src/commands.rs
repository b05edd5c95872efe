//! The subcommands, one a file.

pub mod artifacts;
pub mod check;
pub mod deploy;
pub mod device;
pub mod explain;
pub mod feed;
pub mod init;
pub mod ping;
pub mod route;
pub mod skip;
pub mod status;
pub mod tail;
pub mod topic;
pub mod undeploy;
pub mod verify;
