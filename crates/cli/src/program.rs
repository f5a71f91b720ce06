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
    let is_plain = |letter: char| letter.is_alphanumeric() || "/\\:._-+@=,".contains(letter);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
