//! Tokens of any text, compared with two other implementations of tiktoken's encodings.

use std::sync::LazyLock;

use arbitrary::{Arbitrary, Result, Unstructured};
use serde_json::json;
use tiktoken_rs::CoreBPE;
use toolshape::host::{count_tokens, decode_bytes, encode, fits_tokens, truncate_to_tokens, truncation_reach};
use toolshape::{Counter, Encoding, Side};

use crate::input::Input;

/// tiktoken's own algorithm is quadratic in a run of one character, and gives up on long ones.
const TIKTOKEN_BYTES: usize = 2_000;

static TIKTOKEN: [LazyLock<CoreBPE>; 2] = [
    LazyLock::new(|| tiktoken_rs::o200k_base().expect("the vocabulary is built in")),
    LazyLock::new(|| tiktoken_rs::cl100k_base().expect("the vocabulary is built in")),
];

/// Characters that have caused errors in tokenizers.
const TRAPS: &[&str] = &[
    "'s", "'S", "'ſ", "\u{17F}", "'re", "'LL", "\u{212A}", "İ", "ǅ", "ʰ", "ª", "あ", "中文", "ا", "\u{301}",
    "\u{20DD}", "\u{FE0F}", "٣", "½", "Ⅷ", "1234", " ", "  ", "\n", "\r\n", " \n", "\u{85}", "\u{A0}", "\u{2028}",
    "\u{3000}", "\u{200D}", "\u{FEFF}", "\0", "//", "],", "<|endoftext|>", "👩‍👩‍👧", "🇩🇪", "𝒜", "𐐀", "ﬁ", "\u{E000}",
    "\u{10FFFF}", "camelCaseWord", "SHOUTING",
];

pub fn edit(input: &mut Input, choose: &mut Unstructured<'_>) -> Result<()> {
    if bool::arbitrary(choose)? {
        input.head.insert("encoding".to_owned(), json!(choose.choose(&["o200k_base", "cl100k_base"])?));
        return Ok(());
    }
    let ends: Vec<usize> = input.body.char_indices().map(|(at, _)| at).chain([input.body.len()]).collect();
    let at = *choose.choose(&ends)?;
    let times = *choose.choose(&[1, 1, 1, 2, 15, 16, 17, 64])?;
    input.body.insert_str(at, &choose.choose(TRAPS)?.repeat(times));
    Ok(())
}

pub fn run(input: &Input) -> Option<()> {
    let (text, is_old) = (&*input.body, input.head.get("encoding") == Some(&json!("cl100k_base")));
    let encoding = if is_old { Encoding::Cl100kBase } else { Encoding::O200kBase };
    let bpe = if is_old { bpe_openai::cl100k_base() } else { bpe_openai::o200k_base() };
    let ours = encode(text, encoding).expect("the vocabulary is built in");
    assert_eq!(ours, bpe.encode(text), "bpe-openai on {text:?}");
    if text.len() <= TIKTOKEN_BYTES {
        assert_eq!(ours, TIKTOKEN[usize::from(is_old)].encode_ordinary(text), "tiktoken on {text:?}");
    }
    let count = ours.len();
    assert_eq!(count_tokens(text, encoding), count);
    assert_eq!(fits_tokens(text, count, encoding), Some(count));
    assert_eq!(count.checked_sub(1).and_then(|less| fits_tokens(text, less, encoding)), None);
    assert_eq!(decode_bytes(&ours, encoding).expect("our own tokens"), text.as_bytes());
    assert_eq!(counted_in_parts(text, encoding), count, "in parts: {text:?}");
    let limits = [count / 3, 0, 1, count.saturating_sub(1), count];
    for limit in &limits[..if text.len() > TIKTOKEN_BYTES { 1 } else { limits.len() }] {
        truncated(text, *limit, encoding, bpe);
    }
    Some(())
}

/// The count of a text that comes in parts.
fn counted_in_parts(text: &str, encoding: Encoding) -> usize {
    let mut counter = Counter::new(encoding);
    let mut rest = text;
    for size in (1..).step_by(7) {
        let end = rest.char_indices().map(|(at, _)| at).chain([rest.len()]).nth(size).unwrap_or(rest.len());
        counter.push(&rest[..end]);
        rest = &rest[end..];
        if rest.is_empty() {
            break;
        }
    }
    counter.total()
}

/// A text cut from either side is a part of the text within the limit, and depends on nothing beyond its reach.
fn truncated(text: &str, limit: usize, encoding: Encoding, bpe: &bpe_openai::Tokenizer) {
    for side in [Side::Head, Side::Tail] {
        let cut = truncate_to_tokens(text, limit, encoding, side);
        let is_part = if side == Side::Head { text.starts_with(cut) } else { text.ends_with(cut) };
        assert!(is_part && bpe.count(cut) <= limit, "{cut:?} of {text:?} to {limit}");
    }
    let reach = (truncation_reach(limit, encoding)..text.len()).find(|&at| text.is_char_boundary(at));
    if let Some(reach) = reach {
        let cut = truncate_to_tokens(text, limit, encoding, Side::Head);
        assert_eq!(truncate_to_tokens(&text[..reach], limit, encoding, Side::Head), cut, "{text:?} to {limit}");
    }
}
