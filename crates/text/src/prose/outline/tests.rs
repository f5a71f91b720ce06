//! Outlines of short texts of each kind.

use super::{Headings, of};

/// A section: its first and last line, its level and its title.
type Section = (usize, usize, usize, String);

fn outline(text: &str) -> (Option<Headings>, Vec<Section>) {
    let outline = of(text, text, &text.lines().collect::<Vec<_>>());
    let headings = outline.as_ref().map(|outline| outline.headings);
    let sections = outline.map_or(Vec::new(), |outline| outline.sections);
    (headings, sections.into_iter().map(|s| (s.line + 1, s.end, s.level, s.title.into_owned())).collect())
}

fn check(text: &str, headings: Headings, wanted: &[(usize, usize, usize, &str)]) {
    let wanted = wanted.iter().map(|&(line, end, level, title)| (line, end, level, title.to_owned())).collect();
    assert_eq!(outline(text), (Some(headings), wanted), "{text}");
}

#[test]
fn sections_contain_those_of_deeper_levels() {
    let text = "# A [link](x)\n\nSome words that stand here.\n\n## B\n\nWords.\n\n### C\n\nWords.\n\n## D\n\n- one\n\nE\n=\n===\n";
    check(text, Headings::Markdown, &[(1, 19, 1, "A link"), (5, 12, 2, "B"), (9, 12, 3, "C"), (13, 19, 2, "D")]);
    let readme = "<h1 align=\"center\">\n  <a href=\"/\">Name</a>\n</h1>\n\nWords of it.\n\n## Use\n\nWords.\n\n## License\n\nMIT\n";
    check(readme, Headings::Markdown, &[(1, 13, 1, "Name"), (7, 10, 2, "Use"), (11, 13, 2, "License")]);
}

#[test]
fn many_headings_with_few_words_are_markdown_all_the_same() {
    let text: String = (0..9).map(|at| format!("## Part {at}\n\n### Use\n\nwords\n\n")).collect();
    let (kind, found) = outline(&text);
    assert_eq!((kind, found.len()), (Some(Headings::Markdown), 18));
}

#[test]
fn versions_follow_one_another_whatever_their_levels_are() {
    let versions = "# Changes\n\n# [6.0.0](x) (2026-01-01)\n\n### Fixes\n\n* a\n\n## [5.19.1](x)\n\n### Fixes\n\n* b\n\n\
        ## v5.19.0\n\n* c\n\n# 5.0.0\n\n* d\n";
    let wanted = [
        (1, 21, 1, "Changes"),
        (3, 8, 2, "6.0.0 (2026-01-01)"),
        (5, 8, 3, "Fixes"),
        (9, 14, 2, "5.19.1"),
        (11, 14, 3, "Fixes"),
        (15, 18, 2, "v5.19.0"),
        (19, 21, 2, "5.0.0"),
    ];
    check(versions, Headings::Markdown, &wanted);
    let changed = "# 6.0.0\n\n## Breaking\n\n* a\n\n## 5.19.1\n\n* b\n";
    check(changed, Headings::Markdown, &[(1, 6, 1, "6.0.0"), (3, 6, 2, "Breaking"), (7, 9, 1, "5.19.1")]);
    // Versions that are parts of others stay below them.
    let lines = "# 6.0\n\n## 6.0.1\n\n* a\n\n## 6.0.0\n\n* b\n\n# 5.0\n\n* c\n";
    check(lines, Headings::Markdown, &[(1, 10, 1, "6.0"), (3, 6, 2, "6.0.1"), (7, 10, 2, "6.0.0"), (11, 13, 1, "5.0")]);
    let chapters = "# 1.2 Scope\n\nwords\n\n## 1.2.1 Terms\n\nwords\n\n## Notes\n\nwords\n";
    check(chapters, Headings::Markdown, &[(1, 11, 1, "1.2 Scope"), (5, 8, 2, "1.2.1 Terms"), (9, 11, 2, "Notes")]);
}

#[test]
fn pages_have_the_lines_of_their_html() {
    let html =
        "<!doctype html>\n<h1>One</h1>\n<p>a\n<h2>Two <a href=/x>b</a></h2><h2>Three</h2>\n<p>c\n<h1>Four</h1>\n";
    let wanted = [(2, 5, 1, "One"), (4, 4, 2, "Two b"), (4, 5, 2, "Three"), (6, 6, 1, "Four")];
    check(html, Headings::Html, &wanted);
}

#[test]
fn marks_under_titles_have_levels_in_their_order() {
    let text = "#####\nBook\n#####\n\nOne\n***\n\nwords\n\nTwo\n***\n\nSub\n~~~\n\nwords\n";
    check(text, Headings::Underlined, &[(1, 16, 1, "Book"), (5, 9, 2, "One"), (10, 16, 2, "Two"), (13, 16, 3, "Sub")]);
    let history =
        "1.1.0 / 2024-01-01\n==================\n\n  * a\n\n1.0.0 / 2023-01-01\n==================\n\n  * b\n";
    check(history, Headings::Underlined, &[(1, 5, 1, "1.1.0 / 2024-01-01"), (6, 9, 1, "1.0.0 / 2023-01-01")]);
}

#[test]
fn documents_of_other_kinds() {
    let asciidoc = "= Book\n\nWords.\n\n== One\n\n----\n== no\n----\n\n=== Two\n\nEnd.\n";
    check(asciidoc, Headings::Equals, &[(1, 13, 1, "Book"), (5, 13, 2, "One"), (11, 13, 3, "Two")]);
    let wiki = "Words.\n\n==One==\n\nWords.\n\n===Two===\n\nEnd.\n";
    check(wiki, Headings::Equals, &[(3, 9, 2, "One"), (7, 9, 3, "Two")]);
    let latex = "\\documentclass{a}\n\\section{One}\nWords.\n\\subsection*{Two {\\em x}}\nWords.\n";
    check(latex, Headings::Latex, &[(2, 5, 2, "One"), (4, 5, 3, "Two {\\em x}")]);
    let org = "#+TITLE: A\n* One\n** Two\n- item\n* Three\n";
    check(org, Headings::Org, &[(2, 4, 1, "One"), (3, 4, 2, "Two"), (5, 5, 1, "Three")]);
    let toml = "a = 1\n\n[package]\nname = \"x\"\n\n[package.lints]\n\"b\" = 2\nlist = [\n  1,\n]\n";
    check(toml, Headings::Settings, &[(3, 10, 1, "package"), (6, 10, 2, "package.lints")]);
    let yaml = "# license\n---\nkind: Service\nmetadata:\n  name: a\n---\n# more\nkind: Deployment\nmetadata:\n  name: b\n---\n";
    check(yaml, Headings::Yaml, &[(2, 5, 1, "Service a"), (6, 11, 1, "Deployment b")]);
}

#[test]
fn numbers_follow_each_other() {
    let rfc = "Table of Contents\n\n   1. Introduction ... 1\n\n1.  Introduction\n\n   Words of it.\n   More.\n\n1.1.  Terms\n\n   Words:\n\n\
        5. not this\n\n2.  Protocol\n\n   Words.\n   1. item\n   2. item\n\n3.  End\n\n   Words.\n";
    let wanted = [
        (5, 15, 1, "1.  Introduction"),
        (10, 15, 2, "1.1.  Terms"),
        (16, 21, 1, "2.  Protocol"),
        (22, 24, 1, "3.  End"),
    ];
    check(rfc, Headings::Chapters, &wanted);
    let book = "ALICE\n\nCHAPTER I.\n\nCHAPTER II.\n\n\nCHAPTER I.\nDown the hole\n\nWords here.\n\nCHAPTER II.\nThe pool\n\nWords.\n";
    let (kind, found) = outline(book);
    assert_eq!(kind, Some(Headings::Chapters));
    assert!(
        found.iter().any(|(line, end, _, title)| (*line, *end, title.as_str()) == (8, 12, "CHAPTER I. Down the hole")),
        "{found:?}"
    );
    // A list is not an outline.
    assert_eq!(outline("Do this:\n\n1. Take it\n\n2. Give it\n\n3. Leave it\n\n4. Go\n").0, None);
}

#[test]
fn manual_pages() {
    let page = "LS(1)        User Commands       LS(1)\n\nNAME\n       ls - list\n\nSYNOPSIS\n       ls [OPTION]\n\nDESCRIPTION\n       List.\n\n   Exit status:\n       0 if OK\n\nSEE ALSO\n       dir\n";
    let wanted = [
        (3, 5, 1, "NAME"),
        (6, 8, 1, "SYNOPSIS"),
        (9, 14, 1, "DESCRIPTION"),
        (12, 14, 2, "Exit status:"),
        (15, 16, 1, "SEE ALSO"),
    ];
    check(page, Headings::Manual, &wanted);
    let license = "Words of a license.\n\nPREAMBLE\n\nWords of it.\nMore words.\n\nTERMS AND CONDITIONS\n\nWords of it.\nMore.\n\nNO WARRANTY\n\nWords.\n";
    check(
        license,
        Headings::Manual,
        &[(3, 7, 1, "PREAMBLE"), (8, 12, 1, "TERMS AND CONDITIONS"), (13, 15, 1, "NO WARRANTY")],
    );
}

#[test]
fn files_and_hunks_of_a_difference() {
    let diff = "commit 0123456789abcdef\nAuthor: A\nDate: B\n\n    Mend it\n\ndiff --git a/x.rs b/x.rs\nindex 1..2 100644\n--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,3 @@ fn a\n a\n--- b\n++++ c\n+d\n@@ -9 +10 @@\n-e\n+f\n";
    let wanted = [
        (1, 18, 1, "0123456789 Mend it"),
        (7, 18, 2, "x.rs"),
        (11, 15, 3, "@@ -1,2 +1,3 @@ fn a"),
        (16, 18, 3, "@@ -9 +10 @@"),
    ];
    check(diff, Headings::Diff, &wanted);
    let plain = "--- a.txt\t2026-01-01\n+++ b.txt\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n";
    check(plain, Headings::Diff, &[(1, 5, 1, "b.txt"), (3, 5, 2, "@@ -1 +1 @@")]);
}

#[test]
fn stages_of_logs() {
    let actions = "2026-11-20T10:00:00.1234567Z ##[group]Run actions/checkout@v4\n2026-11-20T10:00:00.1234567Z with:\n2026-11-20T10:00:01Z ##[endgroup]\n\
        2026-11-20T10:00:02Z Syncing\n2026-11-20T10:00:03Z ##[group]Run \x1b[36;1mnpm ci\n2026-11-20T10:00:04Z ##[error]no\n";
    check(actions, Headings::Stages, &[(1, 4, 1, "Run actions/checkout@v4"), (5, 6, 1, "Run npm ci")]);
    let run = "build\tSet up job\t2026-11-20T10:00:00.1Z a\nbuild\tSet up job\t2026-11-20T10:00:00.2Z ##[group]OS\nbuild\tTest\t2026-11-20T10:00:00.3Z b\n";
    check(run, Headings::Stages, &[(1, 3, 1, "build"), (1, 2, 2, "Set up job"), (2, 2, 3, "OS"), (3, 3, 2, "Test")]);
    let maven = "[INFO] Scanning\n[INFO] -----< com.x:y >-----\n[INFO] Building y 1.0\n[INFO] --- maven-clean-plugin:2.5:clean (default) @ y ---\n[INFO] Deleting\n\
        [INFO] BUILD FAILURE\n";
    let wanted =
        [(2, 5, 1, "com.x:y"), (4, 5, 2, "maven-clean-plugin:2.5:clean (default) @ y"), (6, 6, 1, "BUILD FAILURE")];
    check(maven, Headings::Stages, &wanted);
    let pytest = "===== test session starts =====\ncollected 2\n\n===== FAILURES =====\n_____ test_a _____\n\nE  no\n===== 1 failed =====\n";
    let wanted = [(1, 3, 1, "test session starts"), (4, 7, 1, "FAILURES"), (5, 7, 2, "test_a"), (8, 8, 1, "1 failed")];
    check(pytest, Headings::Stages, &wanted);
    for (text, titles) in [
        ("==> Installing a\nx\n==> Installing b\n", ["Installing a", "Installing b"]),
        ("#1 [internal] load\n#1 0.1 x\n#2 [build 1/2] FROM a\n", ["[internal] load", "[build 1/2] FROM a"]),
        ("Step 1/2 : FROM a\n ---> 1\nStep 2/2 : RUN b\n", ["FROM a", "RUN b"]),
        ("> Task :app:compile\n> Task :app:test FAILED\nx\n", ["app:compile", "app:test FAILED"]),
        ("PLAY [all] ***\nok\nTASK [copy a] ***\nok\n", ["all", "copy a"]),
        (
            "section_start:1:prep\r\x1b[0KPrepare\nx\nsection_end:1:prep\r\x1b[0K\nsection_start:2:b\r\x1b[0K\n",
            ["Prepare", "b"],
        ),
        ("\n> a@1.0.0 build\n> tsc\n\nx\n> a@1.0.0 test\n> jest\n", ["a@1.0.0 build", "a@1.0.0 test"]),
        (
            "     Running unittests src/lib.rs (target/debug/deps/a-1)\nok\n   Doc-tests a\n",
            ["Running unittests src/lib.rs (target/debug/deps/a-1)", "Doc-tests a"],
        ),
    ] {
        let (kind, found) = outline(text);
        let found: Vec<String> = found.into_iter().map(|(.., title)| title).collect();
        assert_eq!((kind, &found[..]), (Some(Headings::Stages), &titles.map(str::to_owned)[..]), "{text}");
    }
}

#[test]
fn days_and_gaps_of_logs() {
    let line = |day: usize, time: &str, n: usize| format!("2026-11-{day} {time} INFO [web] request {n} took {n} ms\n");
    let mut text = String::new();
    (0..30).for_each(|n| text += &line(20, &format!("10:00:{n:02}"), n));
    text += &line(20, "12:30:00", 31);
    text += &line(21, "00:10:00", 32);
    (0..9).for_each(|n| text += &line(21, &format!("00:11:{n:02}"), n));
    let (kind, found) = outline(&text);
    assert_eq!(kind, Some(Headings::Times));
    let found: Vec<(usize, usize, &str)> =
        found.iter().map(|(line, _, level, title)| (*line, *level, title.as_str())).collect();
    assert_eq!(found[0], (1, 1, "2026-11-20"));
    assert_eq!(found[1], (31, 2, "12:30:00 after 2 h INFO [web] request 31 took 31 ms"));
    assert_eq!(found[2], (32, 1, "2026-11-21"));
    // A date begins behind a character of any length.
    for (before, day) in
        [("20\u{fffd}26-11-20", "26-11-20"), ("\u{3000}Nov 20", "Nov 20"), ("\u{e9}\u{e9}c 2", "2026-11-20")]
    {
        let (_, found) = outline(&text.replacen("2026-11-20", before, 1));
        assert_eq!(found[0].3, day, "{before}");
    }
}

#[test]
fn texts_without_headings_have_no_outline() {
    for text in [
        "",
        "words\n",
        "import os\n\n# first\nx = 1\n\n# second\ndef f():\n    return x\n",
        "a,b\n1,2\n3,4\n",
        "One line of words.\nAnother line of words.\n\nA paragraph of words.\n",
        "{\"a\": 1}\n",
        "#!/bin/sh\n\n# words\nls\n\n# words\nls\n",
    ] {
        assert_eq!(outline(text), (None, Vec::new()), "{text}");
    }
}
