//! Text and numbers in HTML and SVG.

use toolshape::host::printable_within;

/// The characters that are shown of a name or a sentence of a server.
const CHARS: usize = 120;

/// The width of a character of labels, which are monospaced, in tenths of a pixel.
pub(super) const LETTER: usize = 67;

/// The widths of the pictures on a telephone, on a narrow screen and on a wide one, in pixels; the classes of what is shown
/// only on the latter two.
const SCREENS: [(usize, &str); 3] = [(320, ""), (660, " class=\"m\""), (980, " class=\"w\"")];

/// What a server says, as text of an element or of an attribute in double quotes.
pub(super) fn text(text: &str) -> String {
    text_within(text, CHARS)
}

/// The same, cut to this many characters.
pub(super) fn text_within(text: &str, most: usize) -> String {
    let mut out = String::new();
    for c in printable_within(text, most).chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            _ => out.push(c),
        }
    }
    out
}

/// Hundredths of a percent as a percentage of SVG.
pub(super) fn share(hundredths: usize) -> String {
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    match (rest, rest % 10) {
        (0, _) => format!("{whole}%"),
        (_, 0) => format!("{whole}.{}%", rest / 10),
        _ => format!("{whole}.{rest:02}%"),
    }
}

/// A label that fits a width in hundredths of a percent, and the class of the screens where it does. It is cut for the widest
/// screen; nothing if even that leaves no word of it.
pub(super) fn label(said: &str, width: usize) -> Option<(String, &'static str)> {
    let chars = |screen: usize| (screen * width / 1000).saturating_sub(80) / LETTER;
    let length = said.chars().count();
    for (screen, class) in SCREENS {
        if length <= chars(screen) {
            return Some((text(said), class));
        }
    }
    let (screen, class) = SCREENS[SCREENS.len() - 1];
    let most = chars(screen);
    (most >= 5).then(|| (text_within(said, most), class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_stays_text() {
        let hostile = "</script><img src=x onerror='a'>\"&\u{202e}\u{0}\n";
        let escaped = r"&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&quot;&amp;\u{202e}\u{0}\u{a}";
        assert_eq!(text(hostile), escaped);
        assert_eq!(text(&"&".repeat(100_000)).len(), "&amp;".len() * 119 + "…".len());
    }

    #[test]
    fn shares_are_written_as_short_as_they_are_exact() {
        assert_eq!([0, 5, 50, 1234, 10_000].map(share), ["0%", "0.05%", "0.5%", "12.34%", "100%"]);
    }

    #[test]
    fn a_label_is_on_the_screens_where_it_fits() {
        assert_eq!(label("list", 10_000), Some(("list".to_owned(), "")));
        assert_eq!(label("list_articles", 2000).unwrap().1, " class=\"m\"");
        assert_eq!(label("list_articles_of_all", 1000), Some(("list_article…".to_owned(), " class=\"w\"")));
        assert_eq!(label("list", 100), None);
    }
}
