//! Character references of HTML: those by number, and the names of HTML 4 with some that came later. A name that is not
//! known stays as it is written, so nothing is lost. Today's HTML has 2,231 names, most of which no page uses.

use std::borrow::Cow;

/// The names of U+00A0 to U+00FF, in order. The semicolon is optional.
const LATIN: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 \
    sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc \
    Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve \
    Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute \
    acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde \
    ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
/// Others whose semicolon is optional.
const OLD: [(&str, char); 8] =
    [("AMP", '&'), ("COPY", '©'), ("GT", '>'), ("LT", '<'), ("QUOT", '"'), ("REG", '®'), ("amp", '&'), ("gt", '>')];
/// All other names, sorted.
const NAMES: [(&str, char); 258] = [
    ("Alpha", 'Α'),
    ("Aogon", 'Ą'),
    ("Beta", 'Β'),
    ("Cacute", 'Ć'),
    ("Ccaron", 'Č'),
    ("Chi", 'Χ'),
    ("Dagger", '‡'),
    ("Delta", 'Δ'),
    ("Dstrok", 'Đ'),
    ("Ecaron", 'Ě'),
    ("Eogon", 'Ę'),
    ("Epsilon", 'Ε'),
    ("Eta", 'Η'),
    ("Gamma", 'Γ'),
    ("Gbreve", 'Ğ'),
    ("Hat", '^'),
    ("Idot", 'İ'),
    ("Iota", 'Ι'),
    ("Kappa", 'Κ'),
    ("Lambda", 'Λ'),
    ("Lstrok", 'Ł'),
    ("Mu", 'Μ'),
    ("Nacute", 'Ń'),
    ("Ncaron", 'Ň'),
    ("NewLine", '\n'),
    ("Nu", 'Ν'),
    ("OElig", 'Œ'),
    ("Odblac", 'Ő'),
    ("Omega", 'Ω'),
    ("Omicron", 'Ο'),
    ("Phi", 'Φ'),
    ("Pi", 'Π'),
    ("Prime", '″'),
    ("Psi", 'Ψ'),
    ("Rcaron", 'Ř'),
    ("Rho", 'Ρ'),
    ("Sacute", 'Ś'),
    ("Scaron", 'Š'),
    ("Scedil", 'Ş'),
    ("Sigma", 'Σ'),
    ("Tab", '\t'),
    ("Tau", 'Τ'),
    ("Theta", 'Θ'),
    ("Udblac", 'Ű'),
    ("Upsilon", 'Υ'),
    ("Uring", 'Ů'),
    ("Xi", 'Ξ'),
    ("Yuml", 'Ÿ'),
    ("Zacute", 'Ź'),
    ("Zcaron", 'Ž'),
    ("Zdot", 'Ż'),
    ("Zeta", 'Ζ'),
    ("alefsym", 'ℵ'),
    ("alpha", 'α'),
    ("amacr", 'ā'),
    ("amp", '&'),
    ("and", '∧'),
    ("ang", '∠'),
    ("aogon", 'ą'),
    ("apos", '\''),
    ("approx", '≈'),
    ("ast", '*'),
    ("asymp", '≈'),
    ("bdquo", '„'),
    ("beta", 'β'),
    ("bigstar", '★'),
    ("blacksquare", '▪'),
    ("block", '█'),
    ("bsol", '\\'),
    ("bull", '•'),
    ("cacute", 'ć'),
    ("cap", '∩'),
    ("caron", 'ˇ'),
    ("ccaron", 'č'),
    ("check", '✓'),
    ("checkmark", '✓'),
    ("chi", 'χ'),
    ("circ", 'ˆ'),
    ("clubs", '♣'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("cong", '≅'),
    ("crarr", '↵'),
    ("cross", '✗'),
    ("cup", '∪'),
    ("dArr", '⇓'),
    ("dagger", '†'),
    ("darr", '↓'),
    ("dash", '‐'),
    ("dcaron", 'ď'),
    ("delta", 'δ'),
    ("diams", '♦'),
    ("dollar", '$'),
    ("dstrok", 'đ'),
    ("dtri", '▿'),
    ("ecaron", 'ě'),
    ("emacr", 'ē'),
    ("empty", '∅'),
    ("emsp", '\u{2003}'),
    ("ensp", '\u{2002}'),
    ("eogon", 'ę'),
    ("epsilon", 'ε'),
    ("equals", '='),
    ("equiv", '≡'),
    ("eta", 'η'),
    ("euro", '€'),
    ("excl", '!'),
    ("exist", '∃'),
    ("female", '♀'),
    ("fnof", 'ƒ'),
    ("forall", '∀'),
    ("frasl", '⁄'),
    ("gamma", 'γ'),
    ("gbreve", 'ğ'),
    ("ge", '≥'),
    ("grave", '`'),
    ("gt", '>'),
    ("hArr", '⇔'),
    ("harr", '↔'),
    ("hearts", '♥'),
    ("hellip", '…'),
    ("hyphen", '‐'),
    ("imacr", 'ī'),
    ("image", 'ℑ'),
    ("infin", '∞'),
    ("inodot", 'ı'),
    ("int", '∫'),
    ("iota", 'ι'),
    ("isin", '∈'),
    ("kappa", 'κ'),
    ("lArr", '⇐'),
    ("lambda", 'λ'),
    ("lang", '〈'),
    ("larr", '←'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lceil", '⌈'),
    ("lcub", '{'),
    ("ldquo", '“'),
    ("le", '≤'),
    ("lfloor", '⌊'),
    ("lowast", '∗'),
    ("lowbar", '_'),
    ("loz", '◊'),
    ("lpar", '('),
    ("lrm", '\u{200e}'),
    ("lsaquo", '‹'),
    ("lsqb", '['),
    ("lsquo", '‘'),
    ("lstrok", 'ł'),
    ("lt", '<'),
    ("ltri", '◃'),
    ("male", '♂'),
    ("mdash", '—'),
    ("minus", '−'),
    ("mu", 'μ'),
    ("nabla", '∇'),
    ("nacute", 'ń'),
    ("ncaron", 'ň'),
    ("ndash", '–'),
    ("ne", '≠'),
    ("ni", '∋'),
    ("notin", '∉'),
    ("nsub", '⊄'),
    ("nu", 'ν'),
    ("num", '#'),
    ("numero", '№'),
    ("odblac", 'ő'),
    ("oelig", 'œ'),
    ("oline", '‾'),
    ("omacr", 'ō'),
    ("omega", 'ω'),
    ("omicron", 'ο'),
    ("oplus", '⊕'),
    ("or", '∨'),
    ("otimes", '⊗'),
    ("part", '∂'),
    ("percnt", '%'),
    ("period", '.'),
    ("permil", '‰'),
    ("perp", '⊥'),
    ("phi", 'φ'),
    ("phone", '☎'),
    ("pi", 'π'),
    ("piv", 'ϖ'),
    ("plus", '+'),
    ("prime", '′'),
    ("prod", '∏'),
    ("prop", '∝'),
    ("psi", 'ψ'),
    ("quest", '?'),
    ("quot", '"'),
    ("rArr", '⇒'),
    ("radic", '√'),
    ("rang", '〉'),
    ("rarr", '→'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rcaron", 'ř'),
    ("rceil", '⌉'),
    ("rcub", '}'),
    ("rdquo", '”'),
    ("real", 'ℜ'),
    ("rfloor", '⌋'),
    ("rho", 'ρ'),
    ("rlm", '\u{200f}'),
    ("rpar", ')'),
    ("rsaquo", '›'),
    ("rsqb", ']'),
    ("rsquo", '’'),
    ("rtri", '▹'),
    ("sacute", 'ś'),
    ("sbquo", '‚'),
    ("scaron", 'š'),
    ("scedil", 'ş'),
    ("sdot", '⋅'),
    ("semi", ';'),
    ("sigma", 'σ'),
    ("sigmaf", 'ς'),
    ("sim", '∼'),
    ("sol", '/'),
    ("spades", '♠'),
    ("squ", '□'),
    ("square", '□'),
    ("star", '☆'),
    ("starf", '★'),
    ("sub", '⊂'),
    ("sube", '⊆'),
    ("sum", '∑'),
    ("sup", '⊃'),
    ("supe", '⊇'),
    ("tau", 'τ'),
    ("tcaron", 'ť'),
    ("there4", '∴'),
    ("theta", 'θ'),
    ("thetasym", 'ϑ'),
    ("thinsp", '\u{2009}'),
    ("tilde", '˜'),
    ("trade", '™'),
    ("uArr", '⇑'),
    ("uarr", '↑'),
    ("udblac", 'ű'),
    ("umacr", 'ū'),
    ("upsih", 'ϒ'),
    ("upsilon", 'υ'),
    ("uring", 'ů'),
    ("utri", '▵'),
    ("verbar", '|'),
    ("vert", '|'),
    ("weierp", '℘'),
    ("xi", 'ξ'),
    ("zacute", 'ź'),
    ("zcaron", 'ž'),
    ("zdot", 'ż'),
    ("zeta", 'ζ'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
];
/// What the numbers 128 to 159 mean: characters of Windows-1252.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
/// The longest name.
const NAME_BYTES: usize = 12;

/// The text with its character references resolved. In an attribute a name without a semicolon is none if a letter, a
/// digit or `=` follows.
pub(super) fn decoded(text: &str, is_attribute: bool) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'&', text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(after) = rest.strip_prefix('&') {
        let found = number(after).or_else(|| name(after, is_attribute));
        rest = match found {
            Some((character, bytes)) => {
                out.push(character);
                &after[bytes..]
            }
            None => {
                out.push('&');
                after
            }
        };
        let next = memchr::memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
        out.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    Cow::Owned(out)
}

/// A reference by number after its `&`: the character, and the bytes that it takes.
fn number(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix('#')?;
    let (radix, digits) = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => (16, digits),
        None => (10, digits),
    };
    let len = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    if len == 0 {
        return None;
    }
    let code = u32::from_str_radix(&digits[..len], radix).unwrap_or(u32::MAX);
    let character = match code {
        0 => None,
        128..=159 => WINDOWS.chars().nth(code as usize - 128),
        _ => char::from_u32(code),
    };
    let bytes = text.len() - digits.len() + len;
    let end = bytes + usize::from(text[bytes..].starts_with(';'));
    Some((character.unwrap_or('\u{fffd}'), end))
}

/// A reference by name after its `&`.
fn name(text: &str, is_attribute: bool) -> Option<(char, usize)> {
    let len = text.bytes().take(NAME_BYTES).take_while(u8::is_ascii_alphanumeric).count();
    if text[len..].starts_with(';')
        && let Some(character) = old(&text[..len]).or_else(|| new(&text[..len]))
    {
        return Some((character, len + 1));
    }
    let (character, len) = (2..=len).rev().find_map(|len| Some((old(&text[..len])?, len)))?;
    let goes_on = text[len..].starts_with(|c: char| c == '=' || c.is_ascii_alphanumeric());
    (!(is_attribute && goes_on)).then_some((character, len))
}

fn old(name: &str) -> Option<char> {
    let known = match name {
        "lt" => Some('<'),
        "quot" => Some('"'),
        _ => OLD.iter().find(|(known, _)| *known == name).map(|(_, character)| *character),
    };
    known.or_else(|| {
        let at = LATIN.split(' ').position(|known| known == name)?;
        char::from_u32(0xa0 + at as u32)
    })
}

fn new(name: &str) -> Option<char> {
    NAMES.binary_search_by(|(known, _)| (*known).cmp(name)).ok().map(|at| NAMES[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved() {
        for (text, decoded_text) in [
            ("&lt;p&gt; &amp;amp; &quot;&apos;", "<p> &amp; \"'"),
            ("&#233;&#xE9;&#XE9;&eacute;&eacute", "ééééé"),
            ("&#128;&#0;&#x110000;&#99999999999;", "€\u{fffd}\u{fffd}\u{fffd}"),
            ("&copy2026 &notit; &nope; & &; &#; &#x; a&b", "©2026 ¬it; &nope; & &; &#; &#x; a&b"),
            ("&alpha;&Omega;&hellip;&rarr;&yuml;&nbsp;", "αΩ…→ÿ\u{a0}"),
        ] {
            assert_eq!(decoded(text, false), decoded_text);
        }
        assert_eq!(decoded("?a=1&copy=2&reg_id&lt;", true), "?a=1&copy=2®_id<");
        assert!(NAMES.is_sorted() && LATIN.split(' ').count() == 96);
    }
}
