//! Statements that try to take more than they may: each ends in its limits and says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::hostile_statements::{all, document, end, rows, statements};
use super::known::Known;
use toolshape_sql::{AskErrorKind, Limits, Table, ask};

fn known() -> Known {
    Known::default().json("m", &rows()).with("deep_doc", Table::json_document(document()).unwrap())
}

#[test]
fn endless_statements_are_stopped() {
    let known = known();
    let limits = Limits { work: 2_000_000, ..Limits::default() };
    let endless = statements(&all(), "endless");
    assert_eq!(endless.len(), 75);
    for (sql, wanted) in endless {
        let found = ask(&sql, &known, &limits).remove(0);
        let is_stopped = match &found {
            Ok(answer) => answer.first_rows.is_some(),
            // With more work another limit may stop it.
            Err(error) => error.kind == AskErrorKind::Stopped,
        };
        assert!(is_stopped || end(&found) == wanted, "{sql}: {found:?}");
    }
}

#[test]
fn what_is_no_question_is_refused() {
    let known = known();
    let forbidden = statements(&all(), "forbidden");
    assert_eq!(forbidden.len(), 34);
    for (sql, wanted) in forbidden {
        let error = known.error(&sql);
        let is_refused =
            matches!(error.kind, AskErrorKind::NotAllowed | AskErrorKind::UnknownTable | AskErrorKind::UnknownFunction);
        assert!(is_refused, "{sql}: {error:?}");
        assert_eq!(end(&Err(error)), wanted, "{sql}");
        assert_eq!(known.rows("SELECT count(*) FROM m"), "[[2000]]", "after {sql}");
    }
    // Without a clock there is no time.
    for sql in ["SELECT datetime('now')", "SELECT CURRENT_TIMESTAMP", "SELECT unixepoch()", "SELECT julianday('now')"] {
        assert!(known.error(sql).instead.is_some(), "{sql}");
    }
}

/// What SQLite is compiled with differs between faces; errors do not.
#[test]
fn what_sqlite_has_in_some_builds_is_missing_in_all() {
    let known = known();
    for name in
        ["soundex", "load_extension", "fts3_tokenizer", "bm25", "rtreecheck", "sqlite_compileoption_used", "sin"]
    {
        let error = known.error(&format!("SELECT {name}(k) FROM m"));
        assert_eq!((error.kind, error.message), (AskErrorKind::UnknownFunction, format!("no such function: {name}")));
        assert_eq!(error.place.map(|place| place.offset), Some(7), "{name}");
    }
    for name in ["dbstat", "fts3tokenize"] {
        assert_eq!(known.error(&format!("SELECT * FROM {name}")).kind, AskErrorKind::NotAllowed, "{name}");
    }
}

#[test]
fn the_reading_of_one_table_ends_with_its_first_rows() {
    let known = known();
    let limits = Limits { work: 10_000, ..Limits::default() };
    let answer = ask("SELECT count(*), max(n) FROM m", &known, &limits).remove(0).unwrap();
    let first = answer.first_rows.clone().expect("it ends early");
    assert!(first.read > 100 && first.read < 2000 && first.of == 2000 && first.table == "m", "{first:?}");
    assert_eq!(super::known::json(&answer), format!("[[{},{}]]", first.read, first.read - 1));
    // What is kept is enough to sort them.
    let sorted = ask("SELECT k, count(*) FROM m GROUP BY k ORDER BY 2, 1", &known, &limits).remove(0).unwrap();
    assert!(sorted.first_rows.is_some() && sorted.total == 100, "{sorted:?}");
    // Of two readings the first rows would be a wrong answer.
    for sql in [
        "SELECT count(*) FROM m WHERE n = (SELECT max(n) FROM m)",
        "SELECT count(*) FROM m a JOIN m b ON a.k = b.k",
        "SELECT max(n) FROM m UNION ALL SELECT max(n) FROM m",
        "SELECT count(*) FROM m WHERE n NOT IN (SELECT n FROM m)",
    ] {
        assert_eq!(ask(sql, &known, &limits).remove(0).expect_err(sql).kind, AskErrorKind::Stopped, "{sql}");
    }
}

#[test]
fn each_statement_has_its_work_and_time_ends_all() {
    let known = known();
    let limits = Limits { work: 200_000, ..Limits::default() };
    let sql =
        "SELECT count(*) FROM m a, m b; SELECT count(*) FROM m a JOIN m b ON a.n = b.n; SELECT count(*) FROM m a, m b";
    let answers = ask(sql, &known, &limits);
    assert_eq!(super::known::json(answers[1].as_ref().unwrap()), "[[2000]]");
    for (at, number) in [(0, "statement 1 "), (2, "statement 3 ")] {
        let error = answers[at].as_ref().unwrap_err();
        assert!(error.kind == AskErrorKind::Stopped && error.message.starts_with(number), "{error}");
    }
    // The first rows are an answer of their own, but not one among others.
    let limits = Limits { work: 10_000, ..Limits::default() };
    let answers = ask("SELECT count(*) FROM m; SELECT 1", &known, &limits);
    assert_eq!(answers[0].as_ref().unwrap_err().kind, AskErrorKind::Stopped);
    assert!(answers[1].is_ok());
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let is_late: Arc<dyn Fn() -> bool + Send + Sync> = Arc::new(move || counted.fetch_add(1, Ordering::Relaxed) > 100);
    let limits = Limits { is_late: Some(is_late), ..Limits::default() };
    let error = ask("SELECT count(*) FROM m a, m b", &known, &limits).remove(0).unwrap_err();
    assert!(error.message.contains("the limit of time"), "{error}");
    assert!(calls.load(Ordering::Relaxed) < 110);
}

#[test]
fn the_structure_of_a_text_is_charged() {
    let text = "# Title\n\nSome words that are here.\n\n## Part\n\nMore words that are here.\n\n".repeat(2000);
    let known = Known::default().lines("t", &text);
    let limits = Limits { work: 50_000, ..Limits::default() };
    let one = ask("SELECT text FROM t WHERE line = 1 LIMIT 1", &known, &limits).remove(0);
    assert!(one.is_ok(), "{one:?}");
    let sections = ask("SELECT section FROM t LIMIT 1", &known, &limits).remove(0);
    assert_eq!(sections.unwrap_err().kind, AskErrorKind::Stopped);
    assert_eq!(known.rows("SELECT count(DISTINCT section), count(*) FROM t"), "[[2,16000]]");
}

#[test]
fn long_statements_and_lists_are_bounded() {
    let known = known();
    let many: Vec<String> = (0..15_000).map(|n| n.to_string()).collect();
    assert_eq!(known.rows(&format!("SELECT count(*) FROM m WHERE n IN ({})", many.join(","))), "[[2000]]");
    for sql in [
        format!("SELECT {}1", "(".repeat(5000)),
        format!("SELECT {}1{}", "abs(".repeat(500), ")".repeat(500)),
        format!("SELECT 1{}", "+1".repeat(60_000)),
        format!("SELECT '{}'", "x".repeat(200_000)),
        "SELECT 1;".repeat(100),
        format!("SELECT json_valid('{}')+", "[".repeat(50_000)),
        format!("{} SELECT 1", "SELECT 1 UNION ALL".repeat(1000)),
    ] {
        assert!(known.all(&sql).remove(0).is_err(), "{}", &sql[..40]);
    }
}

/// What is left of the work of a statement is the same however long the texts are that it compares in one step.
#[test]
fn comparisons_are_charged_by_their_bytes() {
    let long = "x".repeat(400_000);
    let rows: Vec<String> = (0..20).map(|n| format!(r#"{{"n":{n},"t":"{long}"}}"#)).collect();
    let known = Known::default().json("l", &format!("[{}]", rows.join(","))).json("m", &known_rows(2000));
    let limits = Limits { work: 2_000_000, ..Limits::default() };
    for sql in [
        "WITH v AS MATERIALIZED (SELECT t FROM l LIMIT 1) SELECT count(*) FROM m a, m b, v WHERE v.t || a.n > v.t",
        "WITH v AS MATERIALIZED (SELECT t, t || '' AS u FROM l LIMIT 1) SELECT count(*) FROM m a, m b, v WHERE v.t = v.u",
        "WITH v AS MATERIALIZED (SELECT t, t || '' AS u FROM l LIMIT 1) SELECT count(*) FROM m a, m b, v WHERE v.t = v.u COLLATE nocase",
        "WITH v AS MATERIALIZED (SELECT t, t || ' ' AS u FROM l LIMIT 1) SELECT count(*) FROM m a, m b, v WHERE v.t = v.u COLLATE rtrim",
        "WITH v AS MATERIALIZED (SELECT t, t || '' AS u FROM l LIMIT 1) SELECT count(*) FROM m a, m b, v WHERE nullif(v.t, v.u) IS NULL",
        "WITH v AS MATERIALIZED (SELECT t, t || '' AS u FROM l LIMIT 1) SELECT count(*) FROM m a, m b, v WHERE v.t IN (v.u, 'x')",
        "WITH v AS MATERIALIZED (SELECT t, t || '' AS u FROM l LIMIT 1) SELECT count(*) FROM m a, m b, v WHERE CASE v.t WHEN v.u THEN 1 END",
    ] {
        // Uncharged, these take minutes.
        assert_eq!(ask(sql, &known, &limits).remove(0).expect_err(sql).kind, AskErrorKind::Stopped, "{sql}");
    }
    // Sorting and grouping of the same are charged too, and end.
    let rows = known.rows("SELECT count(*) FROM (SELECT t, count(*) FROM l GROUP BY t ORDER BY t)");
    assert_eq!(rows, "[[1]]");
    let error = ask("SELECT count(*) FROM l WHERE CAST(t AS BLOB) = x'00'", &known, &limits).remove(0).unwrap_err();
    assert_eq!(error.kind, AskErrorKind::NotAllowed);
}

/// A text that is read to its end as a number is charged wherever SQLite reads it, and wherever it comes from.
#[test]
fn long_numbers_are_charged_by_their_bytes() {
    let digits = "0".repeat(90_000);
    let spaces = " ".repeat(90_000);
    let made = "WITH RECURSIVE z(n,t) AS (SELECT 0, '0' UNION ALL SELECT n+1, t||t FROM z WHERE n < 17), \
        v AS MATERIALIZED (SELECT t FROM z WHERE n = 17)";
    let known = Known::default()
        .json("m", &known_rows(2000))
        .json("l", &format!(r#"[{{"t":"{}1"}}]"#, "0".repeat(400_000)))
        .json("words", &format!(r#"[{{"t":"{}"}}]"#, "word ".repeat(900)));
    let limits = Limits { work: 2_000_000, ..Limits::default() };
    for sql in [
        &format!("SELECT count(*) FROM m a, m b WHERE '{digits}' + a.n > b.n"),
        &format!("SELECT count(*) FROM m a, m b WHERE a.n > b.n AND '{spaces}7'"),
        &format!("SELECT count(*) FROM m a, m b WHERE CAST('-{digits}.1' AS INTEGER) > a.n + b.n"),
        &format!("SELECT count(*) FROM m a, m b WHERE abs('{digits}' || b.n) > a.n"),
        &format!("SELECT count(*) FROM m a, m b WHERE (CASE NOT '{digits}' WHEN 1 THEN a.n END) | b.n"),
        "SELECT count(*) FROM m a, m b, l WHERE l.t % (a.n + 1) = b.n",
        "WITH v AS MATERIALIZED (SELECT t FROM l) SELECT count(*) FROM m a, m b, v WHERE v.t % (a.n + 1) = b.n",
        "SELECT count(*) FROM m a, m b WHERE (SELECT hex(t) FROM l) - a.n = b.n",
        "SELECT count(*) FROM m a, m b WHERE (SELECT replace(t, '1', '2') FROM l) << a.n = b.n",
        "SELECT count(*) FROM m a, m b WHERE (SELECT group_concat(n, '') FROM m) * a.n = b.n",
        &format!("{made} SELECT count(*) FROM m a, m b, v WHERE ~v.t = a.n + b.n"),
        &format!("{made} SELECT sum(v.t) FROM m a, m b, v"),
        &format!("{made} SELECT median(v.t || a.n) FROM m a, m b, v"),
    ] {
        let took = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let steps = Arc::clone(&took);
        // Uncharged, a question goes on for as many looks at the clock as it has hundreds of steps.
        let is_late = Arc::new(move || steps.fetch_add(1, Ordering::Relaxed) > 2000);
        let limits = Limits { is_late: Some(is_late), ..limits.clone() };
        let error = ask(sql, &known, &limits).remove(0).expect_err(&sql[..80.min(sql.len())]);
        let is_charged = error.message.contains("limit of work");
        assert!(is_charged, "{}…: {} after {took:?}", &sql[..80.min(sql.len())], error.message);
    }
    // Other long texts cost what they did.
    let words = "SELECT count(*) FROM m a, words WHERE words.t || a.n > 'w' AND words.t + a.n >= 0";
    assert_eq!(super::known::json(ask(words, &known, &Limits::default()).remove(0).as_ref().unwrap()), "[[2000]]");
}

fn known_rows(count: usize) -> String {
    let rows: Vec<String> = (0..count).map(|n| format!(r#"{{"n":{n}}}"#)).collect();
    format!("[{}]", rows.join(","))
}

/// The limit of memory is that of one question, however many others are asked at once.
#[test]
fn what_others_hold_does_not_count() {
    let known = known();
    let limits = Limits { memory: 6 << 20, ..Limits::default() };
    let sql = "SELECT length(group_concat(t)) FROM (SELECT a.k || b.k AS t FROM m a, m b LIMIT 100000)";
    ask(sql, &known, &limits).remove(0).unwrap();
    let answers: Vec<_> = std::thread::scope(|threads| {
        let ask = || ask(sql, &self::known(), &limits).remove(0);
        let asked: Vec<_> = (0..8).map(|_| threads.spawn(ask)).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let limits = Limits { memory: 100_000, ..Limits::default() };
    assert_eq!(ask(sql, &known, &limits).remove(0).unwrap_err().kind, AskErrorKind::Stopped);
    // And that of one statement, whatever those before it held.
    let limits = Limits { memory: 6 << 20, ..Limits::default() };
    let several = [sql; 8].join(";");
    assert!(ask(&several, &known, &limits).iter().all(Result::is_ok));
}
