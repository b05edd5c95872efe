//! Tests of the spool through its public API, most of them on a disk in memory.

mod damage;
mod drops;
mod faults;
mod log;
mod modes;
mod power;
mod runs;
mod support;
