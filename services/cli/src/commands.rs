//! The subcommands, one a file.

pub mod artifacts;
pub mod certificates;
pub mod check;
pub mod compose;
pub mod deploy;
pub mod device;
pub mod explain;
pub mod explain_route;
pub mod feed;
pub mod history;
pub mod init;
pub mod ping;
pub mod route;
pub mod skip;
pub mod status;
pub mod tail;
pub mod top;
pub mod topic;
pub mod undeploy;
pub mod verify;
