//! Marks of a missing value, as programs print them among numbers and times.

/// The marks, in small letters.
const MARKS: [&str; 18] = [
    "", "-", "--", "—", "–", "?", "\\n", "n/a", "#n/a", "na", "n.a.", "nan", "nil", "none", "null", "<nil>", "<none>",
    "<na>",
];
const LONGEST: usize = 6;

/// Whether a text represents a missing value where the others of its column are numbers or times.
pub fn is_blank(text: &str) -> bool {
    let text = text.trim_ascii();
    text.len() <= LONGEST && MARKS.iter().any(|mark| text.eq_ignore_ascii_case(mark))
}

#[cfg(test)]
mod tests {
    use super::is_blank;

    #[test]
    fn marks_are_short() {
        assert!(["", "-", "N/A", " nan ", "\\N", "<none>", "—"].into_iter().all(is_blank));
        assert!(!["0", "no", "none of it", "x", "---"].into_iter().any(is_blank));
    }
}
