//! Questions about rows, against a simple program that answers them from values in memory.

use std::cmp::Ordering;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolshape::host::{JsonText, Naming, Source};
use toolshape::{Policy, Shaped, Shaper};

use crate::promises;
use crate::reader::Reader;

/// A field of a row. A number counts hundredths.
#[derive(Clone, Debug, PartialEq)]
enum Field {
    Missing,
    Null,
    Flag(bool),
    Number(i128),
    Text(&'static str),
}

use Field::{Flag, Missing, Null, Number, Text};

#[derive(Clone, Debug)]
struct Row {
    a: Field,
    b: Field,
    n: Field,
    /// How its values are spelled.
    spelling: usize,
}

fn field() -> impl Strategy<Value = Field> {
    prop_oneof![
        1 => Just(Missing),
        1 => Just(Null),
        1 => any::<bool>().prop_map(Flag),
        6 => (-3..4i128).prop_map(|number| Number(number * 50)),
        2 => (-300..300i128).prop_map(Number),
        1 => any::<i64>().prop_map(|number| Number(i128::from(number) * 100)),
        1 => any::<i128>().prop_map(|number| Number(number >> 20)),
        3 => prop_oneof![Just("x"), Just("yé"), Just("1"), Just(""), Just("a\"b\\/"), Just("B")].prop_map(Text),
    ]
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (field(), field(), field(), 0..64usize).prop_map(|(a, b, n, spelling)| Row { a, b, n, spelling });
    prop::collection::vec(row, 0..40)
}

/// A number of hundredths in one of its spellings.
fn number(hundredths: i128, spelling: usize) -> String {
    let (sign, size) = (if hundredths < 0 { "-" } else { "" }, hundredths.unsigned_abs());
    let plain = format!("{sign}{}.{:02}", size / 100, size % 100);
    match spelling % 4 {
        0 if size % 100 == 0 => format!("{sign}{}", size / 100),
        0 | 1 => plain,
        2 => format!("{sign}{size}e-2"),
        _ => format!("{plain}0E+0"),
    }
}

fn json_of(field: &Field, spelling: usize) -> Option<String> {
    Some(match field {
        Missing => return None,
        Null => "null".to_owned(),
        Flag(flag) => flag.to_string(),
        Number(hundredths) => number(*hundredths, spelling),
        Text(text) if spelling.is_multiple_of(2) => json!(text).to_string(),
        Text(text) => {
            let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
            format!("\"{units}\"")
        }
    })
}

fn json_of_row(id: usize, row: &Row) -> String {
    let Row { a, b, n, spelling } = row;
    let key = |name: &'static str| {
        if spelling.is_multiple_of(3) { format!("\\u{:04x}", name.as_bytes()[0]) } else { name.to_owned() }
    };
    let mut members = vec![format!("\"id\":{id}")];
    for (name, field) in [("a", a), ("b", b), ("n", n)] {
        members.extend(json_of(field, *spelling).map(|value| format!("\"{}\": {value}", key(name))));
    }
    members.push(format!("\"pad\":[{{\"a\":7}},\"{}\"]", "]}\\\"".repeat(spelling * 3)));
    let turn = spelling % members.len();
    members.rotate_left(turn);
    format!("{{{}}}", members.join(" ,"))
}

/// How the rows are put into a content, and the arguments with which they are asked about.
fn content(rows: &[Row], form: usize) -> (String, Value) {
    let list: Vec<String> = rows.iter().enumerate().map(|(id, row)| json_of_row(id, row)).collect();
    let list = format!("[{}]", list.join("\n,"));
    match form % 4 {
        0 => (list, json!({})),
        1 => (format!("{{\"meta\":\"x\",\"data\":{{\"rows\":{list}}}}}"), json!({ "pointer": "/data/rows" })),
        2 => (list, json!({ "jsonPath": "$[*]" })),
        _ => (format!("{{\"rows\":{list}}}"), json!({ "jsonPath": "$.rows" })),
    }
}

/// The answer to a question, all of it on one page.
fn ask(rows: &[Row], form: usize, question: Value) -> Shaped {
    let (content, mut arguments) = content(rows, form);
    let arguments_of = question.as_object().unwrap().clone();
    arguments.as_object_mut().unwrap().extend(arguments_of);
    let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 1_000_000 }), Naming::Camel).unwrap());
    let shaped = Reader::of_stored(&shaper, &content, true, None).ask(&arguments);
    promises::fits(&shaped);
    shaped
}

/// Some members of an object, as JSON text; empty where one is missing.
fn cells(object: &JsonText<'_>, names: &[&str]) -> Vec<String> {
    let entries = object.entries().unwrap();
    let cell = |name: &&str| {
        let key = json!(name).to_string();
        entries.iter().find(|(known, _)| *known == key).map_or(String::new(), |(_, value)| value.span().to_owned())
    };
    names.iter().map(cell).collect()
}

fn items<'a>(answer: &JsonText<'a>) -> Vec<JsonText<'a>> {
    let entries = answer.entries().unwrap();
    let (_, items) = entries.iter().find(|(key, _)| key == "\"items\"").unwrap();
    items.items(0, usize::MAX).unwrap()
}

/// A JSON number as whole hundredths of hundredths (ten to the minus 24), if it is so exact.
fn units(json: &str) -> Option<i128> {
    let (mantissa, exponent) = json.split_once(['e', 'E']).unwrap_or((json, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or((1, mantissa), |rest| (-1, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.parse::<i32>().unwrap() - fraction.len() as i32;
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let power = 2 + exponent;
    match power {
        0.. => digits.checked_mul(10i128.checked_pow(power as u32)?)?.checked_mul(sign),
        _ => {
            let divisor = 10i128.checked_pow(power.unsigned_abs())?;
            (digits % divisor == 0).then_some(sign * digits / divisor)
        }
    }
}

/// What the simple program says about the field `n` of some rows: each function's value in hundredths, and null where
/// there is none.
fn naive(rows: &[&Row], of_numbers: bool) -> Vec<(&'static str, Option<i128>)> {
    let mut numbers: Vec<i128> =
        rows.iter().filter_map(|row| if let Number(n) = row.n { Some(n) } else { None }).collect();
    numbers.sort_unstable();
    let mut distinct: Vec<&Field> = Vec::new();
    for row in rows.iter().filter(|row| !matches!(row.n, Missing | Null)) {
        if !distinct.contains(&&row.n) {
            distinct.push(&row.n);
        }
    }
    let there = rows.iter().filter(|row| !matches!(row.n, Missing | Null)).count();
    let passing = numbers.iter().filter(|&&number| number >= 50).count();
    let whole = |count: usize| Some(100 * count as i128);
    let extreme = |number: Option<&i128>| if of_numbers { number.copied() } else { None };
    vec![
        ("count", whole(rows.len())),
        ("count:n", whole(there)),
        ("count:?@.n >= 0.5", whole(passing)),
        ("distinct:n", whole(distinct.len())),
        ("sum:n", (!numbers.is_empty()).then(|| numbers.iter().sum())),
        ("min:n", extreme(numbers.first())),
        ("max:n", extreme(numbers.last())),
    ]
}

const AGGREGATES: [&str; 9] =
    ["count", "count:n", "count:?@.n >= 0.5", "distinct:n", "sum:n", "min:n", "max:n", "mean:n", "median:n"];

/// Checks the aggregates of some rows in an object of the answer.
fn check(rows: &[&Row], object: &JsonText<'_>, of_numbers: bool) {
    for (name, value) in naive(rows, of_numbers) {
        if !of_numbers && name.starts_with("m") {
            continue;
        }
        let cell = &cells(object, &[name])[0];
        match value {
            Some(value) => assert_eq!(units(cell), Some(value), "{name}: {cell}"),
            None => assert_eq!(cell, "null", "{name}"),
        }
    }
    let mut numbers: Vec<i128> =
        rows.iter().filter_map(|row| if let Number(n) = row.n { Some(n) } else { None }).collect();
    numbers.sort_unstable();
    let [mean, median] = &cells(object, &["mean:n", "median:n"])[..] else { unreachable!() };
    if numbers.is_empty() {
        assert_eq!([mean, median], ["null", "null"]);
        return;
    }
    let count = numbers.len() as i128;
    let (low, high) = (numbers[(numbers.len() - 1) / 2], numbers[numbers.len() / 2]);
    // In thousandths, so that a half is whole.
    let thousandths = |json: &str| units(&format!("{json}{}", if json.contains(['e', 'E']) { "" } else { "e1" }));
    if !median.contains(['e', 'E']) {
        assert_eq!(thousandths(median), Some((low + high) * 5), "{median}");
    }
    // The nearest number with this many digits after the point.
    let digits = mean.split_once('.').map_or(0, |(_, fraction)| fraction.len() as u32);
    let Some(scale) = 10i128.checked_pow(digits) else { return };
    let (sum, mantissa) = (numbers.iter().sum::<i128>(), mean.replace('.', ""));
    let (Ok(mantissa), Some(sum)) = (mantissa.parse::<i128>(), sum.checked_mul(scale)) else { return };
    let Some(product) = mantissa.checked_mul(100 * count) else { return };
    let apart = (product - sum).unsigned_abs();
    assert!(2 * apart <= 100 * count.unsigned_abs(), "{mean} of {numbers:?}");
    let significant = mean.trim_start_matches(['-', '0', '.']).replace('.', "").len();
    assert!(apart == 0 || significant >= 17 || digits == 0, "{mean} of {numbers:?}");
}

/// The one order of all values.
fn compare(a: &Field, b: &Field, is_descending: bool) -> Ordering {
    let rank = |field: &Field| match field {
        Flag(_) => 0,
        Number(_) => 1,
        Text(_) => 2,
        Null => 3,
        Missing => 4,
    };
    let order = rank(a).cmp(&rank(b)).then_with(|| match (a, b) {
        (Flag(a), Flag(b)) => a.cmp(b),
        (Number(a), Number(b)) => a.cmp(b),
        (Text(a), Text(b)) => a.chars().cmp(b.chars()),
        _ => Ordering::Equal,
    });
    let is_last = rank(a) > 2 || rank(b) > 2;
    if is_descending && !is_last { order.reverse() } else { order }
}

/// Whether no row has one of the fields, so that they are unknown.
fn lacks(rows: &[Row], of: &[fn(&Row) -> &Field]) -> bool {
    !rows.is_empty() && of.iter().any(|field| rows.iter().all(|row| *field(row) == Missing))
}

proptest! {
    #[test]
    fn groups_come_to_what_a_simple_program_says(rows in rows(), form in 0..4usize, by in 1..4usize) {
        let fields: &[fn(&Row) -> &Field] = &[|row| &row.a, |row| &row.b];
        let chosen: Vec<usize> = (0..2).filter(|at| by >> at & 1 == 1).collect();
        let names: Vec<&str> = chosen.iter().map(|&at| ["a", "b"][at]).collect();
        let shaped = ask(&rows, form, json!({ "group": names, "aggregate": AGGREGATES, "pageSize": 100 }));
        let all: Vec<fn(&Row) -> &Field> = chosen.iter().map(|&at| fields[at]).chain([(|row: &Row| &row.n) as fn(&Row) -> &Field]).collect();
        if lacks(&rows, &all) {
            prop_assert!(shaped.text.starts_with(r#"{"error":"UNKNOWN_FIELD""#), "{}", shaped.text);
            return Ok(());
        }
        let mut groups: Vec<(Vec<&Field>, Vec<&Row>)> = Vec::new();
        for row in &rows {
            let key: Vec<&Field> = chosen.iter().map(|&at| fields[at](row)).collect();
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((key, vec![row])),
            }
        }
        groups.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
        let of_numbers = rows.iter().any(|row| matches!(row.n, Number(_)));
        let answer = JsonText::parse(&shaped.text).unwrap();
        let found = items(&answer);
        prop_assert_eq!(found.len(), groups.len());
        for (item, (key, rows)) in found.iter().zip(&groups) {
            for (cell, field) in cells(item, &names).iter().zip(key) {
                match field {
                    Missing => prop_assert_eq!(cell, ""),
                    Number(number) => prop_assert_eq!(units(cell), Some(*number)),
                    Text(text) => prop_assert_eq!(&serde_json::from_str::<Value>(cell).unwrap(), &json!(text)),
                    other => prop_assert_eq!(cell, &json_of(other, 0).unwrap()),
                }
            }
            check(rows, item, of_numbers);
        }
    }

    #[test]
    fn all_rows_come_to_what_a_simple_program_says(rows in rows(), form in 0..4usize) {
        let shaped = ask(&rows, form, json!({ "aggregate": AGGREGATES }));
        if lacks(&rows, &[|row| &row.n]) {
            prop_assert!(shaped.text.starts_with(r#"{"error":"UNKNOWN_FIELD""#), "{}", shaped.text);
            return Ok(());
        }
        let of_numbers = rows.iter().any(|row| matches!(row.n, Number(_)));
        check(&rows.iter().collect::<Vec<_>>(), &JsonText::parse(&shaped.text).unwrap(), of_numbers);
    }

    #[test]
    fn rows_stand_in_the_order_of_their_keys(rows in rows(), form in 0..4usize, down in 0..4usize, keys in 1..3usize) {
        let fields: &[fn(&Row) -> &Field] = &[|row| &row.n, |row| &row.a];
        let sort: Vec<String> =
            (0..keys).map(|at| format!("{}{}", if down >> at & 1 == 1 { "-" } else { "" }, ["n", "a"][at])).collect();
        let shaped = ask(&rows, form, json!({ "sort": sort, "fields": ["id"], "pageSize": 100 }));
        if lacks(&rows, &fields[..keys]) {
            prop_assert!(shaped.text.starts_with(r#"{"error":"UNKNOWN_FIELD""#), "{}", shaped.text);
            return Ok(());
        }
        let mut ids: Vec<usize> = (0..rows.len()).collect();
        ids.sort_by(|&x, &y| {
            let of = |at: usize| compare(fields[at](&rows[x]), fields[at](&rows[y]), down >> at & 1 == 1);
            (0..keys).fold(Ordering::Equal, |order, at| order.then_with(|| of(at)))
        });
        let answer = JsonText::parse(&shaped.text).unwrap();
        let found: Vec<String> = items(&answer).iter().map(|item| cells(item, &["id"]).remove(0)).collect();
        prop_assert_eq!(found, ids.iter().map(usize::to_string).collect::<Vec<_>>());
    }
}
