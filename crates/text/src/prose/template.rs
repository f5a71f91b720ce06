//! Templates of log lines: the fixed words of the statement that printed them.
//!
//! Numbers, times, ids, paths and dotted names are masked, and masks next to each other are one. Lines with as many words are
//! divided by the words that most of them share, and then by the places that have few different words: what has many is
//! variable. So the words of the lines decide, and no format of a log is given (as in Yu et al., "Brain: Log Parsing with
//! Bidirectional Parallel Tree", IEEE TSC 2023).

use std::ops::Range;

use crate::chars::offset;
use crate::hash::{ByHash, hash, mixed};

use super::severity;

/// Replaces a masked part.
const MASK: char = '*';
/// A place with more different words is variable, if the lines agree in as many places as they differ in.
const FEW_WORDS: usize = 4;
/// Up to this many words are searched one by one, and not sorted.
const FEW_TO_SEARCH: usize = 16;
/// Lines that are compared, and the words of them. What is beyond is known by its masked text alone.
const MOST_COMPARED: usize = 1 << 15;
const MOST_WORDS: usize = 60;
/// Places by which lines are divided, one after another.
const MOST_DIVIDED: usize = 16;
/// Characters of a line that count.
const MASKED_CHARS: usize = 400;
/// Characters of a remark in parentheses, and letters of a unit.
const REMARK_CHARS: usize = 40;
const UNIT_CHARS: usize = 3;
/// Words before the number of a process, which end the name of what printed the line: `web sshd[12]: …`.
const PROGRAM_WORDS: usize = 4;

/// The templates of some lines.
///
/// Lines and words are known by their hashes alone: which lines are one template is a guess anyway, and those that are
/// shown are read from the text.
pub struct Templates {
    /// The template of each line, from 0 in the order of first appearance.
    pub of_line: Vec<u32>,
    /// How many there are.
    pub total: usize,
    /// The first line of each form, and its template.
    forms: Vec<(u32, u32)>,
}

/// Lines that are the same once they are masked.
struct Form {
    class: u64,
    /// Its words among those of all.
    start: u32,
    len: u32,
    lines: u32,
}

/// The forms of some lines.
#[derive(Default)]
struct Forms {
    all: Vec<Form>,
    /// The words of all.
    words: Vec<u32>,
    /// The first line of each.
    first: Vec<u32>,
    of_line: Vec<u32>,
}

impl Forms {
    fn of(lines: impl Iterator<Item = (impl AsRef<str>, &'static str)>) -> Self {
        // The form of each line, by the masked line and by its words.
        let (mut by_mask, mut by_words): (ByHash<u32>, ByHash<u32>) = Default::default();
        let Self { all: mut forms, mut words, mut first, mut of_line } = Self::default();
        let (mut masked, mut bare, mut own) = (String::new(), String::new(), Vec::new());
        for (at, (line, class)) in lines.enumerate() {
            masked.clear();
            mask_into(line.as_ref(), &mut masked);
            let class = hash(class.as_bytes());
            let key = mixed(class, hash(masked.as_bytes()));
            let form = *by_mask.entry(key).or_insert_with(|| {
                own.clear();
                for_each_word(&masked, &mut bare, |word| own.push(hash(word.as_bytes()) as u32));
                let key_of_words = own.iter().fold(class, |sum, &word| mixed(sum, u64::from(word)));
                *by_words.entry(key_of_words).or_insert_with(|| {
                    own.truncate(if forms.len() < MOST_COMPARED { MOST_WORDS } else { 0 });
                    let (start, len) = (words.len() as u32, own.len() as u32);
                    words.extend(&own);
                    forms.push(Form { class, start, len, lines: 0 });
                    first.push(at as u32);
                    forms.len() as u32 - 1
                })
            });
            forms[form as usize].lines += 1;
            of_line.push(form);
        }
        Self { all: forms, words, first, of_line }
    }
}

impl Templates {
    /// The templates of lines without their times, each with its class: lines of different classes have different templates.
    pub fn of(lines: impl Iterator<Item = (impl AsRef<str>, &'static str)>) -> Self {
        let Forms { all: forms, words, first, mut of_line } = Forms::of(lines);
        let group_of = groups(&forms, &words);
        let (mut number_of, mut total): (Vec<Option<u32>>, u32) = (vec![None; forms.len()], 0);
        let template_of: Vec<u32> = group_of
            .iter()
            .map(|&group| {
                *number_of[group as usize].get_or_insert_with(|| {
                    total += 1;
                    total - 1
                })
            })
            .collect();
        of_line.iter_mut().for_each(|form| *form = template_of[*form as usize]);
        Self { of_line, total: total as usize, forms: first.into_iter().zip(template_of).collect() }
    }

    /// The masked words of each template, with a mask where its lines have different ones; `line` gives the lines again.
    pub fn texts(&self, line: impl Fn(usize) -> String) -> Vec<String> {
        let mut texts: Vec<Option<String>> = vec![None; self.total];
        for &(first, template) in &self.forms {
            let own = masked(&line(first as usize));
            let text = &mut texts[template as usize];
            *text = Some(text.take().map_or(own.clone(), |known| merged(&known, &own)));
        }
        texts.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// The words that two masked lines share, and masks for the others; the first line if they do not have as many words.
fn merged(known: &str, other: &str) -> String {
    if known.split_whitespace().count() != other.split_whitespace().count() {
        return known.to_owned();
    }
    let words = known.split_whitespace().zip(other.split_whitespace());
    words.map(|(word, other)| if word == other { word } else { "*" }).collect::<Vec<_>>().join(" ")
}

/// A number for each form, the same for those of one template: that of the first of them.
fn groups(forms: &[Form], words: &[u32]) -> Vec<u32> {
    let words_of = |form: u32| {
        let Form { start, len, .. } = forms[form as usize];
        &words[start as usize..(start + len) as usize]
    };
    // How many lines have a word in this place, among those with as many words.
    let mut frequencies: ByHash<u32> = ByHash::default();
    let size_of = |form: &Form| mixed(form.class, u64::from(form.len));
    let key = |form: &Form, place: usize, word: u32| mixed(mixed(size_of(form), place as u64), u64::from(word));
    for (at, form) in forms.iter().enumerate() {
        for (place, &word) in words_of(at as u32).iter().enumerate() {
            *frequencies.entry(key(form, place, word)).or_default() += form.lines;
        }
    }
    let mut group_of: Vec<u32> = (0..forms.len() as u32).collect();
    let mut compared: Vec<u32> = group_of.iter().copied().filter(|&form| forms[form as usize].len > 0).collect();
    let (mut root_of, mut of_places, mut sorted) = (vec![0; forms.len()], Vec::new(), Vec::new());
    for &at in &compared {
        let (form, own) = (&forms[at as usize], words_of(at));
        let frequency = |place: usize| frequencies.get(&key(form, place, own[place])).copied().unwrap_or(0);
        of_places.clear();
        of_places.extend((0..own.len()).map(frequency));
        // The words of the places with the frequency that most of them share.
        sorted.clone_from(&of_places);
        sorted.sort_unstable();
        let root = most_shared(&sorted);
        let shared = own.iter().enumerate().filter(|(place, _)| of_places[*place] == root);
        root_of[at as usize] = shared.fold(mixed(size_of(form), u64::from(root)), |sum, (place, &word)| {
            mixed(mixed(sum, place as u64), u64::from(word))
        });
    }
    compared.sort_unstable_by_key(|&form| (root_of[form as usize], form));
    let mut left = Vec::new();
    push_runs(&mut left, &compared, 0, 0, |form| root_of[form as usize]);
    let mut seen = Vec::new();
    while let Some((range, divided)) = left.pop() {
        let alike = &mut compared[range.clone()];
        let first = words_of(alike[0]);
        // The place with the fewest words, of those in which the forms differ; and how many these are.
        let (mut fewest, mut differing, mut agreeing) = (None, 0, 0);
        for (place, &word) in first.iter().enumerate() {
            let mut words = alike.iter().map(|&form| words_of(form)[place]);
            if words.clone().all(|other| other == word) {
                agreeing += usize::from(word != hash(b"*") as u32);
                continue;
            }
            differing += 1;
            // With as many different words as another place it is not one of the fewest.
            let most = fewest.map_or(usize::MAX, |(fewest, _)| fewest);
            seen.clear();
            if most <= FEW_TO_SEARCH {
                while seen.len() < most
                    && let Some(word) = words.next()
                {
                    if !seen.contains(&word) {
                        seen.push(word);
                    }
                }
            } else {
                seen.extend(words);
                seen.sort_unstable();
                seen.dedup();
            }
            if seen.len() < most {
                fewest = Some((seen.len(), place));
            }
        }
        let variable = |fewest: usize| fewest > FEW_WORDS && agreeing >= differing;
        match fewest.filter(|(fewest, _)| divided < MOST_DIVIDED && !variable(*fewest)) {
            None => alike.iter().for_each(|&form| group_of[form as usize] = alike[0]),
            Some((_, place)) => {
                // The order of lines stays within a part.
                alike.sort_unstable_by_key(|&form| (words_of(form)[place], form));
                push_runs(&mut left, alike, range.start, divided + 1, |form| words_of(form)[place]);
            }
        }
    }
    group_of
}

/// Adds the ranges of forms next to each other with the same key; `start` is the place of the first form.
fn push_runs<K: PartialEq>(
    to: &mut Vec<(Range<usize>, usize)>,
    forms: &[u32],
    mut start: usize,
    divided: usize,
    key: impl Fn(u32) -> K,
) {
    for run in forms.chunk_by(|&one, &other| key(one) == key(other)) {
        to.push((start..start + run.len(), divided));
        start += run.len();
    }
}

/// The frequency that most places share, of those that are at least half as large as the largest.
fn most_shared(sorted: &[u32]) -> u32 {
    let largest = sorted.last().copied().unwrap_or(0);
    let runs = sorted.chunk_by(|one, other| one == other).filter(|run| run[0] * 2 >= largest);
    runs.max_by_key(|run| (run.len(), run[0])).map_or(0, |run| run[0])
}

/// The words of a masked line by which it is compared: without the program that printed it, remarks with numbers, and units.
fn for_each_word(masked: &str, bare: &mut String, mut take: impl FnMut(&str)) {
    let (level, rest) = behind_head(masked);
    bare.clear();
    without_remarks_into(rest, bare);
    let (mut is_first, mut is_mask) = (true, false);
    let split = |c: char| c.is_whitespace() || c == '|';
    for word in [level].into_iter().chain(bare.split(split)).filter(|word| !word.is_empty()) {
        let letters = word.trim_end_matches([',', ';', '.', ')', ']']);
        let is_unit = letters.len() <= UNIT_CHARS && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !word.contains(char::is_alphanumeric) {
            is_mask = true;
            continue;
        }
        if is_mask && is_unit && !is_first {
            continue;
        }
        if is_mask && !is_first {
            take("*");
        }
        take(word);
        (is_first, is_mask) = (false, false);
    }
    if is_mask {
        take("*");
    }
}

/// A masked line behind the program and the thread that printed it, and its level before them.
fn behind_head(masked: &str) -> (&str, &str) {
    let mut rest = masked;
    let mut at = 0;
    for word in masked.split_inclusive(' ').take(PROGRAM_WORDS) {
        at += word.len();
        if word.ends_with("*]: ") {
            rest = &masked[at..];
            break;
        }
    }
    let first = rest.split(' ').next().unwrap_or_default();
    let is_level = first.bytes().all(|byte| byte.is_ascii_uppercase()) && severity::named(first).is_some();
    let (level, rest) = rest.split_at(if is_level { first.len() } else { 0 });
    let behind = rest.trim_start().strip_prefix('[').and_then(|inside| inside.split_once("] "));
    let is_thread = |(inside, _): &(&str, &str)| {
        !inside.contains(['[', ']']) && (inside.contains(' ') || severity::named(&format!("[{inside}]")).is_none())
    };
    (level, behind.filter(is_thread).map_or(rest, |(_, rest)| rest))
}

/// Writes a masked line without parentheses that have a number inside, and with such brackets masked.
fn without_remarks_into(masked: &str, out: &mut String) {
    let mut rest = masked;
    while let Some(at) = rest.find(['(', '[']) {
        let (before, from) = rest.split_at(at);
        let is_bracket = from.starts_with('[');
        let inside = from[1..].split(['(', ')', '[', ']']).next().unwrap_or_default();
        let is_closed = from[1 + inside.len()..].starts_with(if is_bracket { ']' } else { ')' });
        let is_remark = is_closed && inside.contains(MASK) && (is_bracket || inside.len() <= REMARK_CHARS);
        let is_empty = is_closed && is_bracket && inside == "-";
        if is_remark || is_empty {
            out.push_str(if is_bracket { before } else { before.strip_suffix(' ').unwrap_or(before) });
            out.push_str(if is_bracket { "[*]" } else { "" });
            rest = &from[inside.len() + 2..];
        } else {
            out.push_str(before);
            out.push_str(&from[..1]);
            rest = &from[1..];
        }
    }
    out.push_str(rest);
}

/// What a byte means to the mask.
const DIGIT: u8 = 1;
const DOT: u8 = 2;
const SLASH: u8 = 4;
const MEANING: [u8; 256] = {
    let mut meaning = [0; 256];
    let mut digit = b'0';
    while digit <= b'9' {
        meaning[digit as usize] = DIGIT;
        digit += 1;
    }
    meaning[b'.' as usize] = DOT;
    meaning[b'/' as usize] = SLASH;
    meaning
};

/// The start of a line with its variable parts masked, as templates are compared.
pub fn masked(line: &str) -> String {
    let mut out = String::new();
    mask_into(line, &mut out);
    out
}

/// Writes the line with its variable parts masked.
fn mask_into(line: &str, out: &mut String) {
    let start = &line[..offset(line, MASKED_CHARS)];
    let bytes = start.as_bytes();
    // Words without digits, dots and slashes are written together.
    let (mut written, mut word) = (0, 0);
    while word < bytes.len() {
        let (mut end, mut meaning) = (word, 0);
        while end < bytes.len() && bytes[end] != b' ' {
            meaning |= MEANING[usize::from(bytes[end])];
            end += 1;
        }
        if meaning != 0 {
            out.push_str(&start[written..word]);
            if meaning & SLASH != 0 || meaning & DOT != 0 && is_dotted(&start[word..end]) {
                // Brackets around it may close with another word.
                let own = &start[word..end];
                let name = own.trim_start_matches(['(', '[', '"', '\'']);
                out.push_str(&own[..own.len() - name.len()]);
                out.push(MASK);
                out.push_str(&name[name.trim_end_matches([')', ']', '"', '\'', ',', ':', ';']).len()..]);
            } else {
                mask_numbers(&start[word..end], out);
            }
            written = end;
        }
        word = end + 1;
    }
    out.push_str(&start[written..]);
}

/// Whether a word is a dotted name or an address.
fn is_dotted(word: &str) -> bool {
    let is_inside =
        |at: usize| word[..at].ends_with(char::is_alphanumeric) && word[at + 1..].starts_with(char::is_alphanumeric);
    word.bytes().enumerate().any(|(at, byte)| byte == b'.' && is_inside(at))
}

/// Writes the word with every alphanumeric run that contains a digit masked, and what joins such runs.
fn mask_numbers(word: &str, out: &mut String) {
    let from = out.len();
    let mut at = 0;
    while at < word.len() {
        let (end, has_digit) = run(word, at);
        if end == at {
            let other = word[at..].chars().next().map_or(1, char::len_utf8);
            out.push_str(&word[at..at + other]);
            at += other;
            continue;
        }
        let run = &word[at..end];
        at = end;
        if !has_digit {
            out.push_str(run);
            continue;
        }
        // `10.0.0.1:80`, `09:26:46,123` and `2026-11-20` are one mask each.
        match out.as_bytes()[from..] {
            [.., before, b'.' | b':' | b',' | b'-' | b'/' | b'_'] if before == MASK as u8 => {
                out.truncate(out.len() - 1)
            }
            _ => {
                let own = out[from..].trim_end_matches(['-', '+', '<', '#', '~']).len();
                out.truncate(from + own);
                out.push(MASK);
            }
        }
    }
}

/// The end of the alphanumeric run that begins at `at`, and whether it has a digit.
fn run(word: &str, mut at: usize) -> (usize, bool) {
    let mut has_digit = false;
    while let Some(&byte) = word.as_bytes().get(at) {
        if byte.is_ascii() {
            if !byte.is_ascii_alphanumeric() {
                break;
            }
            has_digit |= byte.is_ascii_digit();
            at += 1;
            continue;
        }
        match word[at..].chars().next().filter(|c| c.is_alphanumeric()) {
            Some(letter) => at += letter.len_utf8(),
            None => break,
        }
    }
    (at, has_digit)
}

#[cfg(test)]
mod tests {
    use super::{Templates, for_each_word, masked as mask};

    #[test]
    fn masks_what_varies() {
        assert_eq!(mask("2026-11-20 09:26:46,123 INFO took 31ms from 10.0.0.1:80"), "* * INFO took * from *");
        assert_eq!(mask("blk_-1608999687919862906 ok"), "blk_* ok");
        assert_eq!(mask("naïve — 7"), "naïve — *");
    }

    #[test]
    fn words_are_without_what_printed_them_and_remarks() {
        let words = |line: &str| {
            let mut words = Vec::new();
            for_each_word(&mask(line), &mut String::new(), |word| words.push(word.to_owned()));
            words.join(" ")
        };
        for (line, wanted) in [
            ("web sshd(pam_unix)[12]: session closed", "session closed"),
            ("ERROR [worker 7] no route", "ERROR no route"),
            ("[error] no route", "[error] no route"),
            ("sent 12 bytes (1.2 KB) in 3 ms", "sent * bytes in *"),
            ("a.b.c [req-7 - - -] 10.0.0.1 \"GET /x\" 200", "\"GET *"),
            ("7 8 9", "*"),
        ] {
            assert_eq!(words(line), wanted, "{line}");
        }
    }

    /// The number of templates, and whether each of these lines is alone or with all others of its statement.
    fn total(lines: &[String]) -> usize {
        Templates::of(lines.iter().map(|line| (line.as_str(), ""))).total
    }

    #[test]
    fn places_with_many_words_are_variable_and_those_with_few_are_not() {
        let names = ["ann", "bob", "carol", "dave", "eve", "frank", "grace", "heidi"];
        let lines = |form: fn(&str, usize) -> String| -> Vec<String> {
            (0..64).map(|n| form(names[n % names.len()], n)).collect()
        };
        assert_eq!(total(&lines(|name, _| format!("user {name} logged in from web"))), 1);
        assert_eq!(total(&lines(|_, n| format!("service {} after boot", ["started", "stopped"][n % 2]))), 2);
        let both = |name: &str, n: usize| format!("user {name} logged {} from web", ["in", "out"][n / 8 % 2]);
        assert_eq!(total(&lines(both)), 2);
        // Lines that have nothing in common are not one template.
        let words = names.map(|name| format!("{name} {name}x {name}y"));
        assert_eq!(total(&words), names.len());
    }

    #[test]
    fn templates_are_numbered_in_the_order_of_lines() {
        let lines = ["disk full", "user 7 gone", "disk full", "user 8 gone", "net down"];
        let templates = Templates::of(lines.iter().map(|line| (*line, "")));
        assert_eq!(templates.of_line, [0, 1, 0, 1, 2]);
        let texts = templates.texts(|at| lines[at].to_owned());
        assert_eq!(texts, ["disk full", "user * gone", "net down"]);
    }
}
