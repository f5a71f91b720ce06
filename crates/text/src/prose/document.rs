//! Documents: headings, the leading sentence of each section, the first lines of code fences.

use super::piece::{Piece, spread};
use super::sentence;

/// Whether a text has enough headings and fences to be a document, regardless of its other lines.
pub fn has_marks(lines: &[&str]) -> bool {
    let is_mark = |block: &&DocumentBlock| matches!(block, DocumentBlock::Heading { .. } | DocumentBlock::Fence { .. });
    let marks = blocks(lines).iter().filter(is_mark).count();
    // In a listing, comments that look like headings are more frequent.
    marks >= 3 && marks * MARK_EVERY >= lines.len() && marks * 2 <= lines.len()
}

/// A document in pieces.
pub struct MarkdownDocument<'a> {
    /// The most important pieces first.
    pub pieces: Vec<Piece<'a>>,
    pub headings: usize,
    pub fences: usize,
}

/// What consecutive lines are.
enum DocumentBlock {
    /// A heading with its level, from 1, and the lines it takes.
    Heading { line: usize, end: usize, level: usize },
    /// A code fence, from the line that opens it.
    Fence { line: usize, end: usize },
    /// Prose, which consists of sentences.
    Paragraph { line: usize, end: usize },
    /// A list, a table, a quotation, an image or markup, by its first line.
    Other { line: usize },
}

/// A document has at least one heading or fence per this many lines.
const MARK_EVERY: usize = 100;
/// Lines of a paragraph that are searched for its leading sentence.
const LEAD_LINES: usize = 5;
/// Deeper headings count as this deep.
const LEVELS: usize = 6;

/// Takes a document apart.
pub fn outline<'a>(text: &'a str, lines: &[&'a str]) -> MarkdownDocument<'a> {
    let blocks = blocks(lines);
    // Ranks: the headings of each level, the leading sentences of sections one level after them, then the rest.
    let mut ranks: Vec<Vec<Piece<'a>>> = (0..2 * LEVELS + 5).map(|_| Vec::new()).collect();
    let (fence_rank, others, rest) = (2 * LEVELS + 2, 2 * LEVELS + 3, 2 * LEVELS + 4);
    let (mut level, mut has_lead, mut headings, mut fences) = (0, false, 0, 0);
    for block in &blocks {
        match *block {
            DocumentBlock::Heading { line, end, level: deep } => {
                level = deep.min(LEVELS);
                has_lead = false;
                headings += 1;
                ranks[2 * (level - 1)].push(Piece::once(line, Piece::of_lines(text, lines, line..end), "heading"));
            }
            DocumentBlock::Fence { line, end } => {
                fences += 1;
                // The line that opens it, and the first inside.
                let shown = line..end.min(line + 2);
                ranks[fence_rank].push(Piece::once(line, Piece::of_lines(text, lines, shown), "fence"));
            }
            DocumentBlock::Paragraph { line, end } => {
                let whole = Piece::of_lines(text, lines, line..end.min(line + LEAD_LINES));
                let lead = Piece::once(line, sentence::first(whole), "");
                // The paragraph before the first heading introduces the document.
                let rank = match (has_lead, level) {
                    (true, _) => others,
                    (false, 0) => 0,
                    (false, level) => 2 * level + 1,
                };
                has_lead = true;
                ranks[rank].push(lead);
            }
            DocumentBlock::Other { line } => ranks[rest].push(Piece::once(line, lines[line], "")),
        }
    }
    let mut pieces = Vec::new();
    for mut rank in ranks {
        let order: Vec<usize> = spread(rank.len()).collect();
        let mut taken: Vec<Option<Piece<'a>>> = rank.drain(..).map(Some).collect();
        pieces.extend(order.into_iter().filter_map(|at| taken[at].take()));
    }
    MarkdownDocument { pieces, headings, fences }
}

fn blocks(lines: &[&str]) -> Vec<DocumentBlock> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if lines[at].trim().is_empty() || is_rule(lines[at]) {
            at += 1;
            continue;
        }
        let (block, next) = block(lines, at);
        blocks.push(block);
        at = next;
    }
    blocks
}

/// The block that begins at a line, and where the next may begin.
fn block(lines: &[&str], at: usize) -> (DocumentBlock, usize) {
    if let Some(fence) = fence(lines[at]) {
        let closes =
            |line: &&str| line.trim_start().starts_with(fence) && line.trim().chars().all(|c| fence.contains(c));
        let inside = lines[at + 1..].iter().position(closes).unwrap_or(lines.len() - at - 1);
        let end = (at + 1 + inside).min(lines.len());
        return (DocumentBlock::Fence { line: at, end }, (end + 1).min(lines.len()));
    }
    if let Some(level) = heading(lines[at]) {
        return (DocumentBlock::Heading { line: at, end: at + 1, level }, at + 1);
    }
    if let Some(level) = lines.get(at + 1).and_then(|next| underline(lines[at], next)) {
        return (DocumentBlock::Heading { line: at, end: at + 2, level }, at + 2);
    }
    let ends = |&next: &usize| {
        lines[next].trim().is_empty()
            || fence(lines[next]).is_some()
            || heading(lines[next]).is_some()
            || lines.get(next + 1).is_some_and(|below| underline(lines[next], below).is_some())
    };
    let end = (at + 1..lines.len()).find(ends).unwrap_or(lines.len());
    let block = if is_prose(lines[at]) {
        DocumentBlock::Paragraph { line: at, end }
    } else {
        DocumentBlock::Other { line: at }
    };
    (block, end)
}

/// Whether a line begins prose, and no list, table, quotation, image or markup.
fn is_prose(line: &str) -> bool {
    let line = line.trim_start();
    let is_item = line.starts_with(|c: char| c.is_ascii_digit()) && item(line).is_some();
    !is_item
        && !["- ", "* ", "+ ", "|", ">", "<", "![", "[![", "[!", ".. ", ":", "#"]
            .iter()
            .any(|mark| line.starts_with(mark))
}

/// The text after the number of an item or a heading: `1. ` or `1) `.
fn item(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix(['.', ')'])?.strip_prefix(' ')
}

/// The characters of a code fence, if the line opens one (CommonMark 4.5).
fn fence(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence))
}

/// The level of a heading on one line: `## …` (CommonMark 4.2), `== …` (AsciiDoc) or `1.2.  …` (RFCs).
fn heading(line: &str) -> Option<usize> {
    for mark in ['#', '='] {
        let level = line.chars().take_while(|&c| c == mark).count();
        if (1..=LEVELS).contains(&level) && line[level..].starts_with(' ') && !line[level..].trim().is_empty() {
            return Some(level);
        }
    }
    numbered(line)
}

/// The level of a numbered heading at the very start of a line: `3.  Title` is 1, `3.1.  Title` is 2.
fn numbered(line: &str) -> Option<usize> {
    let end = line.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, title) = line.split_at(end);
    let level = number.trim_end_matches('.').split('.').count();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && !number.contains("..");
    // Numbered lists have one space.
    let is_title = title.starts_with("  ") || (level > 1 && title.starts_with(' '));
    let title = title.trim();
    let is_short = title.chars().count() <= 80 && !title.ends_with(['.', ',', ';']);
    (is_number && is_title && is_short && title.starts_with(char::is_alphabetic)).then_some(level.min(LEVELS))
}

/// The level of a heading that is underlined (CommonMark 4.3, reStructuredText).
fn underline(line: &str, below: &str) -> Option<usize> {
    let title = line.trim();
    let below = below.trim_end();
    let mark = below.chars().next()?;
    let level = 1 + "=-~^\"'+*".find(mark)?.min(LEVELS - 1);
    let is_line = below.chars().all(|c| c == mark) && below.len() >= 3.max(title.chars().count().min(8));
    (is_line && title.contains(char::is_alphanumeric) && !line.starts_with([' ', '|', '-', '*', '>'])).then_some(level)
}

/// Whether a line is a horizontal rule.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.chars().all(|c| "=-~*_#+^".contains(c))
}

#[cfg(test)]
mod tests {
    use super::outline;

    fn texts(text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        outline(text, &lines).pieces.iter().map(|piece| piece.text.to_owned()).collect()
    }

    #[test]
    fn headings_come_first_then_leads_then_fences() {
        let text = "# A\nFirst words,\nwrapped. More words.\n\nOther paragraph here. And on.\n\n## B\n\nOf b. Rest.\n\n\
            ```sh\nls\ncd\n```\nSetext\n------\nOf setext.\n";
        assert_eq!(
            texts(text),
            [
                "# A", "## B", "Setext\n------", "First words,\nwrapped.", "Of b.", "Of setext.", "```sh\nls",
                "Other paragraph here."
            ]
        );
    }

    #[test]
    fn headings_of_other_kinds() {
        assert_eq!(
            texts("1.  Introduction\n\n   Words.\n\n1.1.  Terms\n"),
            ["1.  Introduction", "1.1.  Terms", "   Words."]
        );
        assert_eq!(texts("1. an item\n2. another item\n"), ["1. an item"]);
    }

    #[test]
    fn a_list_is_known_by_its_first_item() {
        assert_eq!(texts("- b\n- c\n\nWords.\n"), ["Words.", "- b"]);
    }
}
