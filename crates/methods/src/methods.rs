//! The functions of the table, by what they are about.

pub mod reading;
pub mod relay;
pub mod session;
pub mod shaping;
#[cfg(feature = "sql")]
pub mod sql;
pub mod tools;
