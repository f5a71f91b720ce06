//! Questions about rows that grow: in their rows, in their groups and values, and in themselves.

use allocation_counter::measure;
use serde_json::{Value, json};

use crate::growing_rows::ROWS;
use crate::{Case, DOCUMENTS, answer, list, read, read_text};

/// The questions about every document, and those that grow themselves.
pub fn cases(cases: &mut Vec<Case>) {
    let mut add = |name: &str, arguments: fn(usize) -> Value| {
        for (document, base, make) in DOCUMENTS {
            let input = move |size: usize| (make(size), arguments(size));
            cases.push(Case::new(format!("{name} | {document}"), base, input, read));
        }
    };
    add("sort", |_| json!({ "sort": ["-id", "name"] }));
    add("sort with fields", |_| json!({ "sort": ["at.x"], "fields": ["id"], "page": 2 }));
    add("sort by what is not there", |_| json!({ "sort": ["none"] }));
    add("group", |_| json!({ "group": ["name"] }));
    add("group by what differs", |_| json!({ "group": ["id", "at.x"], "sort": ["-id"] }));
    add(
        "aggregate",
        |_| json!({ "aggregate": ["count", "sum:id", "mean:id", "median:id", "min:id", "max:name", "distinct:id"] }),
    );
    add(
        "aggregate groups",
        |_| json!({ "group": ["id"], "aggregate": ["sum:id", "median:id", "min:id", "distinct:at.x"] }),
    );
    add(
        "count by filters",
        |_| json!({ "aggregate": ["count:?@.id > 7", "count:?search(@.name, 'eedl')", "count:?@.at.x"] }),
    );
    add("questions about values", |_| json!({ "group": ["@"], "sort": ["-@"] }));
    add(
        "questions about matches",
        |_| json!({ "jsonPath": "$..id", "aggregate": ["sum:@", "distinct:@", "median:@"] }),
    );
    add("matches in an order", |_| json!({ "jsonPath": "$..*", "sort": ["@"] }));
    add("fields of matches", |_| json!({ "jsonPath": "$[?@.id > 3]", "fields": ["name", "at.x"] }));
    add("fields of entries", |_| json!({ "jsonPath": "$.*", "fields": ["id"] }));
    add("fields of what descends", |_| json!({ "jsonPath": "$..[?@.id]", "fields": ["id"] }));
    for (text, base, make) in ROWS {
        for (name, arguments) in [
            ("rows in an order", json!({ "sort": ["-id"], "page": 2 })),
            ("groups of rows", json!({ "group": ["name"], "aggregate": ["sum:id", "distinct:id"] })),
        ] {
            let input = move |size: usize| (make(size), arguments.clone());
            cases.push(Case::new(format!("{name} | {text}"), base, input, read_text));
        }
    }
    // What a question itself is made of.
    let mut question = |name: &str, base: usize, arguments: fn(usize) -> Value| {
        let input = move |size: usize| (DOCUMENTS[0].2(50), arguments(size));
        cases.push(Case::new(format!("question | {name}"), base, input, read));
    };
    question(
        "fields of a group",
        2,
        |n| json!({ "group": vec!["id"; n].iter().enumerate().map(|(at, id)| format!("{}{id}", "@.".repeat(at % 2))).collect::<Vec<_>>() }),
    );
    question(
        "aggregates",
        12,
        |n| json!({ "group": ["id"], "aggregate": (0..n).map(|at| format!("count:?@.id > {at}")).collect::<Vec<_>>() }),
    );
    question(
        "aggregates of fields",
        12,
        |n| json!({ "aggregate": (0..n).map(|at| format!("count:f{at}")).collect::<Vec<_>>() }),
    );
    question("steps of a field", 4, |n| json!({ "sort": [vec!["at"; n].join(".")] }));
    question("length of a field", 5_000, |n| json!({ "group": ["x".repeat(n)] }));
    question("length of no aggregate", 5_000, |n| json!({ "aggregate": ["x".repeat(n)] }));
    question("length of a text for a list", 5_000, |n| json!({ "aggregate": "count,".repeat(n) }));
    question("brackets in a text for a list", 5_000, |n| json!({ "sort": "(".repeat(n) }));
    // Numbers that do not fit the machine's.
    let mut numbers = |name: &str, base: usize, number: fn(usize, usize) -> String| {
        let input = move |size: usize| {
            let rows = list((0..size).map(|at| format!("{{\"n\":{}}}", number(at, size))));
            (rows, json!({ "aggregate": ["sum:n", "mean:n", "median:n", "distinct:n", "max:n"], "sort": ["n"] }))
        };
        cases.push(Case::new(format!("numbers | {name}"), base, input, read));
    };
    numbers("long ones", 300, |at, _| format!("{at}{}", "7".repeat(300)));
    numbers("long ones that are near", 300, |at, _| format!("1{}{at:06}", "0".repeat(300)));
    numbers("far apart", 300, |at, _| format!("1e{}", at as i64 % 1900 - 950));
    numbers("of one value, each spelled in another way", 300, |at, _| format!("1.{}", "0".repeat(at % 700 + 1)));
}

/// Questions that hold something of each row stop before they hold more than twice the text; those that need not, answer.
#[test]
fn what_a_question_holds_is_less_than_twice_the_text() {
    const BYTES: usize = 20_000_000;
    let rows = |unit: &dyn Fn(usize) -> String| {
        let mut rows = String::with_capacity(BYTES + 1_000);
        rows.push('[');
        let mut at = 0;
        while rows.len() < BYTES {
            rows += &unit(at);
            rows.push(',');
            at += 1;
        }
        rows.pop();
        rows + "]"
    };
    let small = rows(&|at| (10_000_000 + at % 10).to_string());
    let short = rows(&|at| format!(r#"{{"id":{at},"n":{}}}"#, at % 7));
    let usual = rows(&|at| {
        format!(
            r#"{{"id":{at},"n":{},"text":"some words that take their room in a row, and a few more of them to make it as long as rows mostly are, which is about two hundred bytes"}}"#,
            at % 7
        )
    });
    for (content, arguments, is_answered) in [
        (&small, json!({ "aggregate": ["count", "sum:@", "max:@", "distinct:@"] }), true),
        (&small, json!({ "group": ["@"] }), true),
        (&small, json!({ "sort": ["@"] }), false),
        (&small, json!({ "aggregate": ["median:@"] }), false),
        (&short, json!({ "sort": ["-id"] }), true),
        (&short, json!({ "aggregate": ["median:id"] }), true),
        (&short, json!({ "group": ["n"], "aggregate": ["median:id"] }), true),
        (&short, json!({ "group": ["id"] }), false),
        (&short, json!({ "aggregate": ["distinct:id"] }), false),
        (&short, json!({ "group": ["n"], "aggregate": ["sum:id", "mean:id"] }), true),
        (&short, json!({ "sort": ["id", "n", "@", "@.id"] }), false),
        (&usual, json!({ "group": ["id", "n"], "aggregate": ["sum:id", "distinct:n"] }), true),
        (&usual, json!({ "sort": ["-id"], "pageSize": 5 }), true),
        (&usual, json!({ "aggregate": ["median:id", "distinct:id", "max:text"] }), true),
        (&usual, json!({ "jsonPath": "$[?@.n == 3]", "group": ["n"], "aggregate": ["median:id"] }), true),
    ] {
        let mut answered = None;
        let memory = measure(|| answered = Some(answer(content, "json", arguments.clone()))).bytes_max;
        let answered = answered.unwrap();
        assert!(answered.receipt.work <= (1 << 27) + 8 * content.len() as u64, "{arguments}");
        assert_eq!(!answered.is_error, is_answered, "{arguments}: {}", answered.text);
        assert!(memory < 2 * BYTES as u64, "{arguments}: {memory} bytes");
    }
}

/// Filters look at each row once together, as counts of fields do.
#[test]
fn filters_share_one_look_at_each_row() {
    let fields: String = (0..40).map(|at| format!(r#""f{at}":"some words","#)).collect();
    let rows = list((0..1_000).map(|at| format!(r#"{{{fields}"id":{at},"n":{},"last":"x"}}"#, at % 7)));
    let work = |arguments: Value| answer(&rows, "json", arguments).receipt.work;
    let of_fields = work(json!({ "aggregate": ["count:id", "count:n", "count:last"] }));
    let of_filters = work(json!({ "aggregate": ["count:?@.id", "count:?@.n > 3", "count:?@.last == 'x'"] }));
    assert!(of_filters < of_fields + of_fields / 2, "{of_filters} {of_fields}");
    let of_query = work(json!({ "jsonPath": "$[?@.id > 500 && @.n > 3 && @.last == 'y']" }));
    assert!(of_query < of_fields + of_fields / 2, "{of_query} {of_fields}");
}

/// A question whose filters name thousands of fields.
#[test]
fn names_of_fields_are_paid_for_by_every_key() {
    let rows = list((0..100_000).map(|at| format!(r#"{{"id":{at},"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}}"#)));
    let filter = |nth: usize| (0..80).map(|at| format!("@.x{nth}y{at}")).collect::<Vec<_>>().join("||");
    let aggregates: Vec<String> = (0..90).map(|nth| format!("count:?{}", filter(nth))).collect();
    let few = answer(&rows, "json", json!({ "aggregate": aggregates[..1] }));
    assert!(!few.is_error, "{}", few.text);
    let many = answer(&rows, "json", json!({ "aggregate": aggregates }));
    assert!(many.is_error && many.text.contains("stopped"), "{}", many.text);
}

/// Texts that differ so late that there is not enough work to sort them are refused, and no sort is left halfway.
#[test]
fn a_sort_that_takes_too_much_is_refused() {
    const ROWS: usize = 30_000;
    for escape in ["", "\\u0061"] {
        let ask = |same: usize| {
            let same = "x".repeat(same);
            let row = |at: usize| format!(r#"{{"id":{at},"text":"{same}{escape}{:05}"}}"#, at * 7_919 % ROWS);
            let rows = list((0..ROWS).map(row));
            answer(&rows, "json", json!({ "sort": ["-text"], "pageSize": 1, "fields": ["id"] }))
        };
        let (short, long) = (ask(20), ask(900));
        assert!(short.text.contains("\"id\""), "{}", short.text);
        assert!(long.is_error && long.text.contains("stopped"), "{}", long.text);
    }
}
