//! What this crate writes and reads, held to a general Avro library and to damaged input.

mod frames;
mod random;
mod records;
mod types;
