//! Times as people and programs write them, as far as is needed to say which of two is later.
//!
//! Read are ISO 8601 and what resembles it (`2026-11-20T09:00:00Z`, `2026/11/20 9:00`, `2026-11`, `2026`), and dates with an
//! English month (`Nov 20 2026`, `20 November 2026`, `Fri, 20 Nov 2026 09:00:00 GMT`). Zones are not compared.

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A date, and the text of the time in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    date: [u32; 3],
    time: String,
}

impl Moment {
    /// The time that a text is; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        // No spelling of a time is longer.
        if !text.is_ascii() || text.len() > 40 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        iso(text).or_else(|| english(text))
    }
}

fn iso(text: &str) -> Option<Moment> {
    let (year, rest) = text.split_at_checked(4)?;
    let year = number(year).filter(|year| (1000..3000).contains(year))?;
    if rest.is_empty() {
        return Some(Moment { date: [year, 0, 0], time: String::new() });
    }
    let (month, rest) = after_separator(rest, 12)?;
    let (day, rest) = match rest {
        "" => (0, ""),
        rest => after_separator(rest, 31)?,
    };
    let time = rest.strip_prefix(['T', 't', ' ']).unwrap_or(rest);
    let is_time = time.is_empty() || time.starts_with(|c: char| c.is_ascii_digit()) && rest.len() > time.len();
    // `9:00` is before `10:00`.
    let hour = if time.as_bytes().get(1) == Some(&b':') { "0" } else { "" };
    is_time.then(|| Moment { date: [year, month, day], time: format!("{hour}{time}") })
}

/// A number of one or two digits after a separator, at most `most`, and what follows.
fn after_separator(text: &str, most: u32) -> Option<(u32, &str)> {
    let text = text.strip_prefix(['-', '/', '.'])?;
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(digits);
    number(digits).filter(|number| (1..=most).contains(number)).map(|number| (number, rest))
}

fn english(text: &str) -> Option<Moment> {
    let words: Vec<&str> = text.split([' ', ',', '-']).filter(|word| !word.is_empty()).collect();
    let month_of = |word: &str| {
        let word = word.trim_end_matches('.').to_ascii_lowercase();
        MONTHS.iter().position(|month| word.starts_with(month) && word.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    let at = words.iter().take(3).position(|word| month_of(word).is_some())?;
    let month = month_of(words[at])? as u32 + 1;
    let is_day = |day: &u32| (1..=31).contains(day);
    let is_year = |year: &u32| (1000..3000).contains(year);
    let before = at.checked_sub(1).and_then(|before| number(words[before])).filter(is_day);
    let mut rest = words[at + 1..].iter();
    let mut next = rest.next();
    let day = match before {
        Some(day) => day,
        None => match next.and_then(|word| number(word)).filter(is_day) {
            Some(day) => {
                next = rest.next();
                day
            }
            None => 0,
        },
    };
    let mut others: Vec<&str> = next.into_iter().chain(rest).copied().collect();
    let year_of = |word: Option<&&str>| word.and_then(|word| number(word)).filter(is_year);
    // `Nov 20 09:00:00 2026` has its year behind the time.
    let year = match year_of(others.first()) {
        Some(year) => others.splice(..1, []).next().map(|_| year),
        None => others
            .pop()
            .and_then(|last| year_of(Some(&last)).filter(|_| others.first().is_some_and(|time| time.contains(':')))),
    }?;
    Some(Moment { date: [year, month, day], time: others.join(" ") })
}

fn number(digits: &str) -> Option<u32> {
    (!digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_ordered() {
        let ordered = [
            ["1999", "2000"],
            ["2000-01", "2000-02"],
            ["2000-01-02", "2000-01-10"],
            ["2000/1/2", "2000/1/10"],
            ["2026-11-20T09:00:00Z", "2026-11-20T09:00:01Z"],
            ["2026-11-20 9:00", "2026-11-20 10:00"],
            ["Jan 1 2000", "Feb 1 2000"],
            ["Dec 1 1999", "Jan 1 2000"],
            ["2 January 2000", "10 January 2000"],
            ["Fri, 20 Nov 2026 09:00:00 GMT", "Fri, 20 Nov 2026 10:00:00 GMT"],
            ["Sept. 3, 2020", "Oct 1, 2020"],
            ["May 2020", "June 2020"],
            ["Fri Nov 20 09:00:00 2026", "Fri Nov 20 09:00:01 2026"],
            ["Wed Oct 10 20:19:24 +0000 2018", "Wed Oct 10 20:19:24 +0000 2019"],
        ];
        for [earlier, later] in ordered {
            let [one, other] = [earlier, later].map(|text| Moment::parse(text).unwrap_or_else(|| panic!("{text}")));
            assert!(one < other, "{earlier} {later}");
        }
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "",
            "abc",
            "12",
            "99999",
            "0001",
            "2000-13-01",
            "2000-01-32",
            "2000-01-01x",
            "Mar",
            "may be 7",
            "Marvin 2000x",
            "1.2.3",
            "é",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
