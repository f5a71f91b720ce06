//! Tests of the whole engine on generated text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use toolshape_tokens::*;
use unicode_segmentation::UnicodeSegmentation;

/// Parts that texts are made of: each class of the patterns, case folding, white space, runs.
const PARTS: &[&str] = &[
    "a", "B", "the", "The", " token", "izer", "HTTP", "é", "ß", "\u{17F}", "あ", "中", "ا", "\u{301}", "\u{1C5}",
    "\u{2B0}", "1", "23", "½", "٣", " ", " ", "  ", "\n", "\r\n", "\t", "\u{85}", "\u{A0}", "\u{3000}", "/", "//", "'",
    "'s", "'S", "'ll", "'\u{17F}", "\"", "\":", "{", "},", "[]", ",", ".", "-", "--", "😀", "👩‍👩‍👧", "🇩🇪", "\u{200D}",
    "<|endoftext|>", "aaaaaaaa", "        ", "é́", "\0",
];

/// xorshift64*
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }

    fn text(&mut self, parts: usize) -> String {
        (0..self.below(parts + 1)).map(|_| PARTS[self.below(PARTS.len())]).collect()
    }

    /// Runs of one part after the other, which end at the edges of the blocks in which text is looked at, or nearly.
    fn runs(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..2 + self.below(3) {
            let (part, bytes) = (PARTS[self.below(PARTS.len())], 16 * (1 + self.below(8)) + self.below(4) - 2);
            text.push_str(&part.repeat(bytes / part.len()));
        }
        text
    }
}

const EXACT: [Encoding; 2] = [Encoding::O200kBase, Encoding::Cl100kBase];

#[test]
fn tokens_are_those_of_two_other_implementations() {
    let github = [bpe_openai::o200k_base(), bpe_openai::cl100k_base()];
    let tiktoken = [tiktoken_rs::o200k_base().unwrap(), tiktoken_rs::cl100k_base().unwrap()];
    let mut random = Random(1);
    for number in 0..10_000 {
        let text = if number < 6000 { random.text(12) } else { random.runs() };
        let encoding = EXACT[number % 2];
        let tokens = encode(&text, encoding).unwrap();
        assert_eq!(tokens, github[number % 2].encode(&text), "{text:?}");
        assert_eq!(tokens, tiktoken[number % 2].encode_ordinary(&text), "{text:?}");
        assert_eq!(tokens.len(), count_tokens(&text, encoding), "{text:?}");
        assert_eq!(decode_bytes(&tokens, encoding).unwrap(), text.as_bytes());
    }
}

/// The packed vocabularies spell the rank files that OpenAI publishes, byte for byte: the digests
/// are those of `tiktoken_ext/openai_public.py`.
#[test]
fn vocabularies_are_the_published_ones() {
    for (encoding, count, digest) in [
        (Encoding::O200kBase, 199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
        (Encoding::Cl100kBase, 100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    ] {
        let file: String = rank_file(encoding, count);
        let hex: String = Sha256::digest(&file).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, digest, "{}", encoding.name());
    }
}

fn rank_file(encoding: Encoding, count: u32) -> String {
    (0..count).map(|rank| format!("{} {rank}\n", STANDARD.encode(decode_bytes(&[rank], encoding).unwrap()))).collect()
}

#[test]
fn a_loaded_encoding_counts_like_the_built_in_one() {
    let ranks = rank_file(Encoding::Cl100kBase, 100_256);
    let loaded = load_encoding("cl100k_again", ranks.as_bytes(), Pattern::Cl100kBase).unwrap();
    assert_eq!(Encoding::from_name("cl100k_again"), Some(loaded));
    let mut random = Random(2);
    for _ in 0..2000 {
        let text = random.text(12);
        let tokens = encode(&text, loaded).unwrap();
        assert_eq!(tokens, encode(&text, Encoding::Cl100kBase).unwrap(), "{text:?}");
        assert_eq!(decode_bytes(&tokens, loaded).unwrap(), text.as_bytes());
    }
}

#[test]
fn a_loaded_encoding_may_have_gaps_and_tokens_that_no_merges_lead_to() {
    let bytes = (0..=255u8).map(|byte| format!("{} {}\n", STANDARD.encode([byte]), 1000 + u32::from(byte)));
    let file: String = bytes.chain(["YWI= 7\n".into(), "eHl6dw== 9\n".into()]).collect();
    let encoding = load_encoding("gaps", file.as_bytes(), Pattern::Cl100kBase).unwrap();
    assert_eq!(encode("ab xyzw", encoding).unwrap(), [7, 1032, 1120, 1121, 1122, 1119]);
    assert_eq!(encode("xyzw", encoding).unwrap(), [9]);
    assert_eq!(decode_bytes(&[9, 7], encoding).unwrap(), b"xyzwab");
    assert!(decode_bytes(&[8], encoding).is_err());
}

/// As in Llama 3, whose tokens for other languages were trained separately.
#[test]
fn a_loaded_encoding_may_merge_tokens_from_later_ones() {
    let pattern = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
    let mut random = Random(8);
    for (name, count) in [("shuffled", 2_000), ("shuffled_more", 40_000)] {
        let mut tokens: Vec<Vec<u8>> =
            (0..count).map(|rank| decode_bytes(&[rank], Encoding::Cl100kBase).unwrap()).collect();
        for at in (1..tokens.len()).rev() {
            tokens.swap(at, random.below(at + 1));
        }
        let file: String =
            tokens.iter().zip(0..).map(|(token, rank)| format!("{} {rank}\n", STANDARD.encode(token))).collect();
        let loaded = load_encoding(name, file.as_bytes(), Pattern::Cl100kBase).unwrap();
        let ranks = tokens.into_iter().zip(0..).collect();
        let tiktoken = tiktoken_rs::CoreBPE::new(ranks, Default::default(), pattern).unwrap();
        for number in 0..2000 {
            let text = if number % 4 == 0 { random.runs() } else { random.text(12) };
            let tokens = encode(&text, loaded).unwrap();
            assert_eq!(tokens, tiktoken.encode_ordinary(&text), "{text:?}");
            assert_eq!(tokens.len(), count_tokens(&text, loaded), "{text:?}");
        }
    }
}

#[test]
fn too_many_ends_are_refused() {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let pairs = (0..=u16::MAX).map(|pair| pair.to_be_bytes().to_vec());
    let behind = (0..=u16::MAX).map(|pair| [&[0xFF][..], &pair.to_be_bytes()].concat());
    let tokens = bytes.chain(pairs).chain(behind).zip(0..);
    let file: String = tokens.map(|(token, rank)| format!("{} {rank}\n", STANDARD.encode(&token))).collect();
    let error = load_encoding("ends", file.as_bytes(), Pattern::O200kBase).unwrap_err();
    assert!(error.message().contains("are the ends of others"), "{}", error.message());
}

#[test]
fn junk_is_no_encoding() {
    let load = |name, ranks: &[u8]| load_encoding(name, ranks, Pattern::O200kBase);
    assert_eq!(load("", b"").unwrap_err().path(), "/name");
    assert_eq!(load("o200k_base", b"").unwrap_err().path(), "/name");
    for ranks in [&b""[..], b"YQ== 0\n", b"YQ== x\n", b"\xFF 0\n", b"YQ==\n", b" 0\n"] {
        assert_eq!(load("junk", ranks).unwrap_err().path(), "/ranks", "{ranks:?}");
    }
}

#[test]
fn special_tokens_are_text_unless_asked_for() {
    for encoding in EXACT {
        let text = "a<|endoftext|>b<|endofprompt|>";
        let special = encode_with_special(text, encoding).unwrap();
        assert_eq!(special.len(), 4);
        assert!(encode(text, encoding).unwrap().len() > 10);
        assert_eq!(decode_bytes(&special, encoding).unwrap(), text.as_bytes());
    }
}

#[test]
fn a_limit_is_kept_to_the_token() {
    let mut random = Random(3);
    for number in 0..2000 {
        let text = if number % 4 == 0 { random.runs() } else { random.text(30) };
        for encoding in [Encoding::O200kBase, Encoding::Cl100kBase, Encoding::Estimate] {
            let count = count_tokens(&text, encoding);
            assert_eq!(fits_tokens(&text, count, encoding), Some(count), "{text:?}");
            assert_eq!(count.checked_sub(1).and_then(|limit| fits_tokens(&text, limit, encoding)), None, "{text:?}");
        }
    }
}

#[test]
fn a_text_in_parts_counts_like_the_whole() {
    let mut random = Random(4);
    for number in 0..4000 {
        let encoding = [Encoding::O200kBase, Encoding::Cl100kBase, Encoding::Estimate][number % 3];
        let mut counter = Counter::new(encoding);
        let mut text = String::new();
        for _ in 0..12 {
            let part = if random.below(9) == 0 { random.runs() } else { random.text(3) };
            counter.push(&part);
            text.push_str(&part);
            assert_eq!(counter.total(), count_tokens(&text, encoding), "{text:?}");
            assert!(counter.fits(counter.clone().total()));
        }
    }
}

#[test]
fn parts_that_were_counted_count_like_the_whole() {
    let mut random = Random(6);
    for number in 0..4000 {
        let encoding = [Encoding::O200kBase, Encoding::Cl100kBase, Encoding::Estimate][number % 3];
        let (mut counter, mut text) = (Counter::new(encoding), String::new());
        for _ in 0..8 {
            let (part, between) = (random.text(5), random.text(1));
            let tokens = count_tokens(&part, encoding);
            assert!(tokens == 0 || CountedText::within(part.clone(), tokens - 1, encoding).is_none());
            let part = CountedText::within(part, tokens, encoding).expect("as many tokens as it has");
            assert_eq!(part.tokens(), tokens, "{:?}", part.text());
            let part = part.after(&random.text(1));
            assert_eq!(part.tokens(), count_tokens(part.text(), encoding), "{:?}", part.text());
            counter.push_part(&part);
            counter.push(&between);
            text += part.text();
            text += &between;
            assert_eq!(counter.total(), count_tokens(&text, encoding), "{text:?}");
        }
    }
}

#[test]
fn symbols_without_end_count_like_the_whole() {
    for unit in ["[],", "\"\",", "{}", "-", "=+", "😀", "\u{200D}😀", "((("] {
        let (mut counter, mut text) = (Counter::new(Encoding::O200kBase), String::new());
        for _ in 0..300 {
            counter.push(unit);
            text.push_str(unit);
            assert_eq!(counter.total(), count_tokens(&text, Encoding::O200kBase), "{unit} at {}", text.len());
        }
        counter.push("a");
        text.push('a');
        assert_eq!(counter.total(), count_tokens(&text, Encoding::O200kBase));
    }
}

#[test]
fn truncated_text_is_the_longest_that_fits() {
    let mut random = Random(5);
    for number in 0..1500 {
        let (parts, most) = if number % 50 == 0 { (600, 500) } else { (14, 12) };
        let text = random.text(parts);
        let encoding = EXACT[number % 2];
        let limit = random.below(most);
        let cuts: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
        let fits = |part: &str| count_tokens(part, encoding) <= limit;
        let head = cuts.iter().rev().map(|&at| &text[..at]).find(|part| fits(part));
        assert_eq!(Some(truncate_to_tokens(&text, limit, encoding, Side::Head)), head, "{text:?} to {limit}");
        let tail = cuts.iter().map(|&at| &text[at..]).find(|part| fits(part));
        assert_eq!(Some(truncate_to_tokens(&text, limit, encoding, Side::Tail)), tail, "{text:?} to {limit}");
    }
}

#[test]
fn long_text_without_a_break_is_truncated_within_the_limit() {
    for unit in ["a", "[],", "中文", " ", "\u{301}", "😀", "é", "'a"] {
        let text = unit.repeat(20_000);
        for side in [Side::Head, Side::Tail] {
            for encoding in [Encoding::O200kBase, Encoding::Estimate] {
                let part = truncate_to_tokens(&text, 100, encoding, side);
                let count = count_tokens(part, encoding);
                assert!(count <= 100 && (count > 90 || unit == "\u{301}"), "{unit}: {count}");
            }
        }
    }
}

#[test]
fn long_pieces_have_the_tokens_that_another_implementation_finds() {
    let mut random = Random(6);
    for number in 0..60 {
        // No white space and no digits: one piece, or few.
        let part =
            |random: &mut Random| ["a", "b", "the", "ing", "中", "国", "é", "ж", "\u{301}", "ا"][random.below(10)];
        let symbol = |random: &mut Random| ["-", "=", "[]", "{}", "\",", "…", "😀", "(", "}", "<|"][random.below(10)];
        let few = 1 + random.below(6);
        let units: Vec<&str> =
            (0..few).map(|_| if number % 2 == 0 { part(&mut random) } else { symbol(&mut random) }).collect();
        let text: String = (0..6000).map(|_| units[random.below(few)]).collect();
        assert_eq!(encode(&text, Encoding::O200kBase).unwrap(), bpe_openai::o200k_base().encode(&text), "{units:?}");
        assert_eq!(encode(&text, Encoding::Cl100kBase).unwrap(), bpe_openai::cl100k_base().encode(&text), "{units:?}");
        let count = count_tokens(&text, Encoding::O200kBase);
        for limit in [count, count - 1, count - 1 - random.below(400).min(count - 1), count / 2, 0] {
            let expected = Some(count).filter(|&count| count <= limit);
            assert_eq!(fits_tokens(&text, limit, Encoding::O200kBase), expected, "{units:?} of {count} in {limit}");
        }
    }
}

/// A million characters each: other tokenizers hang, trap or throw on them.
#[test]
fn hostile_text_takes_no_more_than_its_length() {
    for unit in [
        "a", " ", "\n", "ab", "中", "😀", "\u{301}", "'", "'s", "Aあ", "AあB", "0", "=", "<|endoftext|>", "\u{17F}",
        " \n", "QUJD",
    ] {
        let text = unit.repeat(1_000_000 / unit.len());
        for encoding in EXACT {
            let count = count_tokens(&text, encoding);
            assert!(count > 0 && fits_tokens(&text, count - 1, encoding).is_none(), "{unit:?}");
        }
    }
}

#[test]
fn a_counter_in_a_log_has_its_pattern_and_no_vocabulary() {
    let written = format!("{:?}", Counter::new(Encoding::Cl100kBase));
    assert!(written.contains("Tokenizer { pattern: Cl100kBase, .. }") && written.len() < 500, "{written}");
}
