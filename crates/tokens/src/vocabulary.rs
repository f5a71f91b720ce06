//! The vocabulary of an encoding: its packed form, and the tables that merging reads.

pub(crate) mod chars;
pub(crate) mod pack;
pub(crate) mod pairs;
pub(crate) mod pieces;
pub(crate) mod tables;
