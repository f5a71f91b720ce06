//! Where whole results are kept: in memory, in a folder or in a service such as Redis, all by one trait; and the archive that shapes results,
//! stores what they leave out, and reads it.
#![forbid(unsafe_code)]

/// The example of the README, as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod archive;
mod file;
mod folder;
mod ledger;
mod memory;
mod pause;
#[cfg(feature = "service")]
mod service;
mod store;
mod timed;

pub use archive::Archive;
pub use file::FileStore;
#[doc(hidden)]
pub use file::in_home;
/// For our stores in other languages.
#[doc(hidden)]
pub use ledger::{Account, Incoming, Keeping};
pub use memory::MemoryStore;
#[doc(hidden)]
pub use memory::Values;
#[cfg(feature = "service")]
pub use service::ServiceStore;
pub use store::{Limits, Store};
pub use timed::TimedStore;
