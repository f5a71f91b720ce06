//! This program, as a shell starts it again.

use std::env;
use std::path::{Path, PathBuf};

/// Its name if a shell finds it by the name, else its path; nothing for a module of an interpreter that has no program.
pub fn spelled() -> Option<String> {
    let found = found();
    // In an interpreter it is the second word: the script.
    let words = env::args_os().take(2).map(PathBuf::from);
    let paths = words.filter(|path| path.file_stem().is_some_and(|name| name == NAME)).chain(env::current_exe());
    let path = paths
        .filter(|path| path.components().count() > 1)
        .find(|path| path.file_stem().is_some_and(|name| name == NAME));
    match (path, found) {
        (Some(path), Some(found)) if is_same(&found, &path) => Some(NAME.to_owned()),
        (Some(path), _) => Some(quoted(&std::path::absolute(&path).unwrap_or(path).to_string_lossy())),
        (None, found) => found.map(|_| NAME.to_owned()),
    }
}

/// Its absolute path, as a shell starts it: programs that graphical ones start have another PATH.
pub fn whole() -> Option<String> {
    path().map(|path| quoted(&path.to_string_lossy()))
}

/// Its absolute path; nothing for a module of an interpreter that has no program.
pub fn path() -> Option<PathBuf> {
    let is_named = |path: &PathBuf| path.file_stem().is_some_and(|name| name == NAME);
    let own = env::current_exe().ok().filter(is_named);
    // In an interpreter it is a script, which is one of the first words.
    let script = || env::args_os().take(2).map(PathBuf::from).filter(is_named).find(|path| path.is_file());
    own.or_else(script).or_else(found).and_then(|path| std::path::absolute(path).ok())
}

pub const NAME: &str = "toolshape";

fn found() -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let names = [NAME.to_owned(), format!("{NAME}.exe")];
    env::split_paths(&folders)
        .flat_map(|folder| names.clone().map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}

/// A word of a shell.
pub fn quoted(word: &str) -> String {
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The words of a command that [`quoted`] wrote; nothing if a shell would do more with it than start a program.
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
        let command = all.map(quoted).join(" ");
        assert_eq!(words(&command).unwrap(), all);
        for more in ["a | b", "a; b", "a > b", "$(a)", "a 'b", "a \"b\"", "a & b"] {
            assert_eq!(words(more), None, "{more}");
        }
    }
}
