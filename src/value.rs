//! Reading values that the core does not own: the kinds of source, and what is looked up and measured in them.

pub(crate) mod all_members;
pub(crate) mod any_source;
pub(crate) mod as_read;
pub(crate) mod at_pointer;
pub(crate) mod canonical;
#[cfg_attr(not(feature = "sql"), expect(dead_code, reason = "without SQL, rows are counted and not read"))]
pub(crate) mod field_blocks;
pub(crate) mod field_search;
pub(crate) mod gathered;
pub(crate) mod hashed;
#[cfg_attr(not(feature = "sql"), expect(dead_code, reason = "without SQL, rows are counted and not read"))]
pub(crate) mod headed_blocks;
pub(crate) mod hidden_in_place;
pub(crate) mod json_in_text;
pub(crate) mod json_text;
pub(crate) mod length_estimate;
pub(crate) mod listed_fields;
pub(crate) mod map_rows;
pub(crate) mod numeric_column;
pub(crate) mod one_spelling;
pub(crate) mod own_page;
pub(crate) mod plain_text;
pub(crate) mod project;
pub(crate) mod prose;
pub(crate) mod rate_limit;
pub(crate) mod redacted_rows;
pub(crate) mod redaction;
pub(crate) mod reordered;
pub(crate) mod rows_inside;
pub(crate) mod sampling;
pub(crate) mod source;
pub(crate) mod structured_text;
#[cfg_attr(not(feature = "sql"), expect(dead_code, reason = "without SQL, rows are counted and not read"))]
pub(crate) mod table_rows;
pub(crate) mod text_reading;
pub(crate) mod token_count;
pub(crate) mod token_estimate;
pub(crate) mod values_at;
