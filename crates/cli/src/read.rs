//! `toolshape read`: a part of a result that `run` or a hook has stored, or the answer to a question about it.

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use crate::arguments::ReadArguments;
use crate::output;
use crate::settings;
use crate::single_calls::SingleCalls;

/// Prints the answer.
pub fn run(asked: &ReadArguments) -> Result<u8> {
    let mut arguments = asked.handle.as_deref().map(named).transpose()?.unwrap_or_default();
    arguments.extend(asked.controls.given());
    arguments.extend(asked.question.given());
    if let Some(sql) = &asked.statement {
        arguments.insert("sql".to_owned(), sql.as_str().into());
    }
    let mut options = settings::read(None)?;
    if let Some(tokens) = asked.max_tokens {
        options.insert("maxTokens".to_owned(), tokens.into());
    }
    let (text, is_error) =
        SingleCalls::new(&settings::kept(&Map::new(), options)?, "read")?.read(&Value::Object(arguments))?;
    output::print(format!("{text}\n"))?;
    Ok(u8::from(is_error))
}

/// The arguments that name a result. Notes of results show them as JSON.
fn named(handle: &str) -> Result<Map<String, Value>> {
    match handle.starts_with('{') {
        true => serde_json::from_str(handle).context("the arguments are not JSON"),
        false => Ok(Map::from_iter([("handle".to_owned(), handle.into())])),
    }
}
