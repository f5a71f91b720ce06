//! Edits of policies, calls and arguments: one member is set, mostly to something valid, or removed.

use arbitrary::{Arbitrary, Result, Unstructured};
use serde_json::{Map, Value, json};

use crate::input::Input;

const KEY: &str = "a secret of sixteen bytes and more";
/// What callers send where something else is expected.
const WRONG: &[fn() -> Value] = &[
    || json!(-1),
    || json!(1.5),
    || json!(1e300),
    || json!(9_007_199_254_740_993_u64),
    || json!("nonsense"),
    || json!([]),
    || json!({}),
    || json!(true),
    || json!(["", "/", "~", "a..b", "/9/x", "\u{1b}[31m"]),
];
const CLIENTS: &[&str] =
    &["claude-code", "codex-mcp", "Visual Studio Code", "gemini-cli", "goose", "opencode", "other"];

type Choose<'c> = Unstructured<'c>;

/// Changes one option of the policy.
pub fn edit_policy(input: &mut Input, choose: &mut Choose<'_>) -> Result<()> {
    let fields = fields(input, choose)?;
    let declared = declared(input, choose)?;
    let policy = input.object_mut("policy");
    if choose.ratio(1, 6)? {
        return remove(policy, choose);
    }
    let (name, value) = match choose.int_in_range(0..=17)? {
        0..=2 => ("maxTokens", json!(choose.int_in_range(200..=2500)?)),
        3 => ("encoding", json!(choose.choose(&["o200k_base", "cl100k_base", "estimate"])?)),
        4 => ("margin", json!(f64::from(choose.int_in_range(0..=50)?) / 100.0)),
        5 => ("paginateAfter", json!(choose.int_in_range(1..=80)?)),
        6 => ("pageSize", json!(choose.int_in_range(1..=100)?)),
        7 => ("fields", fields),
        8 => ("format", json!(choose.choose(&["json", "columns", "auto"])?)),
        9 => ("overflow", json!(choose.choose(&["shape", "error", "offload"])?)),
        10 => ("offloadOver", json!(choose.int_in_range(1..=3000)?)),
        11 => ("snapshot", json!(bool::arbitrary(choose)?)),
        12 => ("preview", json!(choose.choose(&["head", "tail", "headTail"])?)),
        13 => ("schema", json!(choose.choose(&["widen", "preserve"])?)),
        14 => ("cursorKey", json!(KEY)),
        15 => ("output", json!(choose.choose(&["summary", "full"])?)),
        16 => ("text", json!(choose.choose(&["auto", "plain", "csv", "markdown", "html", "log"])?)),
        _ => {
            policy.remove("series");
            policy.remove("grid");
            declared
        }
    };
    policy.insert(name.to_owned(), value);
    Ok(())
}

/// A series or a grid, declared by names that the body has.
fn declared(input: &Input, choose: &mut Choose<'_>) -> Result<(&'static str, Value)> {
    let mut name = |or: &str| -> Result<Value> {
        let names = input.names();
        Ok(json!(if names.is_empty() { or.to_owned() } else { (*choose.choose(&names)?).to_owned() }))
    };
    let (x, y, value) = (name("x")?, name("y")?, name("value")?);
    Ok(match choose.int_in_range(0..=4)? {
        0 => ("series", json!({})),
        1 => ("series", json!({ "value": value, "points": choose.int_in_range(2..=30)?, "extremes": true })),
        2 => ("series", json!({ "list": x, "value": value, "at": y })),
        3 => ("grid", json!({})),
        _ => ("grid", json!({ "x": x, "y": y, "value": value, "goal": choose.choose(&["max", "min"])? })),
    })
}

/// Changes one member of the call.
pub fn edit_call(input: &mut Input, choose: &mut Choose<'_>) -> Result<()> {
    if choose.ratio(1, 3)? {
        let member = match choose.int_in_range(0..=4)? {
            0 | 1 => ("store", json!(bool::arbitrary(choose)?)),
            2 => ("storeFailure", json!("the disk is full\n\u{1b}[31m at 12:00")),
            3 => ("client", json!(choose.choose(CLIENTS)?)),
            _ => ("tool", json!(choose.choose(&["t", "list_rows", "a\nb\u{1b}[31m", "größe"])?)),
        };
        input.object_mut("call").insert(member.0.to_owned(), member.1);
        return Ok(());
    }
    edit_controls(input, "call", choose)
}

/// Changes one control among the members of `place`.
fn edit_controls(input: &mut Input, place: &str, choose: &mut Choose<'_>) -> Result<()> {
    let fields = fields(input, choose)?;
    let controls = input.object_mut(place);
    if choose.ratio(1, 4)? {
        return remove(controls, choose);
    }
    let (name, mut value) = match choose.int_in_range(0..=7)? {
        0 | 1 => ("page", json!(choose.int_in_range(0..=60)?)),
        2 | 3 => ("pageSize", json!(choose.int_in_range(0..=120)?)),
        4 | 5 => ("fields", fields),
        6 => ("format", json!(choose.choose(&["json", "columns", "auto", "text"])?)),
        _ => ("output", json!(choose.choose(&["summary", "full"])?)),
    };
    if choose.ratio(1, 12)? {
        value = choose.choose(WRONG)?();
    }
    controls.insert(name.to_owned(), value);
    Ok(())
}

/// Changes one argument of `read_result`.
pub fn edit_arguments(input: &mut Input, choose: &mut Choose<'_>) -> Result<()> {
    let way = match choose.int_in_range(0..=9)? {
        0..=2 => return edit_controls(input, "arguments", choose),
        3 => ("pointer", json!(pointer(input, choose)?)),
        4 | 5 => ("search", json!(stretch(&input.body, choose)?)),
        6 | 7 => ("lines", json!(lines(choose)?)),
        8 => ("outline", json!(true)),
        _ => ("context", json!(choose.int_in_range(0..=21)?)),
    };
    input.object_mut("arguments").insert(way.0.to_owned(), way.1);
    Ok(())
}

fn remove(members: &mut Map<String, Value>, choose: &mut Choose<'_>) -> Result<()> {
    let names: Vec<String> = members.keys().cloned().collect();
    if !names.is_empty() {
        members.shift_remove(choose.choose(&names)?);
    }
    Ok(())
}

/// Names, paths and pointers that the body has, and some that it has not.
fn fields(input: &Input, choose: &mut Choose<'_>) -> Result<Value> {
    let names = [input.names(), vec!["a", "nothing", "0"]].concat();
    let mut fields = Vec::new();
    for _ in 0..choose.int_in_range(1..=3)? {
        let name = *choose.choose(&names)?;
        fields.push(match choose.int_in_range(0..=4)? {
            0 | 1 => name.to_owned(),
            2 => format!("{name}.{}", choose.choose(&names)?),
            3 => format!("/{name}"),
            _ => format!("/{}/{name}", choose.int_in_range(0..=9)?),
        });
    }
    Ok(json!(fields))
}

fn pointer(input: &Input, choose: &mut Choose<'_>) -> Result<String> {
    let names = [input.names(), vec!["0", "1", "3", "a", "-", "01"]].concat();
    let mut pointer = String::new();
    for _ in 0..choose.int_in_range(0..=3)? {
        pointer += &format!("/{}", choose.choose(&names)?.replace('~', "~0").replace('/', "~1"));
    }
    Ok(pointer)
}

/// Some characters of a text.
fn stretch(text: &str, choose: &mut Choose<'_>) -> Result<String> {
    let chars = text.chars().count();
    let start = choose.int_in_range(0..=chars)?;
    Ok(text.chars().skip(start).take(choose.int_in_range(1..=8)?).collect())
}

fn lines(choose: &mut Choose<'_>) -> Result<String> {
    let (from, to) = (choose.int_in_range(0..=40)?, choose.int_in_range(0..=400)?);
    Ok(match choose.int_in_range(0..=4)? {
        0 => format!("{from}"),
        4 => format!("-{to}"),
        1 => format!("{from}-"),
        2 => format!("{from}-{}", from + to),
        _ => format!("{from}-{to}"),
    })
}
