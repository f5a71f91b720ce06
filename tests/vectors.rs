//! The shared cases, which every face runs.
