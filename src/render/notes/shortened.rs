//! The sentences about values that are shortened.

use crate::render::elide::Elision;

use super::ways::Note;

/// How many values are shortened.
pub(super) fn count(shortened: usize) -> String {
    match shortened {
        1 => "1 value is shortened.".to_owned(),
        _ => format!("{shortened} values are shortened."),
    }
}

/// What the kinds of elisions mean that are not those of JSON.
pub(super) fn texts(elisions: &[Elision], note: &mut Note<'_>) {
    if elisions.iter().any(Elision::is_repeated) {
        note.say("The pointer of a repeated-key is that of the object around it: set format to text too.");
    }
    if elisions.iter().any(Elision::is_json_text) {
        note.say("What is under … JSON text is a string in the original.");
    }
    if elisions.iter().any(Elision::is_reading) {
        note.say("What is under … HTML or … log is what a string in the original says.");
    }
}
