//! Texts that are rows: how they are divided into rows, and rows into cells.

pub mod cells;
pub mod folds;
pub mod grammar;
pub mod head;
pub mod record;
pub mod row_index;
pub mod yaml_divider;
