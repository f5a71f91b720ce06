//! The number, the duration or the time that a text begins with, as programs print them: `81.9 KiB`, `12:03.5`, `size=3`.

use super::moment::Moment;
use super::quantity::{self, Quantity, spelling};

/// The number that a text begins with in the base of its unit, or the seconds of its time, whose next word may be the time of the day.
pub fn value(text: &str) -> Option<f64> {
    let (whole, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    if !whole.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let next = rest.split_whitespace().next();
    // `size=81.9 KiB,` has its name before it and its unit behind it.
    let bare = |word: &'_ str| word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '%').len();
    let word = &whole[..bare(whole)];
    let word = word.rsplit_once('=').map_or(word, |(_, value)| value);
    if let Some(quantity) = Quantity::parse(word) {
        let next = next.map_or("", |next| &next[..bare(next)]);
        let unit = if quantity.unit.is_empty() { next } else { quantity.unit };
        let factor = quantity::bytes_of(unit).or_else(|| quantity::seconds_of(unit)).unwrap_or(1.0);
        let spelled = [spelling::THOUSANDS, spelling::COMMA].into_iter().find(|way| quantity.spellings & way > 0)?;
        return Some(quantity.value(spelled) * factor);
    }
    if let Some(seconds) = duration(word) {
        return Some(seconds);
    }
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let with_time = next.filter(|next| next.contains(':')).map(|next| &text[offset(word)..offset(next) + next.len()]);
    let moment = with_time.and_then(Moment::parse).or_else(|| Moment::parse(word));
    let (seconds, nanoseconds) = moment.filter(Moment::is_dated)?.instant();
    #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 are far below 2^53")]
    Some(seconds as f64 + f64::from(nanoseconds) / 1e9)
}

/// The seconds of a duration in the form of a clock: `00:00:50`, `12:03.5`.
fn duration(word: &str) -> Option<f64> {
    let mut parts =
        word.split(':').map(|part| part.parse::<f64>().ok().filter(|_| part.starts_with(|c: char| c.is_ascii_digit())));
    let first = parts.next()??;
    let seconds = parts.try_fold(first, |sum, part| Some(sum * 60.0 + part?))?;
    word.contains(':').then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn numbers_are_in_the_base_of_their_units() {
        for (text, wanted) in [
            ("1.5G", Some(1.5 * 1024.0 * 1024.0 * 1024.0)),
            ("81.9 KiB,", Some(81.9 * 1024.0)),
            ("size=3", Some(3.0)),
            ("00:00:50", Some(50.0)),
            ("3%", Some(3.0)),
            ("many", None),
        ] {
            let found = value(text);
            assert!(found.is_none() == wanted.is_none(), "{text}: {found:?}");
            assert!((found.unwrap_or_default() - wanted.unwrap_or_default()).abs() < 1e-6, "{text}: {found:?}");
        }
        let day = value("2026-11-20 10:00:59 a").unwrap_or_default();
        assert!((day - value("2026-11-20 10:00:00").unwrap_or_default() - 59.0).abs() < 1e-6);
    }
}
