//! Artifacts: the files of users' jobs, by their content (DESIGN section 4).
//!
//! | module | what |
//! |---|---|
//! | [`digest`] | the name of an artifact: SHA-256 of its bytes |
//! | [`store`] | a folder of artifacts; what stands there is whole and verified |
//! | [`serve`] | the store over HTTP |
//! | [`client`] | putting artifacts into a store, and fetching them |
//! | [`cache`] | what a device or replica holds of the store |

pub mod cache;
pub mod client;
pub mod digest;
pub mod serve;
pub mod store;

pub use cache::{Cache, Retry};
pub use client::{Client, ClientError};
pub use digest::{Digest, DigestError};
pub use store::{Limits, Store, StoreError, Stored};
