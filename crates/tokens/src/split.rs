//! Splitting text into pieces: classes of characters, the patterns of the encodings, places where cuts are safe.

pub(crate) mod class;
pub(crate) mod cuts;
pub(crate) mod pattern;
pub(crate) mod window;
