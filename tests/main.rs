//! The one native integration binary: the promises and the shared vectors.

#![cfg(not(target_arch = "wasm32"))]

mod documents;
mod invariants;
mod lists;
mod promises;
mod rate_limit;
mod reader;
mod series_and_grids;
mod snapshots;
mod together;
mod vectors;
