//! Links fit at every budget, whatever is in the rows: the description is dropped first, then the title, and every row is reached.

use serde_json::{Value, json};
use toolshape::host::{JsonText, Links, Naming};
use toolshape::{Call, Policy, Shaper};

use crate::promises;

/// The rows that the links of all pages lead to, by the number at the end of each uri or in the text that replaces it.
fn walk(rows: &Value, policy: &Value, links: &Links) -> Vec<usize> {
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
    let rows = rows.to_string();
    let (mut reached, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let call = json!({ "tool": "list_articles", "cursor": cursor, "now": 1_800_000_000 });
        let call = Call::new(&call, Naming::Camel).unwrap();
        let shaped = shaper.links(&JsonText::parse(&rows).unwrap(), links, &call);
        let shaped = shaped.unwrap_or_else(|error| panic!("{policy}: {error:?}"));
        promises::fits(&shaped);
        assert!(!shaped.is_error, "{}", shaped.text);
        let blocks: Vec<Value> = serde_json::from_str(&shaped.text).unwrap();
        assert!(blocks.len() > 1, "a page without a link at {policy}: {}", shaped.text);
        for block in &blocks[1..] {
            let answer = match block["uri"].as_str() {
                Some(uri) => uri,
                None => block["text"].as_str().unwrap().trim_end_matches(" is too long to show."),
            };
            reached.push(answer.rsplit(['/', ' ']).next().unwrap().parse().unwrap());
        }
        let facts: Value = serde_json::from_str(blocks[0]["text"].as_str().unwrap()).unwrap();
        cursor = facts["nextCursor"].clone();
        if cursor.is_null() {
            return reached;
        }
    }
}

#[test]
fn links_fit_small_budgets() {
    let mapping =
        json!({ "uri": "article:///news/{id}", "name": "{slug}", "title": "{title}", "description": "{body}" });
    let links = Links::new(&mapping, Naming::Camel).unwrap();
    let row = |at: usize| {
        let (title, body) =
            ("A headline of ordinary length ".repeat(at % 5), "word after word ".repeat(at * 7 % 90 + 30));
        json!({ "id": at, "slug": format!("slug-of-{at}"), "title": title, "body": body })
    };
    for count in [1, 3, 60] {
        let rows = Value::from((0..count).map(row).collect::<Vec<_>>());
        for max_tokens in (200..=260).step_by(if count > 3 { 12 } else { 1 }) {
            for key in [Value::Null, json!("a secret of sixteen bytes and more")] {
                let ttl = key.is_string().then_some(600);
                let policy = json!({ "maxTokens": max_tokens, "cursorKey": key, "cursorTtl": ttl });
                assert_eq!(walk(&rows, &policy, &links), (0..count).collect::<Vec<_>>(), "{policy}");
            }
        }
    }
}
