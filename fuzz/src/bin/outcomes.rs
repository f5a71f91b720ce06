//! Calls on standard input, an outcome a line on standard output, for `js-tests/differential/run.mjs`.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};
use toolshape::host::{JsonText, Naming};
use toolshape::{Call, Error, Policy, Shaper};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let given: Value = serde_json::from_str(&line?)?;
        let refused = |error: Error| json!({ "error": error.code().as_str(), "path": error.path() }).to_string();
        let outcome = outcome(&given).unwrap_or_else(refused);
        writeln!(out, "{outcome}")?;
        out.flush()?;
    }
    Ok(())
}

/// A line of JSON.
fn outcome(given: &Value) -> Result<String, Error> {
    let shaper = Shaper::new(Policy::new(&given["policy"], Naming::Camel)?);
    let (input, call) = (given["input"].as_str().unwrap_or_default(), Call::new(&given["call"], Naming::Camel)?);
    if given["kind"] == "result" {
        let returned = JsonText::parse(input)?;
        let shaped = shaper.shape_result(&returned, &call)?;
        let (result, steps) = (shaped.to_json(&returned)?, json!(shaped.receipt.map(|receipt| receipt.steps)));
        // As text, because it can have what serde does not read, such as half of a surrogate pair.
        return Ok(format!(
            r#"{{"result":{result},"unchanged":{},"isError":{},"steps":{steps}}}"#,
            shaped.unchanged, shaped.is_error
        ));
    }
    let shaped = match given["kind"] == "json" {
        true => shaper.shape_json(input, &call)?,
        false => shaper.shape_text(input, &call)?,
    };
    Ok(json!({
        "text": shaped.text, "unchanged": shaped.unchanged, "isError": shaped.is_error, "steps": shaped.receipt.steps,
        "budget": shaped.receipt.budget, "encoding": shaped.receipt.encoding.to_string(),
        "kept": shaped.keep.map(|keep| keep.key), "value": true,
    })
    .to_string())
}
