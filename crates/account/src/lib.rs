//! What toolshape saved on this machine: a ledger of tokens, without arguments and results, and its sums.
#![forbid(unsafe_code)]

mod entry;
mod ledger;
mod savings;
mod table;

pub use entry::Entry;
pub use ledger::{Ledger, folder_of, home, now, state_folder};
pub use savings::{By, Savings, Sum};
