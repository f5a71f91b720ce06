//! What a command printed, where Claude Code has put it into a file because it is long.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::input;

/// The members that name the file.
const IN_FILE: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];
/// The tool whose results name such a file. Those of servers name what a server likes.
const TOOL: &str = "Bash";
/// The folder of such files, within that of Claude Code.
const FOLDER: &str = "tool-results";
/// The bytes of a file that is read.
const MOST: u64 = 256_000_000;

/// Where Claude Code has its files.
pub fn host_folder() -> Option<PathBuf> {
    let folder = env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    folder.or_else(|| toolshape_account::home().map(|home| home.join(".claude")))
}

/// Puts what is in the file into the result.
pub fn complete(tool: &str, response: &mut Value) {
    if tool != TOOL {
        return;
    }
    let file = response[IN_FILE[0]].as_str().and_then(|file| of_host(Path::new(file)));
    let text = file.and_then(|file| fs::read(file).ok());
    if let (Some(text), Some(members)) = (text, response.as_object_mut()) {
        members.insert("stdout".to_owned(), input::text_of(&text).into());
        IN_FILE.iter().for_each(|name| _ = members.shift_remove(*name));
    }
}

/// The file, if Claude Code wrote it: links and `..` do not exist else.
fn of_host(file: &Path) -> Option<PathBuf> {
    let (file, folder) = (file.canonicalize().ok()?, host_folder()?.canonicalize().ok()?);
    let is_of_host = file.starts_with(folder) && file.parent()?.file_name()? == FOLDER;
    let about = fs::metadata(&file).ok()?;
    (is_of_host && about.is_file() && about.len() <= MOST).then_some(file)
}
