//! Where options come from, and what each origin may set.
//!
//! A file that is found in the working folder may be anybody's, such as a repository's: it shapes, and names no place, no secret,
//! and not who reads results. These come from the command line, from a file that it names, or from the user's own folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail, ensure};
use serde_json::{Map, Value};
use toolshape::host::{OF_REDACTION, names};
use toolshape::{Encoding, ErrorCode};
use toolshape_account::{folder_of, home};
use toolshape_proxy::RelayOptions;

use crate::misuse::Misuse;
use crate::output;

/// The file that is read by default.
const FILE: &str = "toolshape.json";
/// Options that the working folder adds to, and does not take away.
const ADDED: [&str; 2] = names(&OF_REDACTION);
/// The bytes of a file of options.
const MOST: u64 = 1 << 20;

/// The options of the file that is named; without one, those of the user's own file, and what the working folder's may set.
///
/// # Errors
/// A file that cannot be read, and options that are wrong.
pub fn read(named: Option<&Path>) -> Result<Map<String, Value>> {
    if let Some(file) = named {
        return checked(file);
    }
    let mut options = of_user()?;
    let found = Path::new(FILE);
    if found.is_file() {
        for (name, value) in checked(found)? {
            if !RelayOptions::only_shapes(&name) {
                output::say(&format!(
                    "toolshape: {name} in ./{FILE} is ignored: the file of a working folder only shapes; --config ./{FILE} \
                     takes all of it"
                ));
                continue;
            }
            match (options.get_mut(&name), value) {
                (Some(Value::Array(all)), Value::Array(more)) if ADDED.contains(&&*name) => all.extend(more),
                (_, Value::Null) if ADDED.contains(&&*name) => {}
                (_, value) => _ = options.insert(name, value),
            }
        }
    }
    Ok(options)
}

/// The options of the user's own file, if there is one.
fn of_user() -> Result<Map<String, Value>> {
    let file = user_file().filter(|file| file.is_file());
    Ok(file.as_deref().map(checked).transpose()?.unwrap_or_default())
}

/// The options of a file. Errors name the file.
fn checked(file: &Path) -> Result<Map<String, Value>> {
    let read = RelayOptions::read(&text(file)?).map_err(|error| match error.code() {
        ErrorCode::InvalidJson => Error::from(error).context(format!("{} is not JSON", file.display())),
        _ => Error::from(error).context(file.display().to_string()),
    });
    let (Value::Object(options), _) = read? else { bail!("{} is not a JSON object", file.display()) };
    Ok(options)
}

/// The options of a process for each result, which keeps it where `toolshape read` finds it: where the user's own file says, or else
/// in the user's cache. What that file calls secret is so too. `named` are those of the command line, which `all` has too.
///
/// Tokens are estimated unless the options name an encoding: to load the vocabulary each time would take longer than all else.
///
/// # Errors
/// Options that are wrong, and another place.
pub fn kept(named: &Map<String, Value>, mut all: Map<String, Value>) -> Result<RelayOptions> {
    if named.get("store").is_some_and(|store| *store != Value::Bool(false)) {
        bail!(Misuse(
            "results are kept where toolshape read finds them: store is an option of the user's own toolshape.json"
        ));
    }
    let mut of_user = of_user()?;
    if let (None, Some(store)) = (all.get("store"), of_user.remove("store")) {
        all.insert("store".to_owned(), store);
    }
    // What a user calls secret is so in every process of the user.
    for name in ADDED {
        let known = all.entry(name).or_insert(Value::Null);
        if known.is_null() {
            *known = Value::Array(Vec::new());
        }
        if let (Some(Value::Array(more)), Value::Array(known)) = (of_user.remove(name), known) {
            more.into_iter().for_each(|secret| {
                if !known.contains(&secret) {
                    known.push(secret);
                }
            });
        }
    }
    all.entry("encoding").or_insert_with(|| Encoding::Estimate.name().into());
    Ok(RelayOptions::new(&Value::Object(all))?)
}

/// The text of a file of options.
///
/// # Errors
/// A file that cannot be read, or is too long.
pub fn text(file: &Path) -> Result<String> {
    let shown = file.display();
    let bytes = fs::metadata(file).with_context(|| format!("cannot read {shown}"))?.len();
    ensure!(bytes <= MOST, "{shown} has {bytes} bytes, more than the {MOST} of a file of options");
    fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))
}

/// The user's own file.
fn user_file() -> Option<PathBuf> {
    let usual = if cfg!(windows) { folder_of("APPDATA") } else { home().map(|home| home.join(".config")) };
    Some(folder_of("XDG_CONFIG_HOME").or(usual)?.join("toolshape").join(FILE))
}
