//! Values to shape, as JSON texts: those of a tool, rows of a query, whole `CallToolResult`s, errors.

use std::rc::Rc;

use serde_json::{Value, json};
use toolshape::host::{Content, JsonText, Keyset, Links, Naming, Replacement, Together, ToolOutput};
use toolshape::{Call, Error, Shaped, Shaper};

use crate::messages::writer::PartWriter;
use crate::request::Request;

fn shaper(request: &Request<'_>) -> Result<Rc<Shaper>, Error> {
    crate::shaper(request.number("shaper")?)
}

pub fn shape_json(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let (text, call) = (request.text("text")?, request.call()?);
    Ok(writer.shaped(shaper(request)?.shape_json(text, &call)?, Some(text)))
}

pub fn shape_text(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let (text, call) = (request.text("text")?, request.call()?);
    Ok(writer.shaped(shaper(request)?.shape_text(text, &call)?, Some(text)))
}

pub fn shape_together(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let (shaper, given, now) = (shaper(request)?, request.list("results")?, request.optional_number("now")?);
    let calls = given.iter().map(|one| one.call_at(now)).collect::<Result<Vec<Call>, _>>()?;
    let limit = Together::new(&json!({ "combinedTokens": request.optional_number("combinedTokens")? }), Naming::Camel)?;
    let (mut outputs, mut texts) = (Vec::new(), Vec::new());
    for (at, (one, call)) in given.iter().zip(&calls).enumerate() {
        let known = ["json", "text", "call"];
        let output = || match one.has_only(known.into_iter()).and_then(|()| one.optional_text("json"))? {
            Some(json) => Ok((json, ToolOutput::json(json, call)?)),
            None => one.text("text").map(|text| (text, ToolOutput::text(text, call))),
        };
        let (text, output) = output().map_err(|error: Error| error.under(at))?;
        outputs.push(output);
        texts.push(text);
    }
    let shaped = shaper.shape_together(&outputs, &limit)?;
    Ok(shaped.into_iter().zip(texts).map(|(shaped, text)| writer.shaped(shaped, Some(text))).collect())
}

pub fn shape_result(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let text = request.text("returned")?;
    let returned = JsonText::parse(text)?;
    let shaped = shaper(request)?.shape_result(&returned, &request.call()?)?;
    writer.result(shaped, &returned, Some(text))
}

pub fn shape_kept_result(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let (text, contents) = (request.text("returned")?, request.texts("contents")?);
    let contents: Vec<String> = contents.into_iter().map(str::to_owned).collect();
    let (is_json, is_redacted) = (request.flag("isJson")?, request.flag("isRedacted")?);
    let kept = Replacement { contents: &contents, is_json, is_redacted };
    let returned = JsonText::parse(text)?;
    let shaped = shaper(request)?.shape_kept_result(&returned, &kept, &request.call()?)?;
    writer.result(shaped, &returned, Some(text))
}

pub fn keyset_page(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let (keyset, rows) = (Keyset::new(&request.options("keyset")?, Naming::Camel)?, request.text("rows")?);
    let shaped = shaper(request)?.keyset_page(&JsonText::parse(rows)?, &keyset, &request.call()?)?;
    Ok(writer.shaped(shaped, Some(rows)))
}

pub fn links(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let (links, rows) = (Links::new(&request.options("links")?, Naming::Camel)?, request.text("rows")?);
    let shaped = shaper(request)?.links(&JsonText::parse(rows)?, &links, &request.call()?)?;
    Ok(writer.shaped(shaped, Some(rows)))
}

/// The result for a rate limit that an error reports, or null.
pub fn rate_limit(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let (error, now) = (request.options("error")?, request.optional_number("now")?);
    let shaped: Option<Shaped> = shaper(request)?.rate_limit(&error, &request.call()?, now);
    Ok(shaped.map_or(Value::Null, |shaped| writer.shaped(shaped, None)))
}

/// The `CallToolResult` for an error of a tool, or null; `said` is its message.
pub fn thrown_result(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let (error, now) = (request.options("error")?, request.optional_number("now")?);
    let shaped = shaper(request)?.thrown_result(&error, request.text("said")?, &request.call()?, now)?;
    shaped.map_or(Ok(Value::Null), |shaped| writer.answer(shaped.into(), None))
}

/// The whole of a text, as `redact` sees it.
pub fn contents(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let (text, call) = (request.text("text")?, request.call()?);
    let output = match request.flag("isJson")? {
        true => ToolOutput::json(text, &call)?,
        false => ToolOutput::text(text, &call),
    };
    Ok(listed(shaper(request)?.contents(&output)?, writer))
}

/// The contents of what a tool returned, as `redact` sees them.
pub fn result_contents(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let returned = JsonText::parse(request.text("returned")?)?;
    Ok(listed(shaper(request)?.result_contents(&returned, &request.call()?)?, writer))
}

fn listed(contents: Vec<Content>, writer: &mut PartWriter) -> Value {
    let content = |Content { text, is_json }| json!({ "text": writer.part(text), "isJson": is_json });
    contents.into_iter().map(content).collect()
}
