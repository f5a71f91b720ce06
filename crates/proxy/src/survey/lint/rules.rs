//! The rules that need a function or two each.

use serde_json::Value;
use toolshape::host::{JsonText, Measure, Source, printable_within};
use toolshape_json::skip_string;

use super::rule::{Check, LintEvidence, LintLevel, LintedResult, Rule};
use crate::channels::Over;
use crate::survey::numbers::{grouped, percent};
use crate::survey::surveyed::{Surveyed, SurveyedTool};

/// The characters of a description that Claude Code shows.
const SHOWN_CHARS: usize = 2048;

pub(super) const LONG_DESCRIPTION: Rule = Rule {
    id: "long-description",
    level: LintLevel::Error,
    what: "A description is longer than 2,048 characters, where Claude Code cuts it without a word",
    fix: "Say first what a model must know to call the tool, and move the rest into the descriptions of its arguments",
    check: Check::Tool(|tool, _, measure| long_description(tool, measure)),
};

fn long_description(tool: &SurveyedTool, measure: Measure) -> Option<LintEvidence> {
    let description = tool.value["description"].as_str()?;
    let (cut, _) = description.char_indices().nth(SHOWN_CHARS)?;
    let chars = grouped(description.chars().count());
    Some(LintEvidence { evidence: format!("{chars} characters"), cost: measure.count(&description[cut..]) })
}

pub(super) const PAGINATED_TOOLS: Rule = Rule {
    id: "paginated-tools",
    level: LintLevel::Error,
    what: "The list of tools has several pages, and several hosts read only the first",
    fix: "Return all tools at once, or let the user choose which groups of tools the server has",
    check: Check::Server(paginated_tools),
};

fn paginated_tools(server: &Surveyed, measure: Measure) -> Option<LintEvidence> {
    let first = *server.pages.first()?;
    if server.pages.len() < 2 && !server.has_more {
        return None;
    }
    let unseen = server.tools.iter().skip(first).map(|tool| measure.count(&tool.value.to_string()));
    let more = if server.has_more { ", and more" } else { "" };
    let (first, all) = (grouped(first), grouped(server.tools.len()));
    let evidence = format!("the first of {} pages has {first} of {all} tools{more}", server.pages.len());
    Some(LintEvidence { evidence, cost: unseen.sum() })
}

pub(super) const PRETTY_JSON: Rule = Rule {
    id: "pretty-json",
    level: LintLevel::Warning,
    what: "JSON in a text has white space between its values",
    fix: "Write it without white space: JSON.stringify(value), json.dumps(value, separators=(\",\", \":\"))",
    check: Check::Result(pretty_json),
};

fn pretty_json(result: &LintedResult, measure: Measure) -> Option<LintEvidence> {
    if result.is_document {
        return None;
    }
    let (mut sent, mut needed) = (0, 0);
    for text in &result.channels.texts {
        if let Ok(value) = JsonText::parse(text)
            && value.kind().is_container()
        {
            sent += measure.count(text);
            needed += measure.count(&value.minified());
        }
    }
    let cost = sent.saturating_sub(needed);
    let more = percent(cost, needed);
    let evidence = format!("{} tokens, and {} without white space: {more} more", grouped(sent), grouped(needed));
    (cost > 0).then_some(LintEvidence { evidence, cost })
}

pub(super) const REPEATED_CONTENT: Rule = Rule {
    id: "repeated-content",
    level: LintLevel::Warning,
    what: "The text repeats the structured content, and hosts that pass on both pay twice",
    fix: "Write one sentence in the text that says what the structured content has",
    check: Check::Result(repeated_content),
};

fn repeated_content(result: &LintedResult, _: Measure) -> Option<LintEvidence> {
    let structured: Value = serde_json::from_str(result.channels.structured.as_ref()?).ok()?;
    let texts: Vec<Value> = result.channels.texts.iter().map(|text| read_text(text)).collect();
    // SDKs put what is not an object into one with a single member, and write one text for each item of a list.
    let wrapped =
        structured.as_object().filter(|members| members.len() == 1).and_then(|members| members.values().next());
    let is_repeated = [Some(&structured), wrapped].into_iter().flatten().any(|value| match &texts[..] {
        [] => false,
        [text] if text == value || is_string(value, &result.channels.texts[0]) => true,
        texts => value.as_array().is_some_and(|items| items == texts),
    });
    let cost = result.size.content.tokens;
    let evidence = format!("{} tokens in the text, the same as in structuredContent", grouped(cost));
    (is_repeated && cost > 0).then_some(LintEvidence { evidence, cost })
}

/// Whether a value is this text as a string.
fn is_string(value: &Value, text: &str) -> bool {
    value.as_str() == Some(text)
}

/// The value that a text is.
fn read_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// 2 to the power of 53, above which doubles leave out integers.
const EXACT: &str = "9007199254740992";
const NAME_CHARS: usize = 40;
const DIGITS: usize = 40;

pub(super) const INEXACT_INTEGER: Rule = Rule {
    id: "inexact-integer",
    level: LintLevel::Error,
    what: "Structured content has an integer over 2^53, which hosts in JavaScript round without a word",
    fix: "Return it as a string",
    check: Check::Result(|result, _| inexact_integer(result)),
};

fn inexact_integer(result: &LintedResult) -> Option<LintEvidence> {
    let json = result.channels.structured_as_sent.as_ref()?;
    let (mut name, mut first, mut count, mut at) = ("", None, 0, 0);
    let bytes = json.as_bytes();
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'"' => {
                at = skip_string(bytes, at);
                if bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':') {
                    name = &json[start..at];
                }
            }
            b'-' | b'0'..=b'9' => {
                let is_more = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                at += bytes[at..].iter().take_while(|byte| is_more(byte)).count();
                if is_inexact(&json[start..at]) {
                    count += 1;
                    first.get_or_insert((name, &json[start..at]));
                }
            }
            _ => at += 1,
        }
    }
    let (name, number) = first?;
    let (name, number) = (printable_within(name, NAME_CHARS), printable_within(number, DIGITS));
    let others = if count > 1 { format!(", and {} others", count - 1) } else { String::new() };
    let at = if name.is_empty() { String::new() } else { format!("{name}: ") };
    Some(LintEvidence { evidence: format!("{at}{number}{others}"), cost: 0 })
}

fn is_inexact(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits.len(), digits) > (EXACT.len(), EXACT)
}

pub(super) const OVER_HOST_LIMIT: Rule = Rule {
    id: "over-host-limit",
    level: LintLevel::Error,
    what: "A result is over the limit of a host, which shows a part of it",
    fix: "Return less by default, with limit, cursor and fields as arguments; or put toolshape before the server",
    check: Check::Result(|result, _| over_host_limit(result)),
};

fn over_host_limit(result: &LintedResult) -> Option<LintEvidence> {
    let over = result.size.over();
    let size = result.size.most();
    let least = over.iter().map(|over| over.shown).min()?;
    let lines = if size.lines > 1 { format!(", {} lines", grouped(size.lines)) } else { String::new() };
    let (bytes, tokens) = (grouped(size.bytes), grouped(size.tokens));
    let evidence = format!("{bytes} bytes, {tokens} tokens{lines}; it is over {}", said(&over));
    Some(LintEvidence { evidence, cost: size.tokens - size.tokens * least / 1000 })
}

/// The hosts, the first with its limit.
fn said(over: &[Over]) -> String {
    let limits = over[0].host.limit.units().into_iter().filter(|(most, _)| *most != usize::MAX);
    let limits: Vec<String> = limits.map(|(most, unit)| format!("{} {unit}", grouped(most))).collect();
    let others: Vec<&str> = over[1..].iter().map(|over| over.host.title).collect();
    let others = if others.is_empty() { String::new() } else { format!(", and of {}", others.join(", ")) };
    format!("the {} of {}{others}", limits.join(" or "), over[0].host.title)
}

/// The bytes of whole lines that opencode shows.
const SHOWN_BYTES: usize = 51_200;

pub(super) const LONG_LINE: Rule = Rule {
    id: "long-line",
    level: LintLevel::Error,
    what: "A text has a line of more than 51,200 bytes; opencode shows whole lines, and nothing of this one",
    fix: "Return less, or put each row on a line of its own",
    check: Check::Result(long_line),
};

fn long_line(result: &LintedResult, measure: Measure) -> Option<LintEvidence> {
    let lines = result.channels.texts.iter().flat_map(|text| text.lines());
    let longest = lines.max_by_key(|line| line.len()).filter(|line| line.len() > SHOWN_BYTES)?;
    Some(LintEvidence { evidence: format!("a line of {} bytes", grouped(longest.len())), cost: measure.count(longest) })
}
