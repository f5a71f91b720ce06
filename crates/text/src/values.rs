//! What the printed values of a column mean: numbers with units, sizes, durations, times, and the marks of a missing value.

pub mod blank;
pub mod column;
pub mod moment;
pub mod printed_number;
pub mod quantity;
