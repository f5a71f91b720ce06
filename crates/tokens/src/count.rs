//! The public functions: counts, limits, truncation, and the encodings.

pub(crate) mod certain_fit;
pub(crate) mod counted_text;
pub(crate) mod counter;
pub(crate) mod encoding;
pub(crate) mod estimate;
pub(crate) mod loaded;
pub(crate) mod measure;
pub(crate) mod tokenizer;
pub(crate) mod truncate;
