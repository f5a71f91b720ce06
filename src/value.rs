//! Reading values that the core does not own: the kinds of source, and what is looked up and measured in them.

pub(crate) mod any_source;
pub(crate) mod at_pointer;
pub(crate) mod canonical;
pub(crate) mod field_search;
pub(crate) mod gathered;
pub(crate) mod hashed;
pub(crate) mod json_in_text;
pub(crate) mod json_text;
pub(crate) mod json_walk;
pub(crate) mod length_estimate;
pub(crate) mod listed_fields;
pub(crate) mod map_rows;
pub(crate) mod moment;
pub(crate) mod numeric_column;
pub(crate) mod one_spelling;
pub(crate) mod plain_text;
pub(crate) mod project;
pub(crate) mod prose;
pub(crate) mod rate_limit;
pub(crate) mod reordered;
pub(crate) mod sampling;
pub(crate) mod source;
pub(crate) mod structured_text;
pub(crate) mod text_reading;
pub(crate) mod token_count;
pub(crate) mod token_estimate;
