//! Markdown: its headings, and whether a text is certainly Markdown.
//!
//! Headings are those of CommonMark 4.2 and 4.3 outside of code fences (4.5) and front matter. Quoted and indented ones
//! count for none.

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownHeading<'a> {
    /// The line, counted from 0, and the character at which it begins.
    pub line: usize,
    pub char: usize,
    pub level: usize,
    pub title: &'a str,
}

/// The headings of a document, in one pass.
pub fn headings(text: &str) -> Vec<MarkdownHeading<'_>> {
    let mut headings = Vec::new();
    let mut blocks = Blocks::default();
    let (mut counted, mut chars, mut at, mut before) = (0, 0, 0, 0);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if let Some((level, title, lines)) = blocks.heading(line) {
            let start = if lines == 2 { before } else { at };
            chars += text[counted..start].chars().count();
            counted = start;
            headings.push(MarkdownHeading { line: index + 1 - lines, char: chars, level, title });
        }
        before = at;
        at += line.len();
    }
    headings
}

/// What the lines before say about the next one.
#[derive(Default)]
struct Blocks<'a> {
    /// The mark of the open fence, and how often it is repeated.
    fence: Option<(u8, usize)>,
    /// A line of a paragraph, which an underline makes a heading.
    paragraph: Option<&'a str>,
    in_front_matter: bool,
    has_begun: bool,
}

impl<'a> Blocks<'a> {
    /// The heading that a line is, or ends: its level, its title, and how many lines it takes.
    fn heading(&mut self, line: &'a str) -> Option<(usize, &'a str, usize)> {
        let line = line.trim_end();
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        if self.in_front_matter || (is_first && line == "---") {
            self.in_front_matter = is_first || !matches!(line, "---" | "...");
            return None;
        }
        let above = self.paragraph.take();
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if let Some((mark, len)) = self.fence {
            let run = run(text, mark);
            if run >= len && run == text.len() && indent < 4 {
                self.fence = None;
            }
            return None;
        }
        let first = *text.as_bytes().first()?;
        if indent > 3 || first == b'\t' {
            return None;
        }
        if matches!(first, b'`' | b'~')
            && run(text, first) >= 3
            && (first == b'~' || !text[3..].trim_matches('`').contains('`'))
        {
            self.fence = Some((first, run(text, first)));
            return None;
        }
        if first == b'#' {
            let level = run(text, b'#');
            let title = text[level..].trim();
            let title = match title.trim_end_matches('#') {
                // Marks that close the heading.
                open if open.ends_with([' ', '\t']) => open.trim_end(),
                _ => title,
            };
            return (level <= 6 && text[level..].starts_with([' ', '\t']) && !title.is_empty())
                .then_some((level, title, 1));
        }
        if let Some(title) = above
            && matches!(first, b'=' | b'-')
            && run(text, first) == text.len()
            && text.len() >= 3
        {
            return Some((if first == b'=' { 1 } else { 2 }, title, 2));
        }
        let is_item = matches!(first, b'-' | b'*' | b'+' | b'>' | b'|' | b'<' | b'=');
        self.paragraph = (!is_item && !is_numbered(text)).then_some(text);
        None
    }
}

fn run(text: &str, mark: u8) -> usize {
    text.bytes().take_while(|byte| *byte == mark).count()
}

fn is_numbered(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && (rest.starts_with(". ") || rest.starts_with(") "))
}

/// Headings that a text has at least to be Markdown.
const MIN_HEADINGS: usize = 3;
/// Beginnings of lines of code, of configuration, of a difference.
const CODE: [&str; 24] = [
    "import ", "from ", "def ", "class ", "return ", "if ", "else", "for ", "while ", "export ", "const ", "let ",
    "var ", "function ", "fn ", "pub ", "use ", "package ", "#include", "#define", "echo ", "set ", "RUN ", "FROM ",
];

/// Whether lines are certainly Markdown: they have headings of several levels after blank lines, and prose, lists or
/// links, and hardly a line of code outside of fences.
pub fn is_markdown(lines: &[&str]) -> bool {
    // Most texts have no lines that could be headings.
    let may_head = |line: &&&str| {
        let text = line.trim_start_matches(' ');
        text.starts_with("# ") || text.starts_with("##") || text.starts_with("---") || text.starts_with("===")
    };
    let is_script = lines.first().is_some_and(|line| line.starts_with("#!"));
    if is_script || lines.iter().filter(may_head).count() < MIN_HEADINGS {
        return false;
    }
    let mut blocks = Blocks::default();
    let (mut headings, mut deep, mut filled, mut prose, mut code) = (0, 0, 0, 0, 0);
    // Whether a blank line is before this line, and whether one is before the line above.
    let (mut is_free, mut is_above_free) = (true, false);
    for line in lines {
        if line.starts_with("@@ -") || line.starts_with("diff --git ") {
            return false;
        }
        let in_fence = blocks.fence.is_some();
        let heading = blocks.heading(line);
        let text = line.trim();
        if in_fence || blocks.fence.is_some() || blocks.in_front_matter {
            is_free = true;
            continue;
        }
        if text.is_empty() {
            is_free = true;
            continue;
        }
        filled += 1;
        match heading {
            // What is underlined in the middle of a paragraph is output that has rules.
            Some((level, _, lines)) if if lines == 2 { is_above_free } else { is_free } => {
                headings += 1;
                deep += usize::from(level > 1 || lines == 2);
                continue;
            }
            // A comment, more likely.
            Some(_) => code += 1,
            None if is_written(text) => prose += 1,
            None if is_code(text) => code += 1,
            None => {}
        }
        (is_above_free, is_free) = (is_free, false);
    }
    headings >= MIN_HEADINGS
        && deep > 0
        && headings * 2 <= filled
        && prose * 2 >= filled - headings
        && code * 5 <= filled
}

/// Whether a line is prose, an item, a quotation, a row of a table, or has a link.
fn is_written(text: &str) -> bool {
    let is_item =
        ["- ", "* ", "+ ", "> ", "|", "[", "!["].iter().any(|mark| text.starts_with(mark)) || is_numbered(text);
    let has_mark = text.contains("](") || text.contains("**") || text.matches('`').count() >= 2;
    let words = text.split(' ').filter(|word| word.chars().any(char::is_alphabetic)).count();
    let is_sentence = words >= 4 && !text.ends_with([';', '{', '}', '(', '\\']) && !text.contains(" = ");
    is_item || has_mark || (is_sentence && !is_code(text)) || text.chars().filter(|c| !c.is_ascii()).count() >= 6
}

pub(super) fn is_code(text: &str) -> bool {
    let key = text.find([':', '=']).map_or("", |at| text[..at].trim_end());
    let is_key =
        !key.is_empty() && !key.contains(' ') && key.chars().all(|c| c.is_alphanumeric() || "_.-$\"'".contains(c));
    text.ends_with([';', '{', '}', '(', '\\'])
        || CODE.iter().any(|start| text.starts_with(start))
        || (is_key
            && (text.ends_with(':')
                || text[key.len()..].trim_start().starts_with([':', '=']) && !text.starts_with("http")))
}

#[cfg(test)]
mod tests {
    use super::{headings, is_markdown};

    #[test]
    fn headings_stand_outside_of_fences() {
        let text = "---\ntitle: x\n---\n# Öne #\n\nWords\n\n```sh\n# no\n```\n\nTwo\n---\n~~~~\n## no\n~~~\n~~~~\n   ### Three\n    # no\n\
            #no\n- item\n---\n####### no\n> # no\n## \n|a|\n---\n";
        let found: Vec<_> = headings(text).into_iter().map(|h| (h.line + 1, h.level, h.title)).collect();
        assert_eq!(found, [(4, 1, "Öne"), (12, 2, "Two"), (18, 3, "Three")]);
        for heading in headings(text) {
            let start: String = text.chars().skip(heading.char).collect();
            assert!(start.trim_start_matches([' ', '#']).starts_with(heading.title), "{heading:?}");
        }
    }

    fn known(text: &str) -> bool {
        is_markdown(&text.lines().collect::<Vec<_>>())
    }

    #[test]
    fn markdown_is_known_by_headings_and_prose() {
        assert!(known(
            "# A\n\nSome words that stand here.\n\n## B\n\n- one\n- two\n\n```sh\nls; x = 1;\n```\n\n## C\n\nMore words that stand here.\n"
        ));
        assert!(known(
            "A\n=\n\nA\n===\n\nMany words are in this line.\n\nB\n---\n\nMany words are in this line.\n\n1. one\n2. two\n\nC\n---\n\nEnd of the text is here.\n"
        ));
        for other in [
            // Python, YAML, a script, a difference, a configuration.
            "# first\nimport os\n\n# second\nx = 1\n\n# third\ndef f(a):\n    return a\n\n## fourth\ny = f(x)\n",
            "# first\na:\n  b: 1\n\n# second\nc: 2\n\n## third\nd:\n  - 3\n",
            "#!/bin/sh\n\n# first words here\n\nls\n\n## second words here\n\nls\n\n## third words here\n\nls\n",
            "diff --git a/a.md b/a.md\n@@ -1,3 +1,4 @@\n # A\n\n+## B\n\n some words are here now\n\n## C\n\n## D\n",
            "# Section one\n\nport = 1\nhost = a\n\n## Section two\n\nname = b\nlevel = c\n\n## Section three\n\nx = 1\n",
            "# only\n\nSome words are in this line.\n\n# ones\n\nSome words are in this line.\n\n# here\n\nSome words are in this line.\n",
            // Output with rules under its lines, as of a build that failed.
            "Step one of the build is done\n#9 ERROR: the process has ended badly\n------\n > RUN npm run build now\n\
                the type of this value is wrong\n------\nDockerfile of the web:9\n--------\n  9 | RUN npm run build\n\
                many words are in this line\n--------\nERROR: it failed to solve this\n",
            "From: a\nTo: b\nSubject: c\n\nDear all,\n\nthis is a letter of some words.\n\nBye\n",
        ] {
            assert!(!known(other), "{other}");
        }
    }
}
