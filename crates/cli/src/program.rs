//! This program, as a shell starts it again.

use std::env;
use std::path::{Path, PathBuf};

use toolshape_hosts::quoted_word;

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
        (Some(path), _) => Some(quoted_word(&std::path::absolute(&path).unwrap_or(path).to_string_lossy())),
        (None, found) => found.map(|_| NAME.to_owned()),
    }
}

/// Its absolute path, as a shell starts it: programs that graphical ones start have another PATH.
pub fn whole() -> Option<String> {
    path().map(|path| quoted_word(&path.to_string_lossy()))
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
