//! Texts that have rows or data in them, as large as is asked for, and what is asked about them.

use serde_json::json;

use crate::{Case, Document, read_text, shape};

/// Texts that have rows or data in them, and texts that only begin so.
pub const ROWS: [Document; 9] = [
    ("CSV", 1_000, |n| lines("id,name,text\n", n, |at| format!("{at},needle,\"some \"\"words\"\",\n\"\n"))),
    ("CSV with many columns", 600, |n| {
        let row = |cell: &str| (0..n).map(|at| format!("{cell}{at}")).collect::<Vec<_>>().join(",") + "\n";
        row("name") + &row("").repeat(20)
    }),
    ("CSV with columns of one name", 300, |n| "name,".repeat(n) + "id\n" + &("1,".repeat(n) + "2\n").repeat(20)),
    ("CSV with one wrong row", 1_000, |n| lines("id,name,text\n", n, |at| format!("{at},needle,1\n")) + "1,2,3,4\n"),
    ("quotes", 10_000, |n| lines("id,name\n1,2\n2,3\n3,4\n5,\"", n, |_| "\"\"".to_owned())),
    ("NDJSON", 1_000, |n| lines("", n, |at| format!("{{\"id\":{at},\"name\":\"needle\"}}\n"))),
    ("JSON in a fence", 1_000, |n| {
        lines("```json\n[0", n, |at| format!(",{{\"id\":{at},\"name\":\"needle\"}}")) + "]\n```\n"
    }),
    ("YAML", 500, |n| lines("", n, |at| format!("---\nid: {at}\nname: needle\n"))),
    ("a table in Markdown", 1_000, |n| lines("| id | name |\n|---|---|\n", n, |at| format!("| {at} | needle |\n"))),
];

fn lines(first: &str, count: usize, line: impl Fn(usize) -> String) -> String {
    first.to_owned() + &(0..count).map(line).collect::<String>()
}

pub fn cases(cases: &mut Vec<Case>) {
    for (text, base, make) in ROWS {
        for (name, arguments) in [
            ("rows", json!({})),
            ("a later page of rows", json!({ "page": 30, "pageSize": 5 })),
            ("fields of rows", json!({ "fields": ["id", "name"] })),
            ("fields that rows do not have", json!({ "fields": ["none"] })),
            ("a value in rows", json!({ "pointer": "/99/name" })),
            ("no value in rows", json!({ "pointer": "/99/none" })),
            ("the text of rows", json!({ "format": "text" })),
            ("lines of rows", json!({ "lines": "100-120" })),
        ] {
            let input = move |size: usize| (make(size), arguments.clone());
            cases.push(Case::new(format!("{name} | {text}"), base, input, read_text));
        }
        for (name, policy, asked) in [
            ("shape rows in a text", json!({}), json!({})),
            ("shape rows in a text with a store", json!({}), json!({ "store": true })),
            ("shape rows in a text or suggest", json!({ "overflow": "error" }), json!({})),
            ("shape rows as a text", json!({}), json!({ "format": "text" })),
            ("shape a value in rows", json!({}), json!({ "fields": ["/7/name"] })),
        ] {
            let input = move |size: usize| (serde_json::to_string(&make(size)).unwrap(), policy.clone(), asked.clone());
            cases.push(Case::new(format!("{name} | {text}"), base, input, shape));
        }
    }
}
