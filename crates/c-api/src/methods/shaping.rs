//! Shapers, and values and texts that they shape.

use serde_json::{Value, json};
use toolshape::host::{Naming, TextSummary, Together, ToolOutput, infer_schema};
use toolshape::{Call, Error, ErrorCode, Policy, Shaper};

use super::{Method, SHAPERS, method, shaper};
use crate::answer::Answer;
use crate::request::Request;

pub const METHODS: &[Method] = &[
    method("shaper", &["policy"], make),
    method("forgetShaper", &["shaper"], forget),
    method("preset", &["name"], preset),
    method("shapeJson", &["shaper", "text", "call", "now"], shape_json),
    method("shapeText", &["shaper", "text", "call", "now"], shape_text),
    method("shapeTogether", &["shaper", "results", "combinedTokens", "now"], shape_together),
    method("summarizeText", &["shaper", "text", "summary", "call", "now"], summarize_text),
    method("inferSchema", &["text"], schema),
];

fn make(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let policy = Policy::new(&request.value("policy", ErrorCode::InvalidPolicy)?, Naming::Camel)?;
    Ok(json!(SHAPERS.with(|shapers| shapers.add(Shaper::new(policy)))))
}

fn forget(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let number = request.number("shaper")?;
    Ok(json!(SHAPERS.with(|shapers| shapers.forget(number))))
}

fn preset(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Policy::preset(&request.string("name")?, Naming::Camel)
}

fn shape_json(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (text, call) = (request.text("text")?, request.call()?);
    Ok(answer.shaped(shaper(request)?.shape_json(text, &call)?, Some(text)))
}

fn shape_text(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (text, call) = (request.text("text")?, request.call()?);
    Ok(answer.shaped(shaper(request)?.shape_text(text, &call)?, Some(text)))
}

fn shape_together(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (given, now) = (request.list("results")?, request.optional_number("now")?);
    let calls = given.iter().map(|one| one.call_at(now)).collect::<Result<Vec<Call>, _>>()?;
    let limit = Together::new(&json!({ "combinedTokens": request.optional_number("combinedTokens")? }), Naming::Camel)?;
    let (mut outputs, mut texts) = (Vec::new(), Vec::new());
    for (at, (one, call)) in given.iter().zip(&calls).enumerate() {
        let output = || match one.has_only(&["json", "text", "call"]).and_then(|()| one.optional_text("json"))? {
            Some(json) => Ok((json, ToolOutput::json(json, call)?)),
            None => one.text("text").map(|text| (text, ToolOutput::text(text, call))),
        };
        let (text, output) = output().map_err(|error: Error| error.under(at))?;
        outputs.push(output);
        texts.push(text);
    }
    let shaped = shaper(request)?.shape_together(&outputs, &limit)?;
    Ok(shaped.into_iter().zip(texts).map(|(shaped, text)| answer.shaped(shaped, Some(text))).collect())
}

fn summarize_text(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let text = request.text("text")?;
    let options = TextSummary::new(&request.value("summary", ErrorCode::InvalidCall)?, Naming::Camel)?;
    let shaped = shaper(request)?.summarize_text(text, &options, &request.call()?)?;
    Ok(answer.shaped(shaped, Some(text)))
}

/// The JSON Schema of a JSON text.
fn schema(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    Ok(answer.part(infer_schema(request.text("text")?)?))
}
