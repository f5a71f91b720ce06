//! The methods of messages alone: those that take values to shape, which are JSON texts here, and the token engine. All others
//! are in `table.rs`.

#[cfg(all(feature = "texts", feature = "sql"))]
mod sql;
#[cfg(feature = "texts")]
mod tokens;
#[cfg(feature = "texts")]
mod values;

use serde_json::Value;
use toolshape::Error;

use super::writer::PartWriter;
use crate::request::Request;

/// A method of messages.
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

/// All methods of messages alone.
pub const METHODS: &[&[Method]] = &[
    #[cfg(feature = "texts")]
    CORE,
    #[cfg(all(feature = "texts", feature = "sql"))]
    &[method("readSql", &["shaper", "tables", "call", "now"], sql::read_sql)],
    #[cfg(all(feature = "sql", not(feature = "texts")))]
    &[method("askSql", crate::methods::sql::MEMBERS, |request, writer| {
        crate::methods::sql::ask(request, writer.host.take, writer.host.clock)
            .and_then(|answer| writer.answer(answer, None))
    })],
];

#[cfg(feature = "texts")]
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
    method("thrownResult", &["shaper", "error", "said", "call", "now"], values::thrown_result),
    method("contents", &["shaper", "text", "isJson", "call", "now"], values::contents),
    method("resultContents", &["shaper", "returned", "call", "now"], values::result_contents),
    method("countTokens", &["text", "encoding"], tokens::count),
    method("fitsTokens", &["text", "limit", "encoding"], tokens::fits),
    method("truncateToTokens", &["text", "limit", "encoding", "side"], tokens::truncate),
    method("encode", &["text", "encoding", "special"], tokens::encode),
    method("decode", &["tokens", "encoding"], tokens::decode),
];

#[cfg(all(test, feature = "texts"))]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_documented_methods_are_these() {
        let documented: Vec<Value> = serde_json::from_str(include_str!("../../../../docs/methods.json")).unwrap();
        let documented: Vec<Value> = documented.iter().map(|each| json!([each["name"], each["members"]])).collect();
        let own = METHODS.iter().copied().flatten().map(|method| json!([method.name, method.members]));
        let shared = crate::METHODS.iter();
        let shared = shared.map(|method| json!([method.name, method.members().collect::<Vec<_>>()]));
        assert_eq!(documented, own.chain(shared).collect::<Vec<_>>());
    }

    #[test]
    fn each_name_is_unique() {
        let own = METHODS.iter().copied().flatten().map(|method| method.name);
        let mut names: Vec<&str> = own.chain(crate::METHODS.iter().map(|method| method.name)).collect();
        names.sort_unstable();
        assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
    }
}
