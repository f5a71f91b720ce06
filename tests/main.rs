//! The one integration binary: the promises and the shared vectors.

mod documents;
mod invariants;
mod promises;
mod rate_limit;
mod reader;
mod vectors;
