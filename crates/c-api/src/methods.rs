//! What a host can ask: the methods, by their names, each with the members that it takes.

mod archive;
mod http;
mod lists;
mod reading;
mod relay;
mod results;
mod shaping;
mod tokens;
mod tools;

use std::rc::Rc;

use serde_json::Value;
use toolshape::host::JsonText;
use toolshape::{Error, ErrorCode, Shaper};

use crate::answer::Answer;
use crate::handles::Handles;
use crate::request::Request;

/// One method. It converts what it is given, calls the core and converts what comes back; it has no defaults and no checks.
pub struct Method {
    pub name: &'static str,
    /// The members that a request has beside `method`.
    pub members: &'static [&'static str],
    pub run: fn(&Request<'_>, &mut Answer) -> Result<Value, Error>,
}

const fn method(
    name: &'static str,
    members: &'static [&'static str],
    run: fn(&Request<'_>, &mut Answer) -> Result<Value, Error>,
) -> Method {
    Method { name, members, run }
}

/// All methods, by what they are about.
const METHODS: [&[Method]; 9] = [
    shaping::METHODS,
    results::METHODS,
    lists::METHODS,
    reading::METHODS,
    archive::METHODS,
    tools::METHODS,
    tokens::METHODS,
    relay::METHODS,
    http::METHODS,
];

/// The method of that name.
///
/// # Errors
/// `INVALID_CALL` if there is none.
pub fn find(name: &str) -> Result<&'static Method, Error> {
    let unknown = || Error::new(ErrorCode::InvalidCall, format!("there is no method {name:?}"), "/method");
    all().find(|method| method.name == name).ok_or_else(unknown)
}

/// All methods.
pub fn all() -> impl Iterator<Item = &'static Method> {
    METHODS.into_iter().flatten()
}

thread_local! {
    static SHAPERS: Handles<Shaper> = const { Handles::new("shaper") };
}

/// The shaper that a request names.
fn shaper(request: &Request<'_>) -> Result<Rc<Shaper>, Error> {
    let number = request.number("shaper")?;
    SHAPERS.with(|shapers| shapers.find(number))
}

/// The JSON text in a part, as a value.
fn json<'a>(request: &Request<'a>, name: &str) -> Result<JsonText<'a>, Error> {
    JsonText::parse(request.text(name)?)
}

/// What the store has under a key, if it has it.
fn stored<'k, 'a>(key: &'k Option<impl AsRef<str>>, content: Option<&'a str>) -> Option<(&'k str, &'a str)> {
    key.as_ref().map(AsRef::as_ref).zip(content)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_page_shows_the_host_in_javascript() {
        let page = include_str!("../../../docs/plain_wasm.md");
        assert!(page.contains(include_str!("../hosts/node/host.mjs")));
        assert!(page.contains(include_str!("../hosts/node/first.mjs")));
    }

    #[test]
    fn the_documented_methods_are_these() {
        let documented: Vec<Value> = serde_json::from_str(include_str!("../../../docs/methods.json")).unwrap();
        let documented: Vec<Value> = documented.iter().map(|each| json!([each["name"], each["members"]])).collect();
        let methods: Vec<Value> = all().map(|method| json!([method.name, method.members])).collect();
        assert_eq!(documented, methods);
    }
}
