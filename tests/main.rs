//! The one integration binary: the promises and the shared vectors.

mod invariants;
mod promises;
mod reader;
mod vectors;
