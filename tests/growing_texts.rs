//! Texts of any size, for what grows with them: logs, traces, documents, pages, and markup that does not end.

use serde_json::{Value, json};

/// A name, the smallest size, and the text of a size.
type Growing = (&'static str, usize, fn(usize) -> String);

pub const TEXTS: [Growing; 33] = [
    ("lines", 2_000, |n| (0..n).map(|at| format!("2026-11-20 10:00:00 INFO request {at} ok\n")).collect()),
    ("errors", 1_000, |n| (0..n).map(|at| format!("ERROR: needle {at}\n  at frame {at}\n")).collect()),
    ("line breaks", 100_000, |n| "\n".repeat(n)),
    ("short lines", 100_000, |n| "a\n".repeat(n)),
    ("lines in colours", 2_000, |n| {
        (0..n).map(|at| format!("\x1b[2m2026-11-20 10:00:00\x1b[0m \x1b[31mERROR\x1b[0m needle {at}\n")).collect()
    }),
    ("character references", 40_000, |n| format!("<!doctype html>needle{}", "&amp;&#x41;&nosuch;".repeat(n / 19))),
    ("one line", 40_000, |n| "İx needle ".repeat(n / 11)),
    ("sections", 400, |n| {
        (0..n).map(|at| format!("## Section {at}\n\nSome words about {at}. And more.\n\n")).collect()
    }),
    ("frames", 600, |n| {
        let frames: String = (0..n).map(|at| format!("\tat com.acme.A{at}.b(A.java:{at})\n")).collect();
        format!("needle: x\n{frames}Caused by: y\n")
    }),
    ("causes", 300, |n| {
        let cause = |at: usize| format!("Caused by: needle {at}\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n");
        (0..n).map(cause).collect()
    }),
    ("page", 500, |n| {
        let row = |at: usize| format!("<h2>Part {at}</h2><p>Some <b>words</b> &amp; <a href=\"/{at}\">needle</a></p>");
        format!("<!doctype html>{}", (0..n).map(row).collect::<String>())
    }),
    ("comments that do not end", 40_000, |n| format!("<!doctype html>x{}", "<!-- <a needle".repeat(n / 14))),
    ("tags that do not end", 40_000, |n| format!("<!doctype html>x{}", "<a b=\" needle".repeat(n / 13))),
    ("scripts that do not end", 40_000, |n| format!("<!doctype html>x{}", "<script>needle".repeat(n / 14))),
    ("hidden elements", 40_000, |n| format!("<!doctype html>x{}", "<div hidden>needle".repeat(n / 18))),
    ("lists in lists", 40_000, |n| format!("<!doctype html>x{}", "<ul><li>needle".repeat(n / 14))),
    ("tables in tables", 40_000, |n| format!("<!doctype html>x{}", "<table><td>needle<td>".repeat(n / 21))),
    ("links in links", 40_000, |n| format!("<!doctype html>x{}", "<a href=/a>needle".repeat(n / 17))),
    ("attributes", 40_000, |n| format!("<!doctype html>x<p {}>needle", "a='b' ".repeat(n / 6))),
    ("white space in pre", 40_000, |n| {
        format!("<!doctype html><pre>{}{}needle", " ".repeat(n / 2), "<b> </b>".repeat(n / 16))
    }),
    ("underlined titles", 300, |n| (0..n).map(|at| format!("Needle {at}\n=========\n\nwords\n\n")).collect()),
    ("numbered chapters", 300, |n| (1..=n).map(|at| format!("{at}.  Needle\n\n   Words.\n   Words.\n\n")).collect()),
    ("chapters twice", 300, |n| {
        let chapter = |gap: &'static str| move |at: usize| format!("CHAPTER {at}\n{gap}");
        (1..=n).map(chapter("\n")).chain((1..=n).map(chapter("Needle\n\nwords\n\n"))).collect()
    }),
    ("documents", 300, |n| (0..n).map(|at| format!("---\nkind: Needle\nmetadata:\n  name: x{at}\n")).collect()),
    ("hunks", 300, |n| {
        (0..n).map(|at| format!("--- a/x{at}\n+++ b/x{at}\n@@ -1,1 +1,1 @@ needle\n-a\n+b\n")).collect()
    }),
    ("stages", 300, |n| (0..n).map(|at| format!("##[group]needle {at}\nwords\n##[endgroup]\nwords\n")).collect()),
    ("days", 300, |n| (0..n).map(|at| format!("2026-{at} 10:00:00 INFO [a] needle took {at} ms\n")).collect()),
    ("sections of settings", 300, |n| (0..n).map(|at| format!("[needle.{at}]\nx = {at}\n")).collect()),
    ("brackets in a title", 20_000, |n| format!("# {}\n\nSome needle words are here.\n", "[<a\x1b[".repeat(n / 6))),
    ("brackets that do not close", 20_000, |n| format!("needle\n{}", "[{'[{\"[(".repeat(n / 8))),
    ("lists that do not close", 20_000, |n| format!("needle\n[{}", "true,['a',{\"a\":".repeat(n / 16))),
    ("a literal after words", 300, |n| {
        format!("Some needle words: [{}]\n", (0..n).map(|at| format!("{{'id': {at}, 'x': None}},")).collect::<String>())
    }),
    ("titles in HTML", 300, |n| (0..n).map(|_| "<h1>\n\nSome needle words.\n\n## B\n\n").collect()),
];

/// What is asked of each of them.
pub fn asked_of_texts() -> Vec<(&'static str, Value)> {
    vec![
        ("text", json!({})),
        ("text by lines", json!({ "lines": "100-120" })),
        ("text to its end", json!({ "lines": "10-" })),
        ("search in text", json!({ "search": "needle" })),
        ("search in text for a letter", json!({ "search": "e", "context": 20 })),
        ("search in text for nothing", json!({ "search": "none" })),
        ("outline of text", json!({ "outline": true })),
        ("headings of text", json!({ "outline": true, "search": "e" })),
        ("search in text within lines", json!({ "search": "e", "lines": "10-" })),
        ("search in text under a heading", json!({ "search": "e", "lines": "needle 7" })),
        ("section of text", json!({ "lines": "needle" })),
        ("no section of text", json!({ "lines": "none > needle > none" })),
        ("last lines of text", json!({ "lines": "-1000000" })),
    ]
}
