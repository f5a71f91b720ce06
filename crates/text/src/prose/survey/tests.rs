//! Texts without a structure, and what is shown of them.

use super::{OUTCOME, is_run_with_levels, of, salient};

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn the_outcome_is_first_and_failures_have_what_belongs_to_them() {
    let passed: String = (0..50).map(|n| format!("test t::{n} ... ok\n")).collect();
    let text = format!(
        "running 52 tests\n{passed}test t::bad ... FAILED\n\nfailures:\n\n---- t::bad stdout ----\n\nthread 't::bad' panicked at \
         src/lib.rs:3:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n\n\nfailures:\n    t::bad\n\n\
         test result: FAILED. 51 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--lib`\n"
    );
    let survey = of(&text, &lines(&text));
    assert!(survey.is_run && survey.good == 50);
    assert!(survey.pieces[0].text.starts_with("error: test failed") && survey.pieces[0].class == OUTCOME);
    assert!(survey.pieces[1].text.starts_with("test result: FAILED."));
    let panic = survey.pieces.iter().find(|piece| piece.text.contains("panicked")).unwrap();
    assert!(panic.text.ends_with("right: 2"), "{}", panic.text);
}

#[test]
fn a_linters_file_is_shown_with_its_first_failure() {
    let text = "/app/a.js\n  1:7  error  'x' is never used  no-unused-vars\n  2:1  error  y  no-undef\n\n✖ 2 problems (2 errors)\n";
    let survey = of(text, &lines(text));
    assert!(survey.is_run && survey.counts == [("errors", 2)]);
    assert!(survey.pieces[1].text.starts_with("/app/a.js\n  1:7"), "{}", survey.pieces[1].text);
}

#[test]
fn the_file_of_a_failure_between_warnings_is_shown() {
    let text = "/app/a.js\n  1:7  warning  x  no-a\n\n/app/b.js\n  1:7  warning  x  no-a\n  2:1  error  y  no-undef\n  3:1  error  z  no-undef\n\n✖ 4 problems (2 errors, 2 warnings)\n";
    let survey = of(text, &lines(text));
    let shown: Vec<&str> = survey.pieces.iter().take(3).map(|piece| piece.text).collect();
    assert_eq!(shown[1], "/app/b.js", "{shown:?}");
    assert!(shown[2].starts_with("  2:1  error"), "{shown:?}");
}

fn texts(text: &str) -> Vec<&str> {
    of(text, &lines(text)).pieces.iter().map(|piece| piece.text).collect()
}

#[test]
fn the_heading_of_a_failures_paragraph_is_shown() {
    let tasks: String = (0..20).map(|n| format!("TASK [write {n}] ****\nok: [web1]\n\n")).collect();
    let text = tasks + "TASK [restart] ****\nskipping: [web1]\nfatal: [web2]: FAILED! => {}\n\nweb2 : ok=20 failed=1\n";
    let shown = texts(&text);
    assert_eq!(shown[1..3], ["TASK [restart] ****", "fatal: [web2]: FAILED! => {}"], "{shown:?}");
}

#[test]
fn what_has_a_place_below_it_is_a_diagnostic() {
    let text = "Checking\n\nF821 Undefined name `a`\n  --> a.py:62:12\n   |\n62 |     return a\n\nFound 1 error.\n";
    let survey = of(text, &lines(text));
    assert!(survey.pieces[1].text.starts_with("F821") && survey.pieces[1].class == "error", "{:?}", texts(text));
}

#[test]
fn an_outcome_may_have_several_lines_and_is_not_one_of_many() {
    let poured: String = (0..20).map(|n| format!("poured {n}: {n} files\n")).collect();
    let tests = "ℹ tests 82\nℹ pass 80\nℹ fail 2\nℹ todo 0\n";
    let text = format!("{tests}\n{poured}caveats\n");
    assert_eq!(texts(&text)[0], tests.trim_end(), "{:?}", texts(&text));
}

#[test]
fn the_commits_of_a_diff_are_shown() {
    let commit = |n: usize| {
        format!(
            "commit {n:040}\nAuthor: a <a@b>\nDate:   b\n\n    Fix {n}\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+{n}\n\n"
        )
    };
    let text: String = (0..9).map(commit).collect();
    assert_eq!(texts(&text)[..2], ["    Fix 0", "    Fix 1"]);
}

#[test]
fn a_log_with_levels_and_no_times_may_be_a_run() {
    let steps = "[INFO] step\n".repeat(20);
    let run = format!("{steps}[INFO] BUILD FAILURE\n[ERROR] x\n");
    let log = format!("{}{run}", "2026-11-20 10:00:00 INFO a\n".repeat(9));
    assert!(is_run_with_levels(&run, &lines(&run)));
    for text in [&log, &steps] {
        assert!(!is_run_with_levels(text, &lines(text)), "{text}");
    }
}

#[test]
fn a_failure_ends_where_the_run_goes_on() {
    let steps: String = (0..9).map(|n| format!("   Compiling b{n} v0.1.0\n")).collect();
    let text = format!(
        "error[E0308]: mismatched types\n  --> src/lib.rs:40:5\n   |\n40 |     \"a\"\n   |     ^^^ expected `u32`\n\n{steps}error: could not compile `a`\n"
    );
    let survey = of(&text, &lines(&text));
    let texts: Vec<&str> = survey.pieces.iter().map(|piece| piece.text).collect();
    assert!(texts.iter().any(|text| text.ends_with("expected `u32`")), "{texts:?}");
}

#[test]
fn code_and_commits_have_no_errors() {
    let code = "import os\n\ndef check(x):\n    raise ValueError(\"3 failed\")\n".repeat(20);
    let commit = "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: a\nDate: b\n\n    Fix error\n\n";
    let (code, log) = (of(&code, &lines(&code)), commit.repeat(20));
    assert!(!code.is_run && code.counts.is_empty(), "{:?}", code.counts);
    let log = of(&log, &lines(&log));
    assert_eq!((log.counts, log.pieces[0].text), (vec![("commits", 20)], "    Fix error"));
}

#[test]
fn without_a_verdict_lines_are_counted() {
    let text = format!("{}error: x\n{}", "a\n".repeat(40), "b\n".repeat(40));
    assert_eq!(of(&text, &lines(&text)).counts, []);
    let text = text.repeat(3);
    assert_eq!(of(&text, &lines(&text)).counts, [("errorLines", 3)]);
    let hosts = "web1 : ok=1 changed=0 unreachable=0 failed=1\nweb2 : ok=1 changed=0 unreachable=0 failed=2\n";
    assert_eq!(of(hosts, &lines(hosts)).counts, []);
}

#[test]
fn an_error_in_a_long_line_is_found() {
    let long = format!("{}ERROR: disk full {}", "word é ".repeat(3_000), "more ".repeat(3_000));
    let minified = "function(a){if(!a)throw new Error(a);return a(b,c)};".repeat(900);
    let survey = of(&long, &lines(&long));
    let piece = &survey.pieces[0];
    assert!(piece.is_part && piece.text.contains("disk full") && piece.text.len() < 400, "{}", piece.text);
    // However often a line says so, it is one.
    let twice = format!("error {long} {long}\n");
    assert_eq!(of(&twice, &lines(&twice)).counts, [("errorLines", 1)]);
    assert!(of(&minified, &lines(&minified)).pieces.is_empty());
}

#[test]
fn what_is_fatal_is_first() {
    let advisory = |name: &str, severity: &str| format!("{name}  <1\nSeverity: {severity}\nA flaw in {name}\n\n");
    let text = advisory("a", "high") + &advisory("b", "moderate") + &advisory("c", "critical");
    let survey = of(&text, &lines(&text));
    assert_eq!(survey.pieces[0].text, "c  <1\nSeverity: critical\nA flaw in c");
    assert_eq!(survey.counts, [("errorLines", 2), ("warningLines", 1)]);
}

#[test]
fn a_failure_has_its_whole_paragraph() {
    let block = |text: &str, wanted: &str| {
        let lines = lines(text);
        let survey = of(text, &lines);
        let errors: Vec<&str> =
            survey.pieces.iter().filter(|piece| piece.class == "error").map(|piece| piece.text).collect();
        assert!(errors.iter().any(|error| error.contains(wanted)), "{wanted} {errors:#?}");
    };
    block(
        "a\n\nFailure:\nT#tax [t.rb:12]:\nExpected: 119\n  Actual: 107\n\n1 runs, 1 failures\n",
        "Failure:\nT#tax [t.rb:12]:\nExpected: 119\n  Actual: 107",
    );
    block(
        "\n  1) test tax (T)\n     test/t.exs:12\n     Assertion failed\n     code:  a == b\n     left:  107\n\n1 test, 1 failure\n",
        "1) test tax (T)\n     test/t.exs:12\n     Assertion failed\n     code:  a == b\n     left:  107",
    );
    block("[info] - tax *** FAILED ***\n[info]   107 is not 119\n[info] - b\n", "FAILED ***\n[info]   107 is not 119");
    block("x\n! Undefined control sequence.\nl.141 \\nowhere\n\ny\n", "sequence.\nl.141 \\nowhere");
    block(
        "Crate: a\nTitle: Double free\nSeverity: 9.8 (critical)\nSolution: b\n\nc\n",
        "Crate: a\nTitle: Double free\n",
    );
}

#[test]
fn a_block_goes_on_below_what_was_wanted_and_not_to_other_rows() {
    let units = |state: &str| {
        format!("● web.service  loaded {state}  {state}  Web\n  b.service    loaded active  running  B\n")
    };
    let report =
        "   Equal() Failure: differ\nExpected: 119\nActual:   107\n  Stack Trace:\n     at T() in /a.cs:line 12\n";
    assert!(of(report, &lines(report)).pieces[0].text.ends_with("line 12"));
    let survey_of = units("failed");
    let survey = of(&survey_of, &lines(&survey_of));
    assert_eq!(survey.pieces[0].text.lines().count(), 1, "{}", survey.pieces[0].text);
}

#[test]
fn hits_of_a_search_are_no_errors() {
    let hits: String =
        (0..40).map(|n| format!("src/a.py:{n}:def a(errors):\nsrc/a.py-{n}-    raise Error({n})\n--\n")).collect();
    let counts: String = (0..40).map(|n| format!("src/errors{n}.py:{n}\n")).collect();
    for text in [&hits, &counts] {
        assert_eq!(of(text, &lines(text)).counts, [], "{text}");
    }
    let frames: String = (0..40).map(|n| format!("app/models/order.rb:{n}:in 'save'\n")).collect();
    let trace = format!("RuntimeError (boom):\n{frames}");
    assert_ne!(of(&trace, &lines(&trace)).counts, [], "{trace}");
    let compiled: String = (0..40).map(|n| format!("src/a.py:{n}: error: x\n")).collect();
    assert_eq!(of(&compiled, &lines(&compiled)).counts, [("errorLines", 40)]);
}

#[test]
fn prose_is_no_run() {
    let text = "The tests passed.\n\nAn error of 3 percent is no failure.\n".repeat(30);
    assert!(!of(&text, &lines(&text)).is_run);
}

#[test]
fn of_a_failure_the_message_and_the_place_say_most() {
    let block = "  ● sum › adds\n\n    expect(received).toBe(expected)\n\n    Expected: 4\n    Received: 3\n\n      10 |\n    > 12 | x\n";
    let shown: Vec<&str> = salient(&lines(block)).into_iter().flat_map(|range| lines(block)[range].to_vec()).collect();
    assert_eq!(shown.len(), 5, "{shown:?}");
}
