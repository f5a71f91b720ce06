//! Words of a command that a shell reads.

/// A word of a shell.
#[must_use]
pub fn quoted_word(word: &str) -> String {
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The words of a command that [`quoted_word`] wrote; nothing if a shell would do more with it than start a program.
#[must_use]
pub fn words(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            letter if is_quoted => word.get_or_insert_default().push(letter),
            ' ' => words.extend(word.take()),
            '\\' if letters.as_str().starts_with('\'') => word.get_or_insert_default().extend(letters.next()),
            letter if is_plain(letter) => word.get_or_insert_default().push(letter),
            _ => return None,
        }
    }
    words.extend(word);
    (!is_quoted).then_some(words)
}

/// Whether a shell takes a letter for nothing but itself.
fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || "/\\:._-+@=,".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_and_read_again() {
        let all = ["/a b/toolshape", "it's", "plain", "", r"C:\x", "$(rm)", "a\nb"];
        let command = all.map(quoted_word).join(" ");
        assert_eq!(words(&command).unwrap(), all);
        for more in ["a | b", "a; b", "a > b", "$(a)", "a 'b", "a \"b\"", "a & b"] {
            assert_eq!(words(more), None, "{more}");
        }
    }
}
