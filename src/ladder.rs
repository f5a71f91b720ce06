//! Which shape is tried when.

pub(crate) mod asked_fields;
pub(crate) mod draft;
pub(crate) mod example_question;
pub(crate) mod field_roles;
pub(crate) mod job;
pub(crate) mod listed_lines;
pub(crate) mod part_tables;
pub(crate) mod prose;
pub(crate) mod refusal;
pub(crate) mod row_fields;
pub(crate) mod row_tally;
pub(crate) mod rows_page;
pub(crate) mod series_or_grid;
pub(crate) mod shape;
pub(crate) mod shown_before;
pub(crate) mod storing;
pub(crate) mod structured_text;
pub(crate) mod suggest;
pub(crate) mod telling_fields;
pub(crate) mod text_rows;
pub(crate) mod unusual_rows;
