//! A server over a database of articles, as one writes it at first.

pub mod articles;
pub mod policy;
pub mod tools;
