//! What all other modules use: errors, JSON strings and pointers, safe cuts in text, tokens.

pub(crate) mod error;
pub(crate) mod field_path;
pub mod json_pointer;
pub mod json_string;
pub(crate) mod literal;
pub(crate) mod members;
pub(crate) mod numbers;
pub(crate) mod once;
pub(crate) mod similar_names;
pub(crate) mod sort_key_order;
pub(crate) mod sorting;
pub(crate) mod text_cuts;
pub(crate) mod tokens;
pub(crate) mod utc;
pub(crate) mod word_bounds;
pub(crate) mod work;
