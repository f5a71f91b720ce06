//! The parts of the tests' `vectors` that the promises need.

#[path = "../../tests/vectors/weight.rs"]
pub mod weight;
