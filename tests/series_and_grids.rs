//! Summaries of generated series and grids: strict subsets, ends, spacing, aggregates, best cells; and that the pages
//! of the full result are complete.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolshape::host::{JsonText, Kind, Naming, Source};
use toolshape::{Call, Policy, Shaped, Shaper};

use crate::promises;
use crate::sampled::{self, Answer};

fn shape(source: &str, policy: &Value, call: &Value) -> Shaped {
    promises::hold(source, policy, call).unwrap_or_else(|| panic!("{policy} {call} refused: {source}"))
}

/// Every entry of the full result, put together from its pages.
fn whole(source: &str, policy: &Value, bulk: &str) -> Vec<String> {
    sampled::whole(source, policy, &json!({ "tool": "t" }), bulk).expect("no row is shortened")
}

/// The spelling of a value in a series, and its number.
fn value() -> impl Strategy<Value = (String, Option<f64>)> {
    let number = prop_oneof![
        4 => (-1000i32..1000).prop_map(f64::from),
        2 => -1e6..1e6,
        1 => any::<f64>().prop_filter("JSON has no NaN", |number| number.is_finite()),
    ];
    prop_oneof![
        8 => number.clone().prop_map(|number| (json!(number).to_string(), Some(number))),
        1 => number.prop_map(|number| (json!(json!(number).to_string()).to_string(), Some(number))),
        1 => prop_oneof![Just("null"), Just("\"n/a\""), Just("true"), Just("1e999"), Just("[]"), Just("{\"v\":1}")]
            .prop_map(|other| (other.to_owned(), None)),
    ]
}

/// The text of a series, the path of its value, and the numbers.
fn series() -> impl Strategy<Value = (String, &'static str, Vec<Option<f64>>)> {
    let form =
        prop::sample::select(vec![("${v}", ""), ("[${i},${v}]", "1"), ("{\"t\":${i},\"v\":${v},\"x\":[0]}", "v")]);
    (prop::collection::vec(value(), 0..150), form).prop_map(|(values, (form, path))| {
        let entry = |(at, (text, _)): (usize, &(String, Option<f64>))| {
            form.replace("${i}", &at.to_string()).replace("${v}", text)
        };
        let entries: Vec<String> = values.iter().enumerate().map(entry).collect();
        (format!("[{}]", entries.join(",")), path, values.into_iter().map(|(_, number)| number).collect())
    })
}

/// Width, height, and the value of each cell, row by row.
fn grid() -> impl Strategy<Value = (usize, usize, Vec<Option<i32>>)> {
    (1..14usize, 1..14usize).prop_flat_map(|(width, height)| {
        let value = prop_oneof![4 => (-50..50i32).prop_map(Some), 1 => Just(None)];
        let some = prop::collection::vec(value, width * height);
        let none = Just(vec![None; width * height]);
        (Just(width), Just(height), prop_oneof![8 => some, 1 => none])
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_summary_keeps_entries_as_they_are(
        (source, path, numbers) in series(),
        points in 2..30usize,
        extremes in any::<bool>(),
        max_tokens in 200..1500usize,
        in_envelope in any::<bool>(),
    ) {
        let mut options = json!({ "points": points, "extremes": extremes });
        let mut source = source;
        if !path.is_empty() {
            options["value"] = json!(path);
        }
        if in_envelope {
            options["list"] = json!("data.list");
            source = format!("{{\"name\":\"n\",\"data\":{{\"list\":{source},\"more\":\"and more\"}}}}");
        }
        let policy = json!({ "maxTokens": max_tokens, "series": options });
        let shaped = shape(&source, &policy, &json!({ "tool": "t" }));
        prop_assert_eq!(shaped.receipt.step_names(), ["sample"]);
        let answer = Answer::read(&shaped);
        prop_assert_eq!(answer.value("totalItems"), json!(numbers.len()));
        prop_assert!(answer.items("entries").len() <= points);
        sampled::is_strict_subset(&source, &policy, &json!({ "tool": "t" }), &shaped);
        if !extremes {
            let indices = answer.value("indices");
            let indices: Vec<u64> = indices.as_array().unwrap().iter().map(|at| at.as_u64().unwrap()).collect();
            let gaps = || indices.windows(2).map(|pair| pair[1] - pair[0]);
            prop_assert!(gaps().max().unwrap_or(0) - gaps().min().unwrap_or(0) <= 1, "{:?}", indices);
        }
    }

    #[test]
    fn aggregates_are_those_of_a_direct_computation((source, path, numbers) in series(), points in 4..12usize) {
        let mut options = json!({ "points": points, "extremes": true });
        if !path.is_empty() {
            options["value"] = json!(path);
        }
        let known: Vec<f64> = numbers.iter().flatten().copied().collect();
        // Without a value field, the series may be undetectable.
        prop_assume!(!path.is_empty() || is_found(&source));
        let shaped = shape(&source, &json!({ "series": options }), &json!({}));
        let answer = Answer::read(&shaped);
        let aggregates = Answer::of(answer.text("aggregates"));
        prop_assert_eq!(aggregates.value("count"), json!(known.len()));
        prop_assert_eq!(aggregates.value("nulls"), json!(numbers.len() - known.len()));
        let indices = answer.value("indices");
        for (name, best) in [("min", known.iter().copied().reduce(f64::min)), ("max", known.iter().copied().reduce(f64::max))] {
            let Some(best) = best else {
                prop_assert_eq!(aggregates.text(name), "null");
                continue;
            };
            let extreme = Answer::of(aggregates.text(name));
            let at = numbers.iter().position(|&number| number == Some(best)).unwrap();
            prop_assert_eq!(extreme.value("index"), json!(at));
            prop_assert_eq!(number(extreme.text("value")), Some(best));
            prop_assert!(indices.as_array().unwrap().contains(&json!(at)), "{} of {}", at, indices);
        }
        for (name, own) in [("first", numbers.first()), ("last", numbers.last())] {
            prop_assert_eq!(number(aggregates.text(name)), own.copied().flatten());
        }
        match number(aggregates.text("mean")) {
            // In whole millionths of the largest value, which is the accuracy of a plain sum.
            Some(mean) => {
                let most = known.iter().fold(0.0f64, |most, value| most.max(value.abs()));
                let direct: f64 = known.iter().map(|value| value / most.max(1.0) / known.len() as f64).sum();
                prop_assert!((mean / most.max(1.0) - direct).abs() < 1e-9, "{} is not {}", mean, direct);
            }
            None => prop_assert!(known.is_empty()),
        }
    }

    #[test]
    fn a_grid_tells_its_best_cells((width, _, values) in grid(), is_max in any::<bool>(), max_tokens in 250..2500usize) {
        let cell = |at: usize| format!("{{\"x\":{},\"y\":\"row {}\",\"value\":{}}}", at % width, at / width, json!(values[at]));
        let cells: Vec<String> = (0..values.len()).map(cell).collect();
        let source = format!("[{}]", cells.join(","));
        let policy = json!({ "maxTokens": max_tokens, "grid": { "goal": if is_max { "max" } else { "min" } } });
        let shaped = shape(&source, &policy, &json!({ "tool": "t" }));
        let answer = Answer::read(&shaped);
        let mut order: Vec<usize> = (0..values.len()).filter(|&at| values[at].is_some()).collect();
        let feasible: Vec<String> = order.iter().map(|&at| cells[at].clone()).collect();
        prop_assert_eq!(answer.value("feasibleCells"), json!(feasible.len()));
        prop_assert_eq!(whole(&source, &policy, "cells"), feasible);
        // A stable sort, so that of equal cells the first comes first.
        order.sort_by_key(|&at| if is_max { -values[at].unwrap() } else { values[at].unwrap() });
        let top = answer.items("topCells");
        prop_assert!(top.len() <= 5 && (order.is_empty() || !top.is_empty()));
        for (cell, &at) in top.iter().zip(&order) {
            prop_assert_eq!(cell, &cells[at]);
        }
        prop_assert_eq!(answer.text("best"), top.first().map_or("null", String::as_str));
        let picture = answer.value("asciiSummary");
        let lines: Vec<&str> = picture.as_str().unwrap().lines().collect();
        if order.is_empty() {
            prop_assert!(lines.is_empty());
        } else if !lines.is_empty() && !picture.as_str().unwrap().contains("each character") {
            let at = |x: usize, y: usize| lines[y].split_once('|').unwrap().1.chars().nth(x).unwrap_or(' ');
            for (place, value) in values.iter().enumerate() {
                let drawn = at(place % width, place / width);
                prop_assert_eq!(value.is_none(), drawn == ' ', "{}", picture);
                prop_assert_eq!(order[0] == place, drawn == '*', "{}", picture);
            }
        }
    }

    #[test]
    fn a_matrix_is_the_grid_of_its_cells((width, height, values) in grid()) {
        let rows: Vec<Value> = values.chunks(width).map(|row| json!(row)).collect();
        let cells: Vec<Value> = values
            .iter()
            .enumerate()
            .map(|(at, value)| json!({ "x": at % width, "y": at / width, "value": value }))
            .collect();
        let policy = json!({ "grid": {} });
        let [matrix, cells] = [json!(rows), json!(cells)].map(|source| Answer::read(&shape(&source.to_string(), &policy, &json!({}))));
        for name in ["totalCells", "feasibleCells", "best", "topCells"] {
            prop_assert_eq!(matrix.text(name), cells.text(name));
        }
        prop_assert_eq!(matrix.text("columns"), width.to_string());
        prop_assert_eq!(matrix.text("rows"), height.to_string());
    }
}

/// Whether all entries are numbers or nulls, which detection without a declared value requires.
fn is_found(source: &str) -> bool {
    let entries = JsonText::parse(source).unwrap().items(0, usize::MAX).unwrap();
    entries.iter().all(|entry| matches!(entry.kind(), Kind::Number | Kind::Null))
        && entries.iter().any(|entry| entry.kind() == Kind::Number)
}

/// The number that a value is or spells.
fn number(json: &str) -> Option<f64> {
    json.trim_matches('"').parse().ok()
}

#[test]
fn infinities_that_no_double_holds_are_nulls() {
    let shaper = Shaper::new(Policy::new(&json!({ "series": { "value": "v" } }), Naming::Camel).unwrap());
    let shaped = shaper.shape_json(r#"[{"v":1e999},{"v":-1e999},{"v":2}]"#, &Call::default()).unwrap();
    let answer = Answer::read(&shaped);
    assert_eq!(answer.value("aggregates")["nulls"], json!(2));
    assert_eq!(answer.items("entries"), [r#"{"v":1e999}"#, r#"{"v":-1e999}"#, r#"{"v":2}"#]);
}
