//! `json_each` and `json_tree` of SQLite round numbers beyond 64 bits: where a table has such, they walk through JSON that keeps the
//! digits.

use crate::functions::EXACT;
use crate::statements;

const WALKS: [&str; 2] = ["json_each", "json_tree"];

/// The statement with exact numbers in all JSON that it walks through; `None` if it walks through none.
pub fn over_exact_numbers(sql: &str) -> Option<String> {
    let tokens = statements::tokens(sql);
    let place = |at: usize| tokens[at].as_ptr().addr() - sql.as_ptr().addr();
    let mut out = sql.to_owned();
    let is_walk = |at: &usize| WALKS.iter().any(|name| tokens[*at].eq_ignore_ascii_case(name));
    let opens: Vec<usize> =
        (0..tokens.len()).filter(is_walk).map(|at| at + 1).filter(|&at| tokens.get(at) == Some(&"(")).collect();
    // From the last one on, so that the places before it hold.
    let mut inserts: Vec<(usize, String)> = Vec::new();
    for open in opens {
        let mut depth = 0;
        let ends = |token: &&str| {
            depth += i32::from(*token == "(") - i32::from(*token == ")");
            depth < 0 || depth == 0 && *token == ","
        };
        let end = open + 1 + tokens.iter().skip(open + 1).position(ends)?;
        inserts.push((place(open) + 1, format!("{EXACT}(")));
        inserts.push((place(end), ")".to_owned()));
    }
    inserts.sort_by_key(|(at, _)| *at);
    inserts.iter().rev().for_each(|(at, text)| out.insert_str(*at, text));
    (!inserts.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::over_exact_numbers;

    #[test]
    fn the_first_argument_is_made_exact() {
        for (sql, wanted) in [
            ("SELECT value FROM t, JSON_EACH(doc)", "SELECT value FROM t, JSON_EACH(exact_numbers(doc))"),
            ("FROM json_tree ( f(a, b), '$.x' ) j", "FROM json_tree (exact_numbers( f(a, b)), '$.x' ) j"),
            (
                "FROM json_each((SELECT json_group_array(value) FROM json_each(a)))",
                "FROM json_each(exact_numbers((SELECT json_group_array(value) FROM json_each(exact_numbers(a)))))",
            ),
        ] {
            assert_eq!(over_exact_numbers(sql).as_deref(), Some(wanted), "{sql}");
        }
        assert_eq!(over_exact_numbers("SELECT 'json_each(' FROM json_each"), None);
    }
}
