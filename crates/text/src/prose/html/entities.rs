//! Character references of HTML: those by number, and the names of HTML 4 with some that came later. A name that is not
//! known stays as it is written, so nothing is lost. Today's HTML has 2,231 names, most of which no page uses.

use std::borrow::Cow;

/// Names and their characters, several on a line.
macro_rules! names {
    ($($name:ident $character:literal)*) => { [$((stringify!($name), $character)),*] };
}

/// The names whose semicolon is optional, sorted.
const OLD: [(&str, char); 106] = names! {
    AElig 'Æ' AMP '&' Aacute 'Á' Acirc 'Â' Agrave 'À' Aring 'Å' Atilde 'Ã' Auml 'Ä' COPY '©' Ccedil 'Ç' ETH 'Ð'
    Eacute 'É' Ecirc 'Ê' Egrave 'È' Euml 'Ë' GT '>' Iacute 'Í' Icirc 'Î' Igrave 'Ì' Iuml 'Ï' LT '<' Ntilde 'Ñ'
    Oacute 'Ó' Ocirc 'Ô' Ograve 'Ò' Oslash 'Ø' Otilde 'Õ' Ouml 'Ö' QUOT '"' REG '®' THORN 'Þ' Uacute 'Ú' Ucirc 'Û'
    Ugrave 'Ù' Uuml 'Ü' Yacute 'Ý' aacute 'á' acirc 'â' acute '´' aelig 'æ' agrave 'à' amp '&' aring 'å' atilde 'ã'
    auml 'ä' brvbar '¦' ccedil 'ç' cedil '¸' cent '¢' copy '©' curren '¤' deg '°' divide '÷' eacute 'é' ecirc 'ê'
    egrave 'è' eth 'ð' euml 'ë' frac12 '½' frac14 '¼' frac34 '¾' gt '>' iacute 'í' icirc 'î' iexcl '¡' igrave 'ì'
    iquest '¿' iuml 'ï' laquo '«' lt '<' macr '¯' micro 'µ' middot '·' nbsp '\u{a0}' not '¬' ntilde 'ñ' oacute 'ó'
    ocirc 'ô' ograve 'ò' ordf 'ª' ordm 'º' oslash 'ø' otilde 'õ' ouml 'ö' para '¶' plusmn '±' pound '£' quot '"'
    raquo '»' reg '®' sect '§' shy '\u{ad}' sup1 '¹' sup2 '²' sup3 '³' szlig 'ß' thorn 'þ' times '×' uacute 'ú'
    ucirc 'û' ugrave 'ù' uml '¨' uuml 'ü' yacute 'ý' yen '¥' yuml 'ÿ'
};
/// All other names, sorted.
const NAMES: [(&str, char); 258] = names! {
    Alpha 'Α' Aogon 'Ą' Beta 'Β' Cacute 'Ć' Ccaron 'Č' Chi 'Χ' Dagger '‡' Delta 'Δ' Dstrok 'Đ' Ecaron 'Ě' Eogon 'Ę'
    Epsilon 'Ε' Eta 'Η' Gamma 'Γ' Gbreve 'Ğ' Hat '^' Idot 'İ' Iota 'Ι' Kappa 'Κ' Lambda 'Λ' Lstrok 'Ł' Mu 'Μ'
    Nacute 'Ń' Ncaron 'Ň' NewLine '\n' Nu 'Ν' OElig 'Œ' Odblac 'Ő' Omega 'Ω' Omicron 'Ο' Phi 'Φ' Pi 'Π' Prime '″'
    Psi 'Ψ' Rcaron 'Ř' Rho 'Ρ' Sacute 'Ś' Scaron 'Š' Scedil 'Ş' Sigma 'Σ' Tab '\t' Tau 'Τ' Theta 'Θ' Udblac 'Ű'
    Upsilon 'Υ' Uring 'Ů' Xi 'Ξ' Yuml 'Ÿ' Zacute 'Ź' Zcaron 'Ž' Zdot 'Ż' Zeta 'Ζ' alefsym 'ℵ' alpha 'α' amacr 'ā'
    amp '&' and '∧' ang '∠' aogon 'ą' apos '\'' approx '≈' ast '*' asymp '≈' bdquo '„' beta 'β' bigstar '★'
    blacksquare '▪' block '█' bsol '\\' bull '•' cacute 'ć' cap '∩' caron 'ˇ' ccaron 'č' check '✓' checkmark '✓'
    chi 'χ' circ 'ˆ' clubs '♣' colon ':' comma ',' commat '@' cong '≅' crarr '↵' cross '✗' cup '∪' dArr '⇓' dagger '†'
    darr '↓' dash '‐' dcaron 'ď' delta 'δ' diams '♦' dollar '$' dstrok 'đ' dtri '▿' ecaron 'ě' emacr 'ē' empty '∅'
    emsp '\u{2003}' ensp '\u{2002}' eogon 'ę' epsilon 'ε' equals '=' equiv '≡' eta 'η' euro '€' excl '!' exist '∃'
    female '♀' fnof 'ƒ' forall '∀' frasl '⁄' gamma 'γ' gbreve 'ğ' ge '≥' grave '`' gt '>' hArr '⇔' harr '↔' hearts '♥'
    hellip '…' hyphen '‐' imacr 'ī' image 'ℑ' infin '∞' inodot 'ı' int '∫' iota 'ι' isin '∈' kappa 'κ' lArr '⇐'
    lambda 'λ' lang '〈' larr '←' lbrace '{' lbrack '[' lceil '⌈' lcub '{' ldquo '“' le '≤' lfloor '⌊' lowast '∗'
    lowbar '_' loz '◊' lpar '(' lrm '\u{200e}' lsaquo '‹' lsqb '[' lsquo '‘' lstrok 'ł' lt '<' ltri '◃' male '♂'
    mdash '—' minus '−' mu 'μ' nabla '∇' nacute 'ń' ncaron 'ň' ndash '–' ne '≠' ni '∋' notin '∉' nsub '⊄' nu 'ν'
    num '#' numero '№' odblac 'ő' oelig 'œ' oline '‾' omacr 'ō' omega 'ω' omicron 'ο' oplus '⊕' or '∨' otimes '⊗'
    part '∂' percnt '%' period '.' permil '‰' perp '⊥' phi 'φ' phone '☎' pi 'π' piv 'ϖ' plus '+' prime '′' prod '∏'
    prop '∝' psi 'ψ' quest '?' quot '"' rArr '⇒' radic '√' rang '〉' rarr '→' rbrace '}' rbrack ']' rcaron 'ř'
    rceil '⌉' rcub '}' rdquo '”' real 'ℜ' rfloor '⌋' rho 'ρ' rlm '\u{200f}' rpar ')' rsaquo '›' rsqb ']' rsquo '’'
    rtri '▹' sacute 'ś' sbquo '‚' scaron 'š' scedil 'ş' sdot '⋅' semi ';' sigma 'σ' sigmaf 'ς' sim '∼' sol '/'
    spades '♠' squ '□' square '□' star '☆' starf '★' sub '⊂' sube '⊆' sum '∑' sup '⊃' supe '⊇' tau 'τ' tcaron 'ť'
    there4 '∴' theta 'θ' thetasym 'ϑ' thinsp '\u{2009}' tilde '˜' trade '™' uArr '⇑' uarr '↑' udblac 'ű' umacr 'ū'
    upsih 'ϒ' upsilon 'υ' uring 'ů' utri '▵' verbar '|' vert '|' weierp '℘' xi 'ξ' zacute 'ź' zcaron 'ž' zdot 'ż'
    zeta 'ζ' zwj '\u{200d}' zwnj '\u{200c}'
};
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

/// The character that a text refers to after a `&`, and the bytes that the reference takes.
pub fn reference(text: &str) -> Option<(char, usize)> {
    number(text).or_else(|| name(text, false))
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
    if text[len..].starts_with(';') {
        let whole = |names: &[(&str, char)]| {
            names.binary_search_by_key(&&text[..len], |(name, _)| name).ok().map(|at| names[at].1)
        };
        // Nearly all references have one of these names.
        let common = match &text[..len] {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "nbsp" => Some('\u{a0}'),
            _ => None,
        };
        if let Some(character) = common.or_else(|| whole(&OLD)).or_else(|| whole(&NAMES)) {
            return Some((character, len + 1));
        }
    }
    let (character, len) = longest(&OLD, &text[..len])?;
    let goes_on = text[len..].starts_with(|c: char| c == '=' || c.is_ascii_alphanumeric());
    (!(is_attribute && goes_on)).then_some((character, len))
}

/// The longest name that the text begins with: the character, and the bytes of the name.
fn longest(names: &[(&str, char)], text: &str) -> Option<(char, usize)> {
    let (mut range, mut found) = (names, None);
    for (at, byte) in text.bytes().enumerate() {
        let next = |name: &str| name.as_bytes().get(at).copied();
        let start = range.partition_point(|(name, _)| next(name) < Some(byte));
        let end = range.partition_point(|(name, _)| next(name) <= Some(byte));
        range = &range[start..end];
        let Some(&(name, character)) = range.first() else { break };
        if name.len() == at + 1 {
            found = Some((character, name.len()));
        }
    }
    found
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
        assert!(NAMES.is_sorted() && OLD.is_sorted());
    }
}
