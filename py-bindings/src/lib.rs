//! The Python face.
