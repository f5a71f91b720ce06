//! Texts that are read and not queried: what a text is, by a look at it. `toolshape_text::prose` reads them.

pub(crate) mod recognize;
pub(crate) mod sample;
