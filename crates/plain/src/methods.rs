//! The methods of this face alone: those that take values to shape, which are JSON texts here, and the token engine. All others
//! are in `toolshape-methods`.

#[cfg(all(feature = "core", feature = "sql"))]
mod sql;
#[cfg(feature = "core")]
mod tokens;
#[cfg(feature = "core")]
mod values;

use serde_json::Value;
use toolshape::Error;
use toolshape_methods::Request;

use crate::writer::PartWriter;

/// A method of this face.
pub struct Method {
    pub name: &'static str,
    /// The members of its requests.
    pub members: &'static [&'static str],
    pub run: fn(&Request<'_>, &mut PartWriter) -> Result<Value, Error>,
}

const fn method(
    name: &'static str,
    members: &'static [&'static str],
    run: fn(&Request<'_>, &mut PartWriter) -> Result<Value, Error>,
) -> Method {
    Method { name, members, run }
}

/// All methods of this face alone.
pub const METHODS: &[&[Method]] = &[
    #[cfg(feature = "core")]
    CORE,
    #[cfg(all(feature = "core", feature = "sql"))]
    &[method("readSql", &["shaper", "tables", "call", "now"], sql::read_sql)],
    #[cfg(all(feature = "sql", not(feature = "core")))]
    &[method("askSql", toolshape_methods::sql::MEMBERS, |request, writer| {
        let take = |address: usize| crate::buffers::take(address as *mut u8);
        toolshape_methods::sql::ask(request, take).and_then(|answer| writer.answer(answer, None))
    })],
];

#[cfg(feature = "core")]
const CORE: &[Method] = &[
    method("shapeJson", &["shaper", "text", "call", "now"], values::shape_json),
    method("shapeText", &["shaper", "text", "call", "now"], values::shape_text),
    method("shapeTogether", &["shaper", "results", "combinedTokens", "now"], values::shape_together),
    method("shapeResult", &["shaper", "returned", "call", "now"], values::shape_result),
    method(
        "shapeKeptResult",
        &["shaper", "returned", "contents", "isJson", "isRedacted", "call", "now"],
        values::shape_kept_result,
    ),
    method("keysetPage", &["shaper", "rows", "keyset", "call", "now"], values::keyset_page),
    method("links", &["shaper", "rows", "links", "call", "now"], values::links),
    method("rateLimit", &["shaper", "error", "call", "now"], values::rate_limit),
    method("rateLimitResult", &["shaper", "error", "call", "now"], values::rate_limit_result),
    method("thrownResult", &["shaper", "error", "said", "call", "now"], values::thrown_result),
    method("contents", &["shaper", "text", "isJson", "call", "now"], values::contents),
    method("resultContents", &["shaper", "returned", "call", "now"], values::result_contents),
    method("countTokens", &["text", "encoding"], tokens::count),
    method("fitsTokens", &["text", "limit", "encoding"], tokens::fits),
    method("truncateToTokens", &["text", "limit", "encoding", "side"], tokens::truncate),
    method("encode", &["text", "encoding", "special"], tokens::encode),
    method("decode", &["tokens", "encoding"], tokens::decode),
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_page_shows_the_first_program() {
        let page = include_str!("../../../docs/plain_wasm.md");
        assert!(page.contains(include_str!("../hosts/node/first.mjs")));
    }

    #[test]
    fn the_documented_methods_are_these() {
        let documented: Vec<Value> = serde_json::from_str(include_str!("../../../docs/methods.json")).unwrap();
        let documented: Vec<Value> = documented.iter().map(|each| json!([each["name"], each["members"]])).collect();
        let own = METHODS.iter().copied().flatten().map(|method| json!([method.name, method.members]));
        let shared = toolshape_methods::METHODS.iter();
        let shared = shared.map(|method| json!([method.name, method.members().collect::<Vec<_>>()]));
        assert_eq!(documented, own.chain(shared).collect::<Vec<_>>());
    }

    #[test]
    fn each_name_is_unique() {
        let own = METHODS.iter().copied().flatten().map(|method| method.name);
        let mut names: Vec<&str> = own.chain(toolshape_methods::METHODS.iter().map(|method| method.name)).collect();
        names.sort_unstable();
        assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
    }
}
