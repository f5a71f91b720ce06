//! What other databases have, and what to write here instead.

use crate::statements;

/// Functions of others.
const CALLS: &[(&[&str], &str)] = &[
    (&["date_trunc", "date_part", "date_format", "to_char", "extract", "year", "month", "day"], "strftime('%Y-%m', x)"),
    (&["to_date"], "date(x)"),
    (&["to_timestamp", "from_unixtime"], "datetime(x, 'unixepoch')"),
    (&["datediff", "date_diff"], "julianday(a) - julianday(b)"),
    (&["date_add", "date_sub", "dateadd"], "date(x, '+1 day')"),
    (&["now", "getdate", "current_date", "current_time", "current_timestamp"], NO_CLOCK),
    (&["regexp_extract", "regexp_substr", "regexp_match", "regexp_matches"], "capture(x, pattern, group)"),
    (&["regexp_like", "regexp_contains"], "x REGEXP pattern"),
    (&["match"], "x LIKE '%word%'"),
    (&["array_agg", "list", "json_agg", "jsonb_agg"], "json_group_array(x)"),
    (&["unnest", "explode", "flatten", "json_array_elements", "jsonb_array_elements"], EACH),
    (&["json_keys", "json_object_keys", "jsonb_object_keys"], "key FROM handle, json_each(x)"),
    (&["json_value", "json_query", "json_extract_scalar", "struct_extract", "get_json_object"], MEMBER),
    (&["percentile_cont", "percentile_disc", "quantile", "quantile_cont", "approx_quantile"], "percentile(x, 95)"),
    (&["approx_count_distinct"], "count(DISTINCT x)"),
    (&["count_if", "countif"], "count(*) FILTER (WHERE …)"),
    (&["stddev", "stddev_pop", "stddev_samp"], "sqrt(avg(x * x) - avg(x) * avg(x))"),
    (&["variance", "var_pop", "var_samp"], "avg(x * x) - avg(x) * avg(x)"),
    (&["mode"], "GROUP BY x ORDER BY count(*) DESC LIMIT 1"),
    (&["any_value", "bool_or", "greatest"], "max(…)"),
    (&["bool_and", "every", "least"], "min(…)"),
    (&["split_part"], "capture(x, '^([^,]*),')"),
    (&["left"], "substr(x, 1, 2)"),
    (&["right"], "substr(x, -2)"),
    (&["strpos", "position", "charindex", "locate"], "instr(x, 'a')"),
    (&["nvl", "isnull"], "ifnull(x, y)"),
    (&["len", "char_length", "character_length"], "length(x)"),
    (&["lpad"], "printf('%5s', x)"),
    (&["rpad"], "printf('%-5s', x)"),
    (&["pow", "power", "exp", "ln", "log", "log2", "log10"], "x * x, sqrt(x)"),
    (&["random", "rand", "uuid"], "a column: nothing here is random"),
    (&["any", "some"], "x IN (…)"),
    (&["try_cast", "safe_cast"], CAST),
    (&["generate_series"], "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)"),
];

/// Words and signs of others, by the tokens that they are; `^` is the start of a statement.
const WORDS: &[(&[&str], &str)] = &[
    (
        &["^ show", "^ describe", "^ desc", "^ explain", "^ pragma", "sqlite_master", "sqlite_schema"],
        "SELECT * FROM handle LIMIT 1",
    ),
    (&["^ from"], "SELECT before FROM"),
    (&["ilike"], "LIKE, which ignores case"),
    (&[": :"], CAST),
    (&["~", "! ~", "similar to", "rlike"], "x REGEXP pattern"),
    (&["qualify"], OUTER),
    (&["select top", "fetch first", "fetch next", "offset", "tablesample"], "LIMIT 5 OFFSET 10"),
    (&["within group"], "percentile(x, 95)"),
    (&["interval"], "date(x, '+1 day')"),
    (&["distinct on"], "a, max(b) … GROUP BY a"),
    (&["separator"], "group_concat(x, ', ')"),
    (&["# >", "# >>"], MEMBER),
    (&["lateral", "cross apply", "outer apply"], EACH),
    (&["by all"], "GROUP BY 1, 2"),
    (&["* exclude", "* except", "* replace"], "the columns by their names"),
    (&["pivot"], "sum(y) FILTER (WHERE x = 'a') for each column"),
    (&["substring ( x from", "trim ( both"], "substr(x, 1, 2), trim(x, 'a')"),
    (&["& &"], "AND"),
    (&["div"], "/, which divides integers without a rest"),
];

/// What SQLite says of a statement that it does not run.
const MESSAGES: &[(&str, &str)] = &[
    ("misuse of aliased window function", OUTER),
    ("misuse of window function", "OVER (ORDER BY x) behind it"),
    ("misuse of aggregate", "HAVING, or an outer SELECT"),
    ("wrong number of arguments to function capture(", "capture(x, pattern) or capture(x, pattern, group)"),
    ("wrong number of arguments to function regexp_replace(", "regexp_replace(x, pattern, with)"),
    ("wrong number of arguments to function percentile(", "percentile(x, 95)"),
    ("wrong number of arguments to function count(", "count(DISTINCT a || ',' || b)"),
    ("malformed JSON", "x->>'a', or json_each(x->'a'), to read a part of a deep one"),
    ("bad JSON path", "a path from $, as '$.a[0]'"),
];

/// What to write for the present.
pub const NO_CLOCK: &str = "the date itself, as '2024-05-01'";
const CAST: &str = "CAST(x AS REAL)";
const EACH: &str = "value FROM handle, json_each(x)";
const MEMBER: &str = "x->>'key', x->>'$.a[0]'";
const OUTER: &str = "an outer SELECT … WHERE";

/// Functions of times, and what they take for the present and the place.
const TIMES: [&str; 7] = ["date", "time", "datetime", "julianday", "strftime", "unixepoch", "timediff"];
/// The tokens before an error and from it on in which a word of others is its cause.
const BEFORE: usize = 4;
const FROM: usize = 2;

/// What to write for a function of others.
pub fn for_function(name: &str) -> Option<&'static str> {
    CALLS.iter().find(|(names, _)| names.iter().any(|own| own.eq_ignore_ascii_case(name))).map(|(_, instead)| *instead)
}

/// What to write for what SQLite says.
pub fn for_message(message: &str) -> Option<&'static str> {
    MESSAGES.iter().find(|(start, _)| message.starts_with(start)).map(|(_, instead)| *instead)
}

/// What to write for the word of others that is near a place of a statement, or anywhere in it.
pub fn for_words(sql: &str, place: Option<usize>) -> Option<&'static str> {
    let lower = sql.to_ascii_lowercase();
    let mut tokens = vec!["^"];
    tokens.extend(statements::tokens(&lower));
    let at = place.map(|place| statements::tokens(lower.get(..place).unwrap_or_default()).len() + 1);
    let near = at.map_or(0..tokens.len(), |at| at.saturating_sub(BEFORE)..(at + FROM).min(tokens.len()));
    let near = &tokens[near];
    let has = |pattern: &&str| {
        let words: Vec<&str> = pattern.split(' ').collect();
        near.windows(words.len())
            .any(|window| window.iter().zip(&words).all(|(token, word)| *word == "x" || token == word))
    };
    let word = WORDS.iter().find(|(patterns, _)| patterns.iter().any(has)).map(|(_, instead)| *instead);
    word.or_else(|| near.windows(2).filter(|window| window[1] == "(").find_map(|window| for_function(window[0])))
}

/// Whether a statement asks what time it is, or what time it is here: `date('now')`, `date()`, `date(x, 'localtime')`.
pub fn asks_the_clock(sql: &str) -> bool {
    let sql = sql.to_ascii_lowercase();
    let tokens = statements::tokens(&sql);
    let mut calls: Vec<bool> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "(" => {
                let is_time = at > 0 && TIMES.contains(&tokens[at - 1]);
                if is_time && tokens.get(at + 1) == Some(&")") {
                    return true;
                }
                calls.push(is_time);
            }
            ")" => drop(calls.pop()),
            "'now'" | "'localtime'" | "'utc'" if calls.last() == Some(&true) => return true,
            _ => {}
        }
    }
    false
}

/// What to write instead of a blob.
pub const NO_BLOB: &str = "octet_length(x), which counts bytes, or hex(x), which shows them";

/// Whether a statement casts to a blob: SQLite compares long blobs in one step that nothing sees.
pub fn makes_blob(sql: &str) -> bool {
    let sql = sql.to_ascii_lowercase();
    let tokens = statements::tokens(&sql);
    let types = |at: usize| tokens[at + 1..].iter().take_while(|token| !matches!(**token, "(" | ")" | ","));
    (0..tokens.len())
        .any(|at| tokens[at] == "as" && types(at).any(|token| token.contains("blob")) && is_cast(&tokens[..at]))
}

/// Whether what comes before `AS` is inside of `CAST(…`.
fn is_cast(before: &[&str]) -> bool {
    let mut closed = 0;
    for (at, token) in before.iter().enumerate().rev() {
        match *token {
            ")" => closed += 1,
            "(" if closed > 0 => closed -= 1,
            "(" => return at > 0 && before[at - 1] == "cast",
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Limits, Table, TableError, Tables, ask};

    struct NoTables;
    impl Tables for NoTables {
        fn table(&self, _name: &str) -> Result<Option<Arc<Table>>, TableError> {
            Ok(None)
        }
        fn names(&self) -> Vec<String> {
            Vec::new()
        }
    }

    #[test]
    fn what_to_write_for_a_function_runs() {
        for (names, instead) in CALLS.iter().filter(|(_, instead)| !instead.starts_with("a ") && *instead != NO_CLOCK) {
            let filled = instead.replace('…', "x").replace("pattern", "'a'").replace("group)", "0)");
            let rows = "(SELECT 1 AS x, 2 AS y, 3 AS a, 4 AS b)";
            let sql = match filled.split(' ').next() {
                Some("WITH") => format!("{filled} SELECT i FROM n"),
                Some("GROUP") => format!("SELECT x FROM {rows} {filled}"),
                _ if filled.contains("handle") => format!("SELECT {}", filled.replace("handle", "(SELECT '[1]' AS x)")),
                _ => format!("SELECT {filled} FROM {rows}"),
            };
            for answer in ask(&sql, &NoTables, &Limits::default()) {
                assert!(answer.is_ok(), "{names:?}: {sql}: {answer:?}");
            }
        }
    }

    #[test]
    fn the_clock_is_asked_by_calls_alone() {
        for sql in
            ["SELECT date('now')", "SELECT strftime('%s', 'NOW')", "SELECT time ( )", "SELECT date(a, 'localtime')"]
        {
            assert!(asks_the_clock(sql), "{sql}");
        }
        for sql in ["SELECT date(a) = 'now'", "SELECT a LIKE '%localtime%'", "SELECT upper('now'), count(date)"] {
            assert!(!asks_the_clock(sql), "{sql}");
        }
    }

    #[test]
    fn casts_to_blobs_are_seen() {
        for sql in [
            "SELECT CAST(a AS BLOB)",
            "SELECT cast ( (a) || b as \"my blob\" )",
            "SELECT cast(cast(a AS text) AS [blob])",
        ] {
            assert!(makes_blob(sql), "{sql}");
        }
        for sql in ["SELECT a AS blob FROM t", "SELECT CAST(a AS TEXT) AS blob", "SELECT 'CAST(a AS BLOB)'"] {
            assert!(!makes_blob(sql), "{sql}");
        }
    }
}
