//! Questions that readers ask, over each kind of text.

use super::known::Known;
use toolshape_sql::{AskErrorKind, ColumnKind, Limits, Table, ask};

const ISSUES: &str = r#"{"total":4,"items":[
 {"id":1,"title":"Crash on start","user":{"login":"ann"},"labels":["bug","p1"],"comments":3,"open":true},
 {"id":2,"title":"Add \"dark\" mode","user":{"login":"bob"},"labels":[],"comments":10,"open":false},
 {"id":3,"title":"Crash on exit","user":{"login":"ann"},"labels":["bug"],"comments":null,"open":true},
 {"id":4,"title":"Typo \u00e9","user":{"login":"cy"},"labels":["docs"],"comments":1,"open":false}]}"#;

#[test]
fn rows_of_json_are_grouped_sorted_and_opened() {
    let known = Known::default().with("issues", Table::json_rows(ISSUES, "/items").unwrap());
    for (sql, rows) in [
        ("SELECT count(*), sum(comments), avg(comments) FROM issues", "[[4,14,4.666666666666667]]"),
        (
            "SELECT \"user\"->>'login' u, count(*) FROM issues GROUP BY u ORDER BY 2 DESC, 1",
            r#"[["ann",2],["bob",1],["cy",1]]"#,
        ),
        ("SELECT title FROM issues WHERE id IN (2, 4) ORDER BY id", r#"[["Add \"dark\" mode"],["Typo é"]]"#),
        (
            "SELECT value, count(*) FROM issues, json_each(labels) GROUP BY value ORDER BY 2 DESC, 1",
            r#"[["bug",2],["docs",1],["p1",1]]"#,
        ),
        ("SELECT id, json_array_length(labels) n FROM issues ORDER BY n DESC, id LIMIT 1", "[[1,2]]"),
        ("SELECT count(*) FROM issues WHERE open", "[[2]]"),
        ("SELECT pointer FROM issues WHERE title LIKE '%EXIT'", r#"[["/items/2"]]"#),
        ("SELECT json_extract(doc, '$.id') FROM issues WHERE comments IS NULL", "[[3]]"),
        (
            "SELECT title FROM issues WHERE title REGEXP '^Crash .*t$' ORDER BY length(title) DESC",
            r#"[["Crash on start"],["Crash on exit"]]"#,
        ),
        (
            "SELECT capture(title, 'on (\\w+)'), regexp_replace(title, '(\\w+) on', '\\1 at') FROM issues WHERE id = 1",
            r#"[["start","Crash at start"]]"#,
        ),
        ("SELECT median(comments), percentile(comments, 100) FROM issues", "[[3,10]]"),
        (
            "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT group_concat(i) FROM n",
            r#"[["1,2,3"]]"#,
        ),
        ("SELECT id, rank() OVER (ORDER BY comments DESC) FROM issues ORDER BY 2 LIMIT 2", "[[2,1],[1,2]]"),
        (
            "SELECT instr(title, 'on'), trim('  x '), replace(title, 'Crash', 'Fall') FROM issues WHERE id = 3",
            r#"[[7,"x","Fall on exit"]]"#,
        ),
        ("SELECT \"total\" FROM (SELECT count(*) AS \"total\" FROM issues)", "[[4]]"),
    ] {
        assert_eq!(known.rows(sql), rows, "{sql}");
    }
    assert!(known.answer("SELECT avg(comments) FROM issues").notes.is_empty());
    assert_eq!(
        known.answer("SELECT avg(coalesce(comments, 'none')) FROM issues").notes,
        ["1 texts that are not numbers are left out of sums, means and medians"]
    );
    assert_eq!(known.answer("SELECT * FROM issues").columns, ["id", "title", "user", "labels", "comments", "open"]);
}

#[test]
fn each_form_of_json_is_a_table() {
    for (json, sql, rows) in [
        (r#"[{"a":1},{"\u0061":2}]"#, "SELECT a FROM t", "[[1],[2]]"),
        ("[3, 1, 2]", "SELECT value FROM t ORDER BY value", "[[1],[2],[3]]"),
        (r#"[{"a":1},"x",null,[2]]"#, "SELECT a, value FROM t", r#"[[1,null],[null,"x"],[null,null],[null,"[2]"]]"#),
        // What is escaped in a path without need, and what is cut.
        (r#"{"é": 1}"#, r#"SELECT doc->>'$."\é"', doc->>'$."\u12"' FROM t"#, "[[1,null]]"),
        (r#"{"a": 1, "b": {"c": [1, 2]}}"#, "SELECT doc->'b'->'c'->>1, doc->>'$.b.c[0]' FROM t", "[[2,1]]"),
        ("7", "SELECT doc FROM t", r#"[["7"]]"#),
        ("[]", "SELECT count(*) FROM t", "[[0]]"),
        (
            r#"[{"a":1,"A":2,"":3,"pointer":"p","a\"b":4,"\u0061":9}]"#,
            "SELECT a, A_2, _, pointer, _pointer, \"a\"\"b\" FROM t",
            r#"[[1,2,3,"p","/0",4]]"#,
        ),
    ] {
        assert_eq!(Known::default().json("t", json).rows(sql), rows, "{json}");
    }
    for (json, pointer, sql, rows) in [
        (
            r#"{"a1":{"n":1,"m":2},"b/2":{"n":2},"c3":{"n":3,"m":4}}"#,
            "",
            "SELECT key, n, pointer FROM t WHERE n > 1",
            r#"[["b/2",2,"/b~12"],["c3",3,"/c3"]]"#,
        ),
        (
            r#"{"runs":[{"tool":"x","results":[{"rule":"r1"},{"rule":"r2"},{"rule":"r2"}]}]}"#,
            "/runs/0/results",
            "SELECT rule, count(*), min(pointer) FROM t GROUP BY 1",
            r#"[["r1",1,"/runs/0/results/0"],["r2",2,"/runs/0/results/1"]]"#,
        ),
    ] {
        let known = Known::default().with("t", Table::json_rows(json, pointer).unwrap());
        assert_eq!(known.rows(sql), rows, "{json}");
    }
    let document = Known::default().with("t_doc", Table::json_document(ISSUES).unwrap());
    assert_eq!(document.rows("SELECT doc->>'total', pointer FROM t_doc"), r#"[[4,""]]"#);
    let at = |pointer: &str| Table::json_rows(ISSUES, pointer).map(|table| Known::default().with("t", table));
    assert_eq!(
        at("/items/0/labels").unwrap().rows("SELECT value, pointer FROM t"),
        r#"[["bug","/items/0/labels/0"],["p1","/items/0/labels/1"]]"#
    );
    assert_eq!(at("/items/1/user").unwrap().rows("SELECT key, value FROM t"), r#"[["login","bob"]]"#);
    assert_eq!(at("").unwrap().rows("SELECT key FROM t"), r#"[["total"],["items"]]"#);
    for pointer in ["/items/9", "/items/0/id", "/nothing", "/items/x"] {
        assert!(at(pointer).is_err(), "{pointer}");
    }
    assert!(Table::json("[1").is_err());
    let wide: Vec<String> = (0..3000).map(|at| format!("{{\"k{at}\":{at}}}")).collect();
    let known = Known::default().json("t", &format!("[{}]", wide.join(",")));
    assert_eq!(known.rows("SELECT k499, doc->>'k499' FROM t LIMIT 1 OFFSET 499"), "[[499,499]]");
    assert_eq!(known.rows("SELECT doc->>'k2999' FROM t LIMIT 1 OFFSET 2999"), "[[2999]]");
}

#[test]
fn cells_are_numbers_where_all_are() {
    let csv = "id,version,price,note,zip\n1,1.10,2.50,\"a, \"\"b\"\"\",01234\n2,2,,,90210\n3,1e5,7,\"\",x\n";
    let known = Known::default().csv("t", csv);
    for (sql, rows) in [
        ("SELECT sum(price), count(price), typeof(id) FROM t GROUP BY typeof(id)", r#"[[9.5,2,"integer"]]"#),
        ("SELECT version, note, zip FROM t", r#"[["1.10","a, \"b\"","01234"],["2",null,"90210"],["1e5","","x"]]"#),
        ("SELECT pointer FROM t WHERE id = '2'", r#"[["/1"]]"#),
    ] {
        assert_eq!(known.rows(sql), rows, "{sql}");
    }
    let table = Table::rows(csv, &super::known::csv_index(csv)).unwrap();
    let kinds: Vec<_> = table.columns().iter().filter(|column| !column.is_hidden).map(|column| column.kind).collect();
    use ColumnKind::{Integer, Number, Text};
    assert_eq!(kinds, [Integer, Text, Number, Text, Text]);
}

#[test]
fn handles_join() {
    let flights = r#"[{"no":1,"tail":"N1","late":5},{"no":2,"tail":"N2","late":7},{"no":3,"tail":"N1","late":-2}]"#;
    let known = Known::default().json("flights", flights).csv("planes", "tail,model,code\nN1,A320,1\nN2,B737,2.0\n");
    for (sql, rows) in [
        (
            "SELECT model, count(*), sum(late) FROM flights JOIN planes USING (tail) GROUP BY 1 ORDER BY 1",
            r#"[["A320",2,3],["B737",1,7]]"#,
        ),
        ("SELECT no FROM flights f LEFT JOIN planes p ON p.code = f.no WHERE model IS NULL", "[[3]]"),
        ("SELECT a.no, b.no FROM flights a JOIN flights b ON a.tail = b.tail AND a.no < b.no", "[[1,3]]"),
    ] {
        assert_eq!(known.rows(sql), rows, "{sql}");
    }
}

#[test]
fn a_text_is_lines_with_their_sections() {
    let text = "# Changes\n\nAll of them are listed here.\n\n## 2.0.0\n\n### Added\n\n- Search in all pages\n- Find in one page\n\n### Fixed\n\n- Crash at the start\n\n## 1.0.0\n\n- First release of it\n";
    let known = Known::default().lines("log", text);
    for (sql, rows) in [
        (
            "SELECT path->>1, count(*) FROM log WHERE text LIKE '- %' GROUP BY 1 ORDER BY 1",
            r#"[["1.0.0",1],["2.0.0",3]]"#,
        ),
        ("SELECT section, level, line FROM log WHERE text LIKE '%crash%'", r#"[["Fixed",3,14]]"#),
        ("SELECT count(*) FROM log WHERE text LIKE '## %'", "[[2]]"),
    ] {
        assert_eq!(known.rows(sql), rows, "{sql}");
    }
}

#[test]
fn a_log_is_lines_with_time_level_message_and_template() {
    let line = |at: usize| {
        let (level, message) = match at % 5 {
            0 => ("ERROR", format!("request {at} of user u{} failed", at % 2)),
            1 => ("WARN", format!("slow answer after {at} ms")),
            _ => ("INFO", format!("request {at} of user u{} done", at % 3)),
        };
        format!("2026-11-20 10:{:02}:00 {level} {message}\n", at % 60)
    };
    let known = Known::default().lines("log", &(0..100).map(line).collect::<String>());
    for (sql, rows) in [
        ("SELECT level, count(*) FROM log GROUP BY 1 ORDER BY 1", r#"[["error",20],["info",60],["warning",20]]"#),
        (
            "SELECT capture(text, 'user (\\w+)') u, count(*) FROM log WHERE level = 'error' GROUP BY u ORDER BY u",
            r#"[["u0",10],["u1",10]]"#,
        ),
        (
            "SELECT template, count(*) FROM log GROUP BY 1 ORDER BY 2 DESC LIMIT 2",
            r#"[["request * of user * done",60],["slow answer after * ms",20]]"#,
        ),
        ("SELECT time, message FROM log WHERE line = 7", r#"[["2026-11-20 10:06:00","slow answer after 6 ms"]]"#),
        (
            "SELECT min(time), max(time) FROM log WHERE time LIKE '2026-11-20 10:1%'",
            r#"[["2026-11-20 10:10:00","2026-11-20 10:19:00"]]"#,
        ),
    ] {
        // The first template of requests fails: most words agree, but not the last.
        assert_eq!(known.rows(sql), rows, "{sql}");
    }
}

#[test]
fn a_difference_is_lines_with_file_hunk_and_kind() {
    let diff = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@ fn a\n one\n-two\n+2\n+2.5\n three\n@@ -10 +11 @@\n-- x\n++ y\ndiff --git a/b.md b/b.md\n--- a/b.md\n+++ b/b.md\n@@ -0,0 +1 @@\n+new\n";
    let known = Known::default().lines("d", diff);
    for (sql, rows) in [
        ("SELECT file, count(DISTINCT hunk) FROM d GROUP BY file", r#"[["b.md",1],["src/a.rs",2]]"#),
        (
            "SELECT kind, count(*) FROM d GROUP BY kind ORDER BY kind",
            r#"[["add",4],["context",2],["header",7],["hunk",3],["remove",2]]"#,
        ),
        ("SELECT text FROM d WHERE kind = 'remove' ORDER BY line DESC LIMIT 1", r#"[["-- x"]]"#),
    ] {
        assert_eq!(known.rows(sql), rows, "{sql}");
    }
}

#[test]
fn several_statements_have_several_answers() {
    let known = Known::default().with("issues", Table::json_rows(ISSUES, "/items").unwrap());
    let answers = known.all("SELECT count(*) FROM issues; SELECT nosuch FROM issues;\nSELECT 1 AS one");
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[2].as_ref().unwrap().columns, ["one"]);
    let error = answers[1].as_ref().unwrap_err();
    assert_eq!((error.kind, error.place.map(|place| place.column)), (AskErrorKind::UnknownColumn, Some(37)));
}

#[test]
fn rows_are_counted_and_continued() {
    let known = Known::default().json("t", &format!("[{}]", vec!["{\"a\":1}"; 250].join(",")));
    let limits = Limits { rows: 100, from: 200, ..Limits::default() };
    let answer = ask("SELECT a FROM t", &known, &limits).remove(0).unwrap();
    assert_eq!((answer.rows.len(), answer.total, answer.from, answer.next()), (50, 250, 200, None));
    let first = ask("SELECT a FROM t", &known, &Limits { bytes: 80, ..Limits::default() }).remove(0).unwrap();
    assert_eq!((first.rows.len(), first.total, first.next()), (10, 250, Some(10)));
}

#[test]
fn errors_name_what_there_is_with_the_nearest_first() {
    let known = Known::default().with("issues", Table::json_rows(ISSUES, "/items").unwrap());
    for (sql, kind, near, text) in [
        ("SELECT commments FROM issues", AskErrorKind::UnknownColumn, "comments", "no such column: commments"),
        ("SELECT i.titel FROM issues i", AskErrorKind::UnknownColumn, "title", "no such column: i.titel"),
        ("SELECT \"nosuch\" FROM issues", AskErrorKind::UnknownColumn, "id", "no such column"),
        ("SELECT * FROM isues", AskErrorKind::UnknownTable, "issues", "no such table: isues"),
        (
            "SELECT regex_replace(title, 'a', 'b') FROM issues",
            AskErrorKind::UnknownFunction,
            "regexp_replace",
            "no such function",
        ),
        ("SELEC 1", AskErrorKind::Syntax, "", "near \"SELEC\": syntax error (at character 1)"),
        ("SELECT 1,\n  FROM issues", AskErrorKind::Syntax, "", "(at line 2, character 3)"),
        ("SELECT * FROM secret", AskErrorKind::Table, "", "not allowed to read"),
        (" ; ", AskErrorKind::Syntax, "", "no statement"),
    ] {
        let error = known.error(sql);
        assert_eq!(error.kind, kind, "{sql}: {error}");
        assert!(error.to_string().contains(text), "{sql}: {error}");
        assert!(near.is_empty() || error.near.first().is_some_and(|name| name == near), "{sql}: {:?}", error.near);
    }
    let columns = known.error("SELECT commments FROM issues").near;
    assert_eq!(columns.len(), 8, "{columns:?}");
}

#[test]
fn errors_say_what_to_write_for_the_sql_of_other_databases() {
    let deep = format!("[{}7{}]", "[".repeat(1500), "]".repeat(1500));
    let row = format!(r#"{{"id": 1, "name": "Ann", "group": "a", "address": {{"city": "X"}}, "deep": {deep}}}"#);
    let known = Known::default().json("t", &format!("[{row},{row}]"));
    for (sql, instead) in [
        ("SELECT id FROM t WHERE name ILIKE 'a%'", "LIKE"),
        ("SELECT id::int FROM t", "CAST("),
        ("SELECT Date_Trunc('month', name) FROM t", "strftime("),
        ("SELECT extract(year FROM name) FROM t", "strftime("),
        ("SELECT position('a' IN name) FROM t", "instr("),
        ("SELECT id FROM t QUALIFY row_number() OVER () = 1", "an outer SELECT"),
        ("SELECT TOP 5 id FROM t", "LIMIT"),
        ("SHOW TABLES", "SELECT * FROM"),
        ("PRAGMA table_info(t)", "SELECT * FROM"),
        ("SELECT name + INTERVAL '1 day' FROM t", "date(x, '+1 day')"),
        ("SELECT * FROM generate_series(1, 3)", "WITH RECURSIVE"),
        ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FROM t", "percentile("),
        ("SELECT unnest(address) FROM t", "json_each("),
        ("SELECT address.city FROM t", "address->>'city'"),
        ("SELECT address->>city FROM t", "'city'"),
        ("SELECT group, count(*) FROM t GROUP BY 1", "`group`"),
        ("SELECT id FROM t WHERE name = 'it's'", "'it''s'"),
        ("SELECT capture(name) FROM t", "capture(x, pattern"),
        ("SELECT id, row_number() OVER () AS n FROM t WHERE n = 1", "an outer SELECT"),
        ("SELECT json_extract(address, 'city') FROM t", "a path from $"),
        ("SELECT count(*) FROM t, json_each(deep)", "json_each(x->'a')"),
        ("SELECT date('now')", "the date itself"),
    ] {
        let error = known.error(sql);
        assert!(error.instead.as_ref().is_some_and(|own| own.contains(instead)), "{sql}: {error:?}");
    }
    for sql in
        ["SELECT nosuch FROM t", "SELECT id name id FROM t", "SELECT upper(id, name FROM t", "SELECT id FROM nosuch"]
    {
        assert_eq!(known.error(sql).instead, None, "{sql}");
    }
}
