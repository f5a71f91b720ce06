//! `toolshape shape`: a value or a text in a pipe, shaped as a tool's result is, and asked as `read_result` is.

use anyhow::Result;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toolshape::host::{JsonText, Naming, Source};
use toolshape::{Call, Shaped, Shaper};

use crate::arguments::{QuestionArguments, ShapeArguments};
use crate::input;

/// Prints the shaped result; what was done goes to the standard error.
pub fn run(asked: &ShapeArguments) -> Result<u8> {
    let shaper = Shaper::new(asked.policy.read()?.policy);
    let text = input::read(asked.file.as_deref())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut arguments = controls(asked);
    let question = asked.question.arguments();
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
    println!("{}", shaped.text);
    eprintln!("{}", toolshape::host::receipt_line(&shaped.receipt.to_json()));
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

fn controls(asked: &ShapeArguments) -> Map<String, Value> {
    let ShapeArguments { page, page_size, cursor, fields, format, .. } = asked;
    let fields = (!fields.is_empty()).then_some(fields);
    shown(json!({ "page": page, "pageSize": page_size, "cursor": cursor, "fields": fields, "format": format }))
}

impl QuestionArguments {
    fn arguments(&self) -> Map<String, Value> {
        let flag = |given: bool| given.then_some(true);
        shown(json!({
            "sql": self.sql, "pointer": self.pointer, "search": self.search, "lines": self.lines,
            "outline": flag(self.outline),
        }))
    }
}

/// The arguments that were given.
fn shown(arguments: Value) -> Map<String, Value> {
    let Value::Object(arguments) = arguments else { return Map::new() };
    arguments.into_iter().filter(|(_, value)| !value.is_null()).collect()
}
