//! Whether a text is HTML, by its start.

use super::tokens::{HtmlToken, Tokens};
use crate::chars::floor_char;

/// Names of elements, by which a text without a doctype is known to be HTML.
const KNOWN: [&str; 64] = [
    "a", "abbr", "article", "aside", "b", "blockquote", "body", "br", "button", "caption", "center", "cite", "code",
    "col", "dd", "details", "div", "dl", "dt", "em", "fieldset", "figcaption", "figure", "font", "footer", "form",
    "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "i", "iframe", "img", "input", "label", "li",
    "link", "main", "meta", "nav", "ol", "option", "p", "pre", "script", "section", "select", "small", "span",
    "strong", "style", "sup", "table", "tbody", "td", "th", "tr", "ul",
];
/// Elements that a text without a doctype may begin with.
const FIRST: [&str; 23] = [
    "article", "aside", "blockquote", "body", "center", "div", "dl", "figure", "footer", "form", "h1", "h2", "h3",
    "head", "header", "main", "nav", "ol", "p", "section", "style", "table", "ul",
];
/// What code that makes pages contains, and pages do not.
const CODE: [&str; 10] = ["<%", "{%", "{{", "{#if", "{@html", "className=", "={", "=>", "import ", "export default"];
/// What Markdown that begins with HTML contains, as many READMEs do.
const MARKDOWN: [&str; 6] = ["\n# ", "\n## ", "\n### ", "\n- ", "\n```", "]("];
/// The number of tags that are looked at; a text without a doctype has at least this many.
const LOOKED_AT: usize = 200;
const MIN_TAGS: usize = 10;

/// Bytes of the text that may come before a page.
const PREFACE: usize = 4_000;

/// Where the page begins in a text that has some lines before it, as `Contents of https://…:` or the head of an HTTP response;
/// 0 if the page, whatever it is, is not declared as one.
pub fn preface_end(text: &str) -> usize {
    let head = &text[..floor_char(text, PREFACE)];
    let Some(at) = head.find('<').filter(|&at| is_declared(&text[at..])) else { return 0 };
    // A page in a fence of Markdown or in a string of a program is part of a longer text.
    let before = text[..at].trim_end_matches([' ', '\t']);
    let is_whole = before.ends_with(['\n', ':']) && !before.contains('`');
    if is_whole && !before.trim_end().ends_with(['"', '\'', '(', '{', '=', '\\']) { at } else { 0 }
}

/// Whether a text begins as a page does that says so.
fn is_declared(text: &str) -> bool {
    let begins = |with: &str| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    begins("<!doctype html") || (begins("<html") && text[5..].starts_with(|c: char| c == '>' || c.is_whitespace()))
}

/// Whether a text that begins like this is a page, and neither XML nor code that makes pages.
pub fn is_page(start: &str) -> bool {
    let mut text = start[preface_end(start)..].trim_start_matches('\u{feff}').trim_start();
    let mut is_xml = false;
    loop {
        let rest = match text {
            _ if text.starts_with("<!--") => text.find("-->").map(|end| &text[end + 3..]),
            _ if text.starts_with("<?xml ") => {
                is_xml = true;
                text.find("?>").map(|end| &text[end + 2..])
            }
            _ => break,
        };
        let Some(rest) = rest else { return false };
        text = rest.trim_start();
    }
    let is_declared = is_declared(text);
    let is_code = Tokens::new(text).take(LOOKED_AT).any(|token| match token {
        HtmlToken::Text(text) => {
            CODE.iter().any(|code| text.contains(code) && (!is_declared || code.starts_with(['<', '{'])))
        }
        HtmlToken::Start(tag) => CODE.iter().any(|code| tag.source.contains(code)),
        _ => false,
    });
    if is_code || text.contains("<?php") || text.contains("<?=") {
        return false;
    }
    if is_declared {
        return true;
    }
    if is_xml {
        return false;
    }
    let (mut tags, mut known, mut is_first) = (0, 0, true);
    for token in Tokens::new(text).take(LOOKED_AT) {
        let name = match &token {
            HtmlToken::Start(tag) => &*tag.name,
            HtmlToken::End(name) => &**name,
            HtmlToken::Raw { .. } => continue,
            HtmlToken::Text(text) if is_first && !text.trim().is_empty() => return false,
            HtmlToken::Text(text) if MARKDOWN.iter().any(|mark| text.contains(mark)) => return false,
            HtmlToken::Text(_) => continue,
        };
        if is_first && !FIRST.contains(&name) {
            return false;
        }
        is_first = false;
        // Elements of others are in pages too: `o:p`, `ac:image`, `my-menu`.
        if name.contains([':', '-']) {
            continue;
        }
        tags += 1;
        known += usize::from(KNOWN.contains(&name));
    }
    tags >= MIN_TAGS && known * 10 >= tags * 9
}

#[cfg(test)]
mod tests {
    use super::is_page;

    #[test]
    fn pages_are_known_by_their_start() {
        let tags = "<p>a <b>b</b></p>".repeat(4);
        for html in [
            "<!doctype HTML>\n<p>x",
            &format!("<p>a</p>{}{tags}", "<ac:macro ac:name=\"code\"><ac:body>b</ac:body></ac:macro>".repeat(20)),
            "\u{feff} <!-- a --><html lang=en>",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"x\">",
            &format!("<div>{tags}</div>"),
            &format!("<style>p {{ color: red }}</style><script>var a = 1</script><div>{tags}</div>"),
            "Contents of https://x.test/?a=b:\n<!DOCTYPE html><html>",
            "Raw content follows.\nContents: <html>",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html>",
        ] {
            assert!(is_page(html), "{html}");
        }
        for other in [
            "<?xml version=\"1.0\"?><rss><channel><title>a</title></channel></rss>",
            "<svg><path/></svg>",
            "<project><dependency/></project>",
            "<htmlx>",
            &format!("<div className=\"a\">{tags}</div>"),
            &format!("<div>{{{{ user.name }}}}{tags}</div>"),
            &format!("<style>p {{ color: red }}</style><template><p>{{{{ name }}}}</p>{tags}</template>"),
            "<!doctype html>{% extends 'a' %}",
            "<!doctype html><body><?php echo 1 ?>",
            &format!("a text about {tags}"),
            "<p>one</p>",
            &format!("<div align=\"center\">{tags}</div>\n\n# A crate\n\nWords\n"),
            "List<String> a = new List<>();",
            "A page:\n```html\n<!doctype html>\n```\n",
            "page = \"\"\"\n<!doctype html>",
            "const page = (\n<html>",
            "The tag <html> begins a page",
            "A page begins with <html>",
        ] {
            assert!(!is_page(other), "{other}");
        }
    }
}
