//! `toolshape shape`: a value or a text in a pipe, shaped as a tool's result is, and asked as `read_result` is.

use std::time::Instant;

use anyhow::Result;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toolshape::host::{JsonText, Naming, Source, explain, receipt_line};
use toolshape::{Call, Shaped, Shaper};

use crate::arguments::ShapeArguments;
use crate::{input, output};

/// Prints the shaped result; what was done goes to the standard error.
pub fn run(asked: &ShapeArguments) -> Result<u8> {
    let options = asked.policy.read()?;
    let shaper = Shaper::new(options.policy);
    let text = input::read(asked.file.as_deref())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let redacted = options.redaction.of_text(text);
    let text = redacted.as_deref().unwrap_or(text);
    let began = Instant::now();
    let mut arguments = asked.controls.given();
    let question = asked.question.given();
    let shaped = match question.is_empty() {
        true => {
            let call = Call::new(&json!({ "arguments": arguments }), Naming::Camel)?;
            match JsonText::parse(text) {
                Ok(_) => shaper.shape_json(text, &call)?,
                Err(_) => shaper.shape_text(text, &call)?,
            }
        }
        false => {
            arguments.extend(question);
            ask(&shaper, text, arguments)?
        }
    };
    output::print(format!("{}\n", shaped.text))?;
    let mut receipt = shaped.receipt.to_json();
    receipt["durationMs"] = json!(began.elapsed().as_secs_f64() * 1000.0);
    let report = if asked.explain { explain } else { receipt_line };
    output::say(&report(&receipt, Naming::Camel));
    Ok(u8::from(shaped.is_error))
}

/// Answers a question as if the text were a stored result.
fn ask(shaper: &Shaper, text: &str, mut arguments: Map<String, Value>) -> Result<Shaped> {
    let (content, ending) = match JsonText::parse(text) {
        Ok(value) => (value.json()?.into_owned(), "json"),
        Err(_) => (text.to_owned(), "txt"),
    };
    let id: String = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
    arguments.insert("handle".to_owned(), json!(id));
    let call = Call::new(&json!({ "tool": "read_result", "arguments": arguments }), Naming::Camel)?;
    Ok(shaper.read_result(Some((&format!("{id}.{ending}"), &content)), &call)?)
}
