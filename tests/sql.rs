//! Questions in SQL about stored results, as `read_result` answers them.

use serde_json::{Value, json};
use sha2::Digest;
use toolshape::host::{FoundTable, Naming, Purpose, expand};
use toolshape::{Call, Policy, Shaped, Shaper};

/// A store, and a shaper that answers from it.
pub struct Stored {
    shaper: Shaper,
    contents: Vec<(String, String, String)>,
    scope: Option<&'static str>,
}

impl Stored {
    pub fn new(policy: &Value) -> Self {
        let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
        Self { shaper, contents: Vec::new(), scope: None }
    }

    /// Stores a content, and returns its handle.
    pub fn keep(&mut self, kind: &str, content: &str) -> String {
        let id = sha2::Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let named = Call::new(&json!({ "tool": "read_result", "arguments": { "handle": id } }), Naming::Camel).unwrap();
        let ticket = self.shaper.lookup(Purpose::Read, true, &named).unwrap().ticket.unwrap();
        let handle = ticket.trim_end_matches(".handle").to_owned();
        self.contents.push((handle.clone(), format!("{id}.{kind}"), content.to_owned()));
        handle
    }

    fn call(&self, arguments: &Value, more: &Value) -> Call {
        let mut call = json!({ "tool": "read_result", "arguments": arguments });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        if let Some(scope) = self.scope {
            call["scope"] = json!(scope);
        }
        Call::new(&call, Naming::Camel).unwrap()
    }

    /// Asks as a host does: by what `lookup` names.
    fn answer(&self, arguments: &Value) -> Shaped {
        self.answer_with(arguments, &json!({}))
    }

    /// The same where the calls that find tables have more members.
    fn answer_with(&self, arguments: &Value, more: &Value) -> Shaped {
        let call = self.call(arguments, &json!({}));
        let lookup = self.shaper.lookup(Purpose::Read, false, &call).unwrap();
        assert!(lookup.ticket.is_none() && lookup.keys.is_empty());
        let calls: Vec<(String, Call)> = lookup
            .tables
            .unwrap()
            .into_iter()
            .map(|handle| (handle.clone(), self.call(&json!({ "handle": handle }), more)))
            .collect();
        let is_kept =
            |call: &Call| !call.tool_name().unwrap_or_default().is_empty() && more.as_object().unwrap().is_empty();
        let tables: Vec<FoundTable<'_>> = calls
            .iter()
            .map(|(handle, call)| {
                let kept = self.contents.iter().find(|(known, ..)| known == handle).filter(|_| is_kept(call));
                let stored = kept.map(|(_, key, content)| (key.as_str(), content.as_str().into()));
                FoundTable { handle, stored, call }
            })
            .collect();
        let shaped = self.shaper.read_sql(tables, &call).unwrap();
        assert!(shaped.receipt.tokens_after <= shaped.receipt.budget.unwrap(), "{}", shaped.text);
        shaped
    }

    pub fn ask(&self, sql: &str) -> Value {
        let shaped = self.answer(&json!({ "sql": sql }));
        serde_json::from_str(&shaped.text).unwrap()
    }
}

fn flights() -> String {
    let carriers = ["UA", "DL", "AA"];
    let row = |n: usize| json!({ "id": n, "carrier": carriers[n % 3], "delay": n % 7, "at": { "gate": format!("B{}", n % 5) } });
    json!({ "count": 300, "flights": (0..300).map(row).collect::<Vec<_>>() }).to_string()
}

#[test]
fn groups_come_as_columns_with_the_number_of_all_first() {
    let mut stored = Stored::new(&json!({}));
    let t = stored.keep("json", &flights());
    let shaped = stored
        .answer(&json!({ "sql": format!("SELECT carrier, count(*) AS n, avg(delay) FROM {t} GROUP BY 1 ORDER BY 1") }));
    assert_eq!(
        shaped.text,
        r#"{"totalItems":3,"columns":["carrier","n","avg(delay)"],"rows":[["AA",100,3.01],["DL",100,2.99],["UA",100,2.97]]}"#
    );
    assert!(!shaped.is_error && shaped.receipt.work > 0);
    // What is nested is JSON.
    assert_eq!(
        stored.ask(&format!("SELECT at, at->>'gate' FROM {t} LIMIT 1"))["rows"],
        json!([[{ "gate": "B0" }, "B0"]])
    );
    assert_eq!(stored.ask(&format!("SELECT json_array_length(doc, '$.flights') FROM {t}_doc"))["rows"], json!([[300]]));
}

#[test]
fn pages_lead_through_all_rows_and_belong_to_their_statement() {
    let mut stored = Stored::new(&json!({ "maxTokens": 300 }));
    let t = stored.keep("json", &flights());
    let sql = format!("SELECT id, carrier FROM {t} WHERE delay > 0");
    let (mut arguments, mut seen, mut pages) = (json!({ "sql": sql }), Vec::new(), 0);
    let first = loop {
        let reply: Value = serde_json::from_str(&stored.answer(&arguments).text).unwrap();
        assert_eq!(reply["totalItems"], json!(257), "{reply}");
        seen.extend(reply["rows"].as_array().unwrap().iter().map(|row| row[0].as_u64().unwrap()));
        pages += 1;
        if reply["nextCursor"].is_null() {
            assert!(reply["note"].as_str().unwrap().ends_with("of 257, the last."), "{reply}");
            break arguments;
        }
        arguments["cursor"] = reply["nextCursor"].clone();
    };
    assert_eq!(seen, (0..300).filter(|n| n % 7 > 0).collect::<Vec<_>>());
    assert!(pages > 3);
    let other = stored.answer(&json!({ "sql": format!("{sql} LIMIT 5"), "cursor": first["cursor"] }));
    assert!(other.text.contains("INVALID_CURSOR"), "{}", other.text);
    let page: Value =
        serde_json::from_str(&stored.answer(&json!({ "sql": sql, "page": 3, "pageSize": 10 })).text).unwrap();
    assert_eq!((page["rows"][0][0].as_u64(), page["rows"].as_array().unwrap().len()), (Some(seen[20]), 10));
}

#[test]
fn results_are_joined_and_several_statements_answered() {
    let mut stored = Stored::new(&json!({}));
    let t = stored.keep("json", &flights());
    let names = stored.keep("txt", "code,name,fleet\nUA,United,900\nDL,Delta,800\nAS,Alaska,300\nB6,JetBlue,280\n");
    let reply = stored.ask(&format!(
        "SELECT name, count(*) FROM {t} JOIN {names} ON code = carrier GROUP BY 1 ORDER BY 1; SELECT nope FROM {names}; \
         SELECT count(*) FROM {names}"
    ));
    let answers = reply["answers"].as_array().unwrap();
    assert_eq!(answers[0]["rows"], json!([["Delta", 100], ["United", 100]]), "{reply}");
    assert_eq!(
        (&answers[1]["error"], &answers[1]["fields"]),
        (&json!("no such column: nope (at character 115)"), &json!(["code", "name", "fleet", "pointer"]))
    );
    assert_eq!(answers[2]["rows"], json!([[4]]));
}

#[test]
fn statements_take_what_others_leave_of_the_budget() {
    let mut stored = Stored::new(&json!({ "maxTokens": 400 }));
    let handle = stored.keep("txt", &"lorem ipsum dolor sit amet consectetur adipiscing elit ".repeat(40));
    let long = format!("SELECT line, text FROM {handle} LIMIT 1");
    let unnamed =
        format!("SELECT sum(CASE WHEN text LIKE '%{}%' THEN 1 ELSE 0 END) FROM {handle}", "lorem ipsum ".repeat(200));
    let sql = format!("{long};{unnamed};{}", vec![format!("SELECT count(*) FROM {handle}"); 6].join(";"));
    let found = stored.ask(&sql);
    let answers = found["answers"].as_array().unwrap();
    assert!(answers.iter().all(|answer| answer["rows"].as_array().is_some_and(|rows| rows.len() == 1)), "{found}");
    let shown = answers[0]["rows"][0][1].as_str().unwrap();
    assert!(shown.len() > 100, "{shown}");
    assert!(answers[1]["columns"][0].as_str().unwrap().ends_with('…'), "{found}");
}

#[test]
fn members_of_a_text_that_is_read_as_data_are_tables() {
    let mut stored = Stored::new(&json!({}));
    let case =
        |name: usize, inside: &str| format!("<testcase classname='c' name='t{name}' time='0.1'>{inside}</testcase>");
    let passed: String = (0..30).map(|at| case(at, "")).collect();
    let failed: String = (30..45).map(|at| case(at, "<failure message='m'/>")).collect();
    let suite = |name: &str, cases: &str| format!("<testsuite name='{name}' hostname='h{name}'>{cases}</testsuite>");
    let (first, second) = (suite("s1", &passed), suite("s2", &failed));
    let handle = stored.keep("txt", &format!("<testsuites name='all'>{first}{second}</testsuites>"));
    let counts: Vec<Value> = (0..5)
        .map(|part| {
            stored.ask(&format!("SELECT count(*) FROM {handle}_{part} WHERE name LIKE 't%'"))["rows"][0][0].clone()
        })
        .collect();
    assert!(counts.contains(&json!(30)) && counts.contains(&json!(15)), "{counts:?}");
    let hosts = stored.ask(&format!("SELECT name, hostname FROM {handle}_4 ORDER BY 1"));
    assert_eq!(hosts["rows"], json!([["s1", "hs1"], ["s2", "hs2"]]), "{hosts}");
}

#[test]
fn texts_are_lines_with_what_their_structure_knows() {
    let mut stored = Stored::new(&json!({}));
    let log: String = (0..400)
        .map(|n| {
            format!(
                "2026-11-20T10:00:{:02}Z {} request {n} took {} ms\n",
                n % 60,
                if n % 10 == 0 { "ERROR" } else { "INFO" },
                n * 3
            )
        })
        .collect();
    let log = stored.keep("txt", &log);
    let reply = stored.ask(&format!("SELECT level, count(*) FROM {log} GROUP BY 1 ORDER BY 2"));
    assert_eq!(reply["rows"], json!([["error", 40], ["info", 360]]), "{reply}");
    let reply = stored.ask(&format!("SELECT max(capture(text, 'took ([0-9]+)', 1) + 0) FROM {log}"));
    assert_eq!(reply["rows"], json!([[1197]]), "{reply}");
    let text = stored.keep("txt", "# Changes\n\n## 2.0\n\n- a\n- b\n\n## 1.0\n\n- c\n");
    let reply =
        stored.ask(&format!("SELECT section, count(*) FROM {text} WHERE text LIKE '- %' GROUP BY 1 ORDER BY 1"));
    assert_eq!(reply["rows"], json!([["1.0", 1], ["2.0", 2]]), "{reply}");
    // The same text as JSON.
    let quoted = stored.keep("json", &json!("a,b\n1,2\n3,4\n5,6\n7,8\n").to_string());
    assert_eq!(stored.ask(&format!("SELECT sum(a) FROM {quoted}"))["rows"], json!([[16]]));
}

#[test]
fn long_texts_are_shortened_and_say_so() {
    let mut stored = Stored::new(&json!({ "maxTokens": 200 }));
    let t = stored.keep(
        "json",
        &json!([{ "a": 1, "b": "long ".repeat(50_000) }, { "a": 2, "b": "\u{1f469}\u{200d}\u{1f467}".repeat(900) }])
            .to_string(),
    );
    let reply = stored.ask(&format!("SELECT a, b FROM {t}"));
    assert_eq!(reply["totalItems"], json!(2));
    assert!(reply["note"].as_str().unwrap().contains("substr(column"), "{reply}");
    assert!(reply["rows"][0][1].as_str().unwrap().ends_with("… (250000 characters)"), "{reply}");
    assert_eq!(reply["rows"].as_array().unwrap().len(), 2, "{reply}");
}

#[test]
fn errors_say_what_to_write_instead() {
    let mut stored = Stored::new(&json!({}));
    let t = stored.keep("json", &flights());
    for (sql, code, part) in [
        (format!("SELECT carier FROM {t}"), "UNKNOWN_FIELD", r#""fields":["carrier""#.to_owned()),
        (format!("SELECT carrier FROM {t} GROUP"), "INVALID_CALL", "incomplete input".to_owned()),
        (format!("SELECT carrier FRM {t}"), "INVALID_CALL", "syntax error (at character".to_owned()),
        ("SELECT * FROM data".to_owned(), "UNKNOWN_FIELD", "a table is the handle of a stored result".to_owned()),
        (format!("SELECT * FROM data; DROP TABLE {t}"), "", "not allowed".to_owned()),
        (format!("DELETE FROM {t}"), "INVALID_CALL", "statements only read tables".to_owned()),
        ("PRAGMA table_list".to_owned(), "INVALID_CALL", "PRAGMA is not allowed".to_owned()),
        ("SELECT * FROM abcdefghijklmnop".to_owned(), "NOT_FOUND", "no stored result has this handle".to_owned()),
        (format!("SELECT mediann(delay) FROM {t}"), "UNKNOWN_FIELD", r#""fields":["median"#.to_owned()),
        ("; --".to_owned(), "INVALID_CALL", "there is no statement".to_owned()),
    ] {
        let text = stored.answer(&json!({ "sql": sql })).text;
        assert!(text.contains(code) && text.contains(&part), "{sql}: {text}");
    }
    for (other, value) in
        [("jsonPath", json!("$")), ("fields", json!(["id"])), ("page", json!(2)), ("search", json!("a"))]
    {
        let text = stored.answer(&json!({ "sql": format!("SELECT 1 FROM {t}"), other: value })).text;
        assert!(text.contains("INVALID_CALL") && text.contains(other), "{text}");
    }
}

#[test]
fn the_argument_handle_is_the_table_result_too() {
    let mut stored = Stored::new(&json!({}));
    let t = stored.keep("json", &flights());
    let sql = format!("SELECT count(*) FROM result JOIN {t} t USING (id) JOIN result_doc");
    assert!(stored.answer(&json!({ "sql": sql, "handle": t })).text.ends_with(r#""rows":[[300]]}"#));
    // A statement may be without a table.
    assert_eq!(
        stored.answer(&json!({ "sql": "SELECT 1 + 1", "handle": t })).text,
        r#"{"totalItems":1,"columns":["1 + 1"],"rows":[[2]]}"#
    );
    // What reads one content answers about it.
    let (_, key, content) = &stored.contents[0];
    let call = stored.call(&json!({ "sql": "SELECT count(*) FROM result", "handle": t }), &json!({}));
    let shaped = stored.shaper.read_result(Some((key, content)), &call).unwrap();
    assert!(shaped.text.ends_with(r#""rows":[[300]]}"#), "{}", shaped.text);
    let without = stored.answer(&json!({ "sql": "SELECT * FROM result" })).text;
    assert!(without.contains("no such table: result; a table is the handle"), "{without}");
}

#[test]
fn a_table_that_may_not_be_read_is_not_read() {
    let mut stored = Stored::new(&json!({ "cursorKey": "a key of sixteen bytes and more" }));
    // The id is that of a content without a key: with one it names nothing.
    let t = stored.keep("json", &flights());
    let sql = json!({ "sql": format!("SELECT count(*) FROM {t}") });
    assert!(stored.answer(&sql).text.contains("NOT_FOUND"));
    let stored = Stored { shaper: Shaper::default(), ..stored };
    assert!(stored.answer(&sql).text.contains("[[300]]"));
    let forbidden = stored.answer_with(&sql, &json!({ "forbidden": true })).text;
    assert!(forbidden.contains("FORBIDDEN") && !forbidden.contains("300"), "{forbidden}");
    let failed = stored.answer_with(&sql, &json!({ "storeFailure": "the disk is full" })).text;
    assert!(failed.contains("STORE_FAILED") && failed.contains("the disk is full"), "{failed}");
}

#[test]
fn what_stops_early_says_so_first() {
    let mut stored = Stored::new(&json!({}));
    let rows: Vec<Value> = (0..20_000).map(|n| json!({ "n": n, "text": format!("row {n} of many") })).collect();
    let t = stored.keep("json", &json!(rows).to_string());
    let reply = stored.ask(&format!("SELECT count(*) FROM {t} a, {t} b"));
    assert!(reply["message"].as_str().unwrap().contains("limit of work"), "{reply}");
    let all = stored.ask(&format!("SELECT n, count(*) FROM {t} GROUP BY n % 10 ORDER BY 1"));
    assert_eq!(all["totalItems"], json!(10), "{all}");
}

#[test]
fn answers_are_dense_where_that_saves_enough() {
    let issue = |number: usize| {
        let user = json!({ "login": format!("user{}", number % 7), "id": number % 7, "type": "User" });
        json!({
            "url": format!("https://host.example/repositories/a/issues/{number}"), "number": number, "state": "open",
            "title": format!("Something is wrong with part {number}"), "user": user, "labels": [],
        })
    };
    let issues = json!((1000..1300).map(issue).collect::<Vec<_>>()).to_string();
    let of = |policy: Value| {
        let mut stored = Stored::new(&policy);
        (stored.keep("json", &issues), stored)
    };
    let (t, dense) = of(json!({}));
    let (_, plain) = of(json!({ "format": "json", "maxTokens": 100_000 }));
    for (select, is_dense) in [
        ("*", true),
        ("number, state, state AS again, user", true),
        ("number, state, user, url AS 'a.b', user AS \"a.b.c\"", true),
        ("number, state, user, url AS 'a', url AS \"a\"", false),
        ("number, user->>'login'", false),
        ("count(*)", false),
    ] {
        let sql = json!({ "sql": format!("SELECT {select} FROM {t} LIMIT 20") });
        let (shown, whole) = (dense.answer(&sql), plain.answer(&sql));
        assert_eq!(shown.text.contains("\"_form\":"), is_dense, "{select}: {}", shown.text);
        assert_eq!(expand(&shown.text).unwrap(), whole.text, "{select}");
        assert!(shown.receipt.tokens_after <= whole.receipt.tokens_after);
    }
    // More rows fit.
    let all = json!({ "sql": format!("SELECT * FROM {t}") });
    let rows = |shaped: &Shaped| {
        let text = expand(&shaped.text).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["rows"].as_array().unwrap().len()
    };
    let (_, small) = of(json!({ "format": "json" }));
    assert!(rows(&dense.answer(&all)) > 2 * rows(&small.answer(&all)));
}
