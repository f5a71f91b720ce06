//! What `read_result` answers fits what the host of the call shows, whatever the policy allows.

use serde_json::{Value, json};
use toolshape::host::{JsonText, Naming, ShapedResult, count_tokens};
use toolshape::{Call, Encoding, Policy, Shaped, Shaper};

use crate::promises;
use crate::reader::Reader;

/// A client's name, and how much of an answer its host shows: a size and its limit.
type Host = (&'static str, fn(&Shaped) -> usize, usize);

const HOSTS: [Host; 5] = [
    ("codex-mcp-client", |shaped| shaped.text.chars().count(), 12_000),
    ("Visual Studio Code", |shaped| shaped.text.len(), 8_192),
    ("gemini-cli-mcp-client", |shaped| shaped.text.chars().count(), 40_000),
    ("claude-code", |shaped| shaped.text.chars().count(), 50_000),
    ("claude-code", |shaped| count_tokens(&shaped.text, Encoding::O200kBase), 25_000),
];

/// Asks a stored content for what is far over each host's limit, and is shown in part.
fn holds(content: &str, is_json: bool, questions: &[Value]) {
    let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 100_000 }), Naming::Camel).unwrap());
    let reader = Reader::of_stored(&shaper, content, is_json, None);
    for arguments in questions {
        let unlimited = reader.ask(arguments);
        for (client, size, most) in HOSTS {
            let shaped = reader.ask_for(Some(client), arguments);
            promises::fits(&shaped);
            assert!(!shaped.is_error, "{client} {arguments}: {}", shaped.text);
            assert!(size(&unlimited) > most, "{client} {arguments}: {} is within the limit", size(&unlimited));
            assert!(size(&shaped) <= most, "{client} {arguments}: {} of {most}", size(&shaped));
        }
        // What a host shows is used.
        let codex = reader.ask_for(Some("codex-mcp-client"), arguments).text.len();
        assert!(codex > 6_000, "{arguments}: {codex}");
    }
}

#[test]
fn answers_about_rows_fit_the_host() {
    let more = "and some more words of it ".repeat(5);
    let row = |id: usize| format!("{{\"id\":{id},\"name\":\"é row {id} 中文 {more}\",\"kind\":\"kind {}\"}}", id % 3);
    let rows: Vec<String> = (0..8_000).map(row).collect();
    let questions = [
        json!({ "pageSize": 1_000 }),
        json!({ "sql": "SELECT id, name FROM result WHERE id > 10", "pageSize": 1_000 }),
        json!({ "sql": "SELECT name, count(*) FROM result GROUP BY 1; SELECT name FROM result" }),
        json!({ "search": "row", "pageSize": 1_000 }),
        json!({ "format": "text" }),
    ];
    holds(&format!("[{}]", rows.join(",")), true, &questions);
}

#[test]
fn the_next_part_by_a_cursor_alone_fits_the_host() {
    let rows: Vec<String> =
        (0..4_000).map(|id| format!("{{\"id\":{id},\"text\":\"{}\"}}", format!("words {id} ").repeat(30))).collect();
    let content = format!("[{}]", rows.join(","));
    let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 100_000 }), Naming::Camel).unwrap());
    let call = Call::new(&json!({ "tool": "list", "store": true, "pageSize": 700 }), Naming::Camel).unwrap();
    let first = shaper.shape_json(&content, &call).unwrap();
    let cursor = serde_json::from_str::<Value>(&first.text).unwrap()["nextCursor"].clone();
    let key = first.keep.unwrap().key;
    let next = |client: Option<&str>| {
        let arguments = json!({ "cursor": cursor, "pageSize": 700 });
        let asked = json!({ "tool": "read_result", "arguments": arguments, "client": client, "returnedBy": ["list"] });
        shaper.read_result(Some((&key, &content)), &Call::new(&asked, Naming::Camel).unwrap()).unwrap()
    };
    for (client, size, most) in HOSTS {
        let (unlimited, shaped) = (next(None), next(Some(client)));
        assert!(!shaped.is_error && size(&unlimited) > most, "{client}: {}", unlimited.text.len());
        assert!(size(&shaped) <= most, "{client}: {} of {most}", size(&shaped));
    }
}

#[test]
fn answers_about_a_text_fit_the_host() {
    let line = |at: usize| {
        format!("2026-11-22 10:{:02}:{:02} INFO worker-{at} é has done its part 中文 of it\n", at / 60 % 60, at % 60)
    };
    let text: String = (0..8_000).map(line).collect();
    let questions =
        [json!({ "lines": "10-" }), json!({ "lines": "-7000" }), json!({ "search": "worker", "pageSize": 1_000 })];
    holds(&text, false, &questions);
}

#[test]
fn a_page_uses_the_room_that_a_host_leaves() {
    let row = |id: usize| json!({ "id": id, "title": format!("Row {id}"), "body": "words of a row ".repeat(30) });
    let rows: Vec<Value> = (0..800).map(row).collect();
    let returned = json!({ "content": [{ "type": "text", "text": Value::from(rows).to_string() }] }).to_string();
    let returned = JsonText::parse(&returned).unwrap();
    let shown = |client: Option<&str>, policy: Value| {
        let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
        let call = json!({ "tool": "list", "store": true, "client": client });
        let shaped = shaper.shape_result(&returned, &Call::new(&call, Naming::Camel).unwrap()).unwrap();
        let result: Value = serde_json::from_str(&shaped.to_json(&returned).unwrap()).unwrap();
        result["content"][0]["text"].as_str().unwrap().chars().count()
    };
    for (client, most) in
        [("gemini-cli", 40_000), ("copilot-cli", 20_000), ("codex-mcp-client", 12_000), ("qwen-code", 25_000)]
    {
        for tokens in [60_000, 100_000] {
            let policy = json!({ "maxTokens": tokens, "fields": "all", "format": "json" });
            assert!(shown(None, policy.clone()) > most, "{client} {tokens} does not limit the page");
            let shown = shown(Some(client), policy);
            assert!(shown <= most && shown > most * 6 / 10, "{client} {tokens}: {shown} of {most}");
        }
    }
}

#[test]
fn a_host_that_shows_the_whole_result_cuts_none() {
    let rows: Vec<Value> = (0..3_000).map(|id| json!({ "id": id, "title": format!("Issue {id}") })).collect();
    let text = Value::from(rows).to_string();
    for (meta, policy) in [
        (json!({}), json!({ "receipt": "meta" })),
        (json!({ "trace": "t".repeat(3_000) }), json!({})),
        (json!({ "trace": "t".repeat(3_000) }), json!({ "receipt": "meta" })),
    ] {
        let content = json!([{ "type": "text", "text": text }]);
        let returned = json!({ "content": content, "isError": false, "_meta": meta }).to_string();
        let returned = JsonText::parse(&returned).unwrap();
        let mut policy = policy;
        policy["maxTokens"] = json!(10_000);
        policy["pageSize"] = json!(1_000);
        let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
        let call = json!({ "tool": "list", "store": true, "client": "@cline/core" });
        let shaped = shaper.shape_result(&returned, &Call::new(&call, Naming::Camel).unwrap()).unwrap();
        let chars = shaped.to_json(&returned).unwrap().chars().count();
        assert!(chars <= 8_000 && chars > 6_000, "{policy}: {chars} of 8000");
    }
    // An answer of `read_result` leaves room for its receipt, however long the tool's name in it is.
    let shaper = Shaper::new(
        Policy::new(&json!({ "maxTokens": 10_000, "paginateAfter": 50, "receipt": "meta" }), Naming::Camel).unwrap(),
    );
    for words in 15..30 {
        let text = format!("[{}]", vec![format!("\"{}\"", "word ".repeat(words)); 2_000].join(","));
        let keep =
            shaper.shape_json(&text, &Call::new(&json!({ "store": true }), Naming::Camel).unwrap()).unwrap().keep;
        let keep = keep.unwrap();
        let arguments = json!({ "handle": keep.id, "format": "text" });
        let call = json!({ "tool": "read_result_".repeat(20), "client": "@cline/core", "arguments": arguments });
        let answer = shaper.read_result(Some((&keep.key, &text)), &Call::new(&call, Naming::Camel).unwrap()).unwrap();
        let answer = ShapedResult::answer(&answer.text, None, answer.is_error, Some(answer.receipt), None);
        let chars = answer.to_json(&JsonText::parse("{}").unwrap()).unwrap().chars().count();
        assert!(chars <= 8_000 && chars > 6_000, "{words} words: {chars} of 8000");
    }
    const AROUND: usize = r#"{"content":[{"type":"text","text":""}],"_meta":{"trace":""}}"#.len();
    // Where the tool's own members have more than half of the room, a text has the other half.
    for letters in [4_500, 7_900, 20_000] {
        let returned =
            json!({ "content": [{ "type": "text", "text": text }], "_meta": { "trace": "t".repeat(letters) } });
        let returned = returned.to_string();
        let shaper =
            Shaper::new(Policy::new(&json!({ "maxTokens": 10_000, "pageSize": 1_000 }), Naming::Camel).unwrap());
        let call = Call::new(&json!({ "tool": "list", "client": "@cline/core" }), Naming::Camel).unwrap();
        let returned = JsonText::parse(&returned).unwrap();
        let chars =
            shaper.shape_result(&returned, &call).unwrap().to_json(&returned).unwrap().chars().count() - letters;
        assert!(chars <= 4_000 + AROUND && chars > 3_000, "{letters}: {chars} of 4000");
    }
}
