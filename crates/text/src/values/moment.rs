//! Times as people and programs write them, as far as is needed to say which of two is later.
//!
//! Read are ISO 8601 and what resembles it (`2026-11-20T09:00:00+01:00`, `2026/11/20 9:00`, `2026-11`, `2026`), dates with an
//! English month (`Nov 20 2026`, `20 November 2026`, `Fri, 20 Nov 2026 09:00:00 GMT`), and those of access logs
//! (`20/Nov/2026:09:00:00 +0000`). A time without an offset is taken as UTC.

use std::cmp::Ordering;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// No spelling of a time is longer.
const LONGEST: usize = 40;
const SECONDS_OF_DAY: i64 = 86_400;

/// A time: a date, what is known of the time of the day, and the offset of its zone.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Year, month and day; 0 where it is not written.
    date: [u32; 3],
    clock: Option<Clock>,
    /// Whether it is written as ISO 8601, or nearly.
    pub is_iso: bool,
}

/// A time of the day.
#[derive(Clone, Copy, Debug)]
struct Clock {
    seconds: u32,
    nanoseconds: u32,
    /// Minutes east of UTC.
    offset: Option<i32>,
}

impl Moment {
    /// The time that a text is; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_ascii();
        if !text.is_ascii() || text.len() > LONGEST || !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        iso(text).or_else(|| english(text))
    }

    /// Seconds since 1970 in UTC, and nanoseconds.
    pub fn instant(&self) -> (i64, u32) {
        let [year, month, day] = self.date.map(i64::from);
        let days = days_before(year, month.max(1)) + day.max(1) - 1;
        let (seconds, nanoseconds, offset) =
            self.clock.map_or((0, 0, 0), |clock| (clock.seconds, clock.nanoseconds, clock.offset.unwrap_or(0)));
        (days * SECONDS_OF_DAY + i64::from(seconds) - 60 * i64::from(offset), nanoseconds)
    }

    /// Whether it has a year, a month and a day.
    pub fn is_dated(&self) -> bool {
        self.date.iter().all(|part| *part > 0)
    }

    /// The same in ISO 8601, in its own zone.
    pub fn written(&self) -> String {
        let [year, month, day] = self.date;
        let mut out = format!("{year:04}-{month:02}-{day:02}");
        let Some(Clock { seconds, nanoseconds, offset }) = self.clock else { return out };
        out += &format!("T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        if nanoseconds > 0 {
            out += format!(".{nanoseconds:09}").trim_end_matches('0');
        }
        match offset {
            Some(0) => out.push('Z'),
            Some(offset) => {
                let sign = if offset < 0 { '-' } else { '+' };
                out += &format!("{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60);
            }
            None => {}
        }
        out
    }
}

/// Compares two texts as times, or as those of a clock, if both are; any time is before any other text.
pub fn compare(a: &str, b: &str) -> Ordering {
    match (Moment::parse(a), Moment::parse(b)) {
        (Some(a), Some(b)) => a.instant().cmp(&b.instant()),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => match (clock_seconds(a), clock_seconds(b)) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => a.cmp(b),
        },
    }
}

/// The seconds of a time of the day or a duration in the form of a clock: `9:05 PM`, `00:00:50`, `12:03.5`, `1-02:03:04` with days.
pub fn clock_seconds(text: &str) -> Option<f64> {
    let text = text.trim_ascii();
    let half = |mark: &str| {
        let at = text.len().checked_sub(mark.len()).filter(|&at| text.is_char_boundary(at))?;
        text[at..].eq_ignore_ascii_case(mark).then(|| text[..at].trim_ascii_end())
    };
    let (time, afternoon) = match (half("am"), half("pm")) {
        (Some(time), _) => (time, Some(false)),
        (None, Some(time)) => (time, Some(true)),
        (None, None) => (text, None),
    };
    let (days, time) = time.split_once('-').map_or((Some(0.0), time), |(days, time)| (digits(days), time));
    let mut parts = time.split(':').enumerate().map(|(at, part)| {
        let (whole, fraction) = part.split_once('.').unwrap_or((part, "0"));
        let is_part = at == 0 || whole.len() == 2 && number(whole).is_some_and(|part| part < 60);
        is_part.then_some(())?;
        digits(fraction)?;
        digits(whole)?;
        part.parse::<f64>().ok()
    });
    let first = parts.next()??;
    let seconds = parts.try_fold(first, |sum, part| Some(sum * 60.0 + part?))?;
    let colons = time.matches(':').count();
    let seconds = match afternoon {
        Some(afternoon) if (1.0..13.0).contains(&first) => {
            let unit = 60_f64.powi(i32::try_from(colons).ok()?);
            seconds - if first >= 12.0 { 12.0 * unit } else { 0.0 } + if afternoon { 12.0 * unit } else { 0.0 }
        }
        Some(_) => return None,
        None => seconds,
    };
    #[expect(clippy::cast_precision_loss, reason = "it is small")]
    let of_days = days? * SECONDS_OF_DAY as f64;
    (1..=2).contains(&colons).then_some(of_days + seconds)
}

/// A number of few digits.
fn digits(text: &str) -> Option<f64> {
    (text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// The orders in which day and month of a date may be written, as bits.
pub mod order {
    /// `31/12/2022`
    pub const DAY_FIRST: u8 = 1;
    /// `12/31/2022`
    pub const MONTH_FIRST: u8 = 2;
}

/// The orders that a date with its year behind day and month may have; 0 for any other text. With points the day is first.
pub fn orders(text: &str) -> u8 {
    let Some(([first, second], separator, _, _)) = of_numbers(text) else { return 0 };
    let mut all = 0;
    if first <= 31 && second <= 12 {
        all |= order::DAY_FIRST;
    }
    if first <= 12 && second <= 31 && separator != '.' {
        all |= order::MONTH_FIRST;
    }
    all
}

impl Moment {
    /// The time that a text with its year behind day and month is, in one of the orders.
    pub fn in_order(text: &str, written: u8) -> Option<Self> {
        let ([first, second], _, year, clock) = of_numbers(text).filter(|_| orders(text) & written > 0)?;
        let [day, month] = if written == order::DAY_FIRST { [first, second] } else { [second, first] };
        Some(Self { date: [year, month, day], clock, is_iso: false })
    }
}

/// The first two numbers of a date, what is between them, the year, and the time of the day.
fn of_numbers(text: &str) -> Option<([u32; 2], char, u32, Option<Clock>)> {
    let text = text.trim_ascii();
    if text.len() > LONGEST {
        return None;
    }
    let (date, time) = text.split_at(text.find([' ', ',', 'T']).unwrap_or(text.len()));
    let separator = date.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '/' | '.' | '-'))?;
    let mut parts = date.split(separator);
    let mut next = |len: std::ops::RangeInclusive<usize>| {
        parts.next().filter(|part| len.contains(&part.len())).and_then(number).filter(|&number| number > 0)
    };
    let (first, second, year) = (next(1..=2)?, next(1..=2)?, next(4..=4)?);
    if parts.next().is_some() {
        return None;
    }
    let time = time.trim_start_matches([' ', ',', 'T']);
    let clock = if time.is_empty() { None } else { Some(clock(time)?) };
    Some(([first, second], separator, year, clock))
}

/// Days from 1970 to the first of a month, in the Gregorian calendar.
fn days_before(year: i64, month: i64) -> i64 {
    // Years begin in March, so that a leap day is the last.
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

fn iso(text: &str) -> Option<Moment> {
    let (year, rest) = text.split_at_checked(4)?;
    let year = number(year).filter(|year| (1000..3000).contains(year))?;
    let moment = |date, clock| Some(Moment { date, clock, is_iso: true });
    if rest.is_empty() {
        return moment([year, 0, 0], None);
    }
    let (month, rest) = after_separator(rest, 12)?;
    if rest.is_empty() {
        return moment([year, month, 0], None);
    }
    let (day, rest) = after_separator(rest, 31)?;
    match rest.strip_prefix(['T', 't', ' ', ':']) {
        None if rest.is_empty() => moment([year, month, day], None),
        Some(time) => moment([year, month, day], Some(clock(time.trim_start())?)),
        None => None,
    }
}

/// A number of one or two digits after a separator, at most `most`, and what follows.
fn after_separator(text: &str, most: u32) -> Option<(u32, &str)> {
    let text = text.strip_prefix(['-', '/', '.'])?;
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(digits);
    number(digits).filter(|number| (1..=most).contains(number)).map(|number| (number, rest))
}

/// A time of the day with its zone: `9:00`, `09:00:00.25Z`, `10:00 AM`, `09:00:00 +0100`.
fn clock(text: &str) -> Option<Clock> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.' | ',')).unwrap_or(text.len());
    let (time, zone) = text.split_at(end);
    let (whole, fraction) = time.split_once(['.', ',']).unwrap_or((time, ""));
    let mut parts = whole.split(':').map(number);
    let (hour, minute) = (parts.next()??, parts.next().unwrap_or(Some(0))?);
    let second = parts.next().unwrap_or(Some(0))?;
    let is_fraction = fraction.len() <= 9 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if hour > 24 || minute > 59 || second > 60 || parts.next().is_some() || !is_fraction {
        return None;
    }
    let (afternoon, zone) = match zone.trim_start() {
        zone if zone.get(..2).is_some_and(|half| half.eq_ignore_ascii_case("am")) => (Some(false), &zone[2..]),
        zone if zone.get(..2).is_some_and(|half| half.eq_ignore_ascii_case("pm")) => (Some(true), &zone[2..]),
        zone => (None, zone),
    };
    let hour = match afternoon {
        Some(afternoon) => hour % 12 + if afternoon { 12 } else { 0 },
        None => hour,
    };
    let nanoseconds =
        (0..9).fold(0, |all, at| 10 * all + u32::from(fraction.as_bytes().get(at).map_or(0, |digit| digit - b'0')));
    let offset = offset(zone.trim())?;
    Some(Clock { seconds: hour * 3600 + minute * 60 + second, nanoseconds, offset })
}

/// Minutes east of UTC; the outer `None` if the text is no zone.
fn offset(zone: &str) -> Option<Option<i32>> {
    let zone =
        ["UTC", "GMT"].iter().find_map(|utc| zone.strip_prefix(utc)).filter(|rest| !rest.is_empty()).unwrap_or(zone);
    match zone {
        "" => return Some(None),
        "Z" | "z" | "UTC" | "GMT" => return Some(Some(0)),
        _ => {}
    }
    let sign = match zone.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = &zone[1..];
    let (hours, minutes) = match (digits.len(), digits.split_once(':')) {
        (_, Some((hours, minutes))) => (number(hours)?, number(minutes)?),
        (1 | 2, None) => (number(digits)?, 0),
        (4, None) => (number(&digits[..2])?, number(&digits[2..])?),
        _ => return None,
    };
    (hours <= 15 && minutes < 60).then(|| Some(sign * (60 * hours + minutes) as i32))
}

/// Whether a word is the short name of a month or a day, of three letters.
pub fn is_short_name(word: &str) -> bool {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let names = MONTHS.iter().map(|name| &name[..3]).chain(DAYS);
    word.len() == 3 && names.into_iter().any(|name| word.eq_ignore_ascii_case(name))
}

/// The month, from 0, that a word names: its name or at least three letters of it.
pub fn month_of(word: &str) -> Option<usize> {
    let word = word.trim_end_matches('.').to_ascii_lowercase();
    (word.len() >= 3).then(|| MONTHS.iter().position(|month| month.starts_with(&word)))?
}

fn english(text: &str) -> Option<Moment> {
    // `20/Nov/2026:09:00:00 +0000`
    let access_log = text.split_once(':').filter(|(date, _)| date.matches('/').count() == 2);
    let spaced = access_log.map(|(date, time)| format!("{} {time}", date.replace('/', " ")));
    let text = spaced.as_deref().unwrap_or(text);
    let words: Vec<&str> = text.split([' ', ',']).flat_map(date_words).filter(|word| !word.is_empty()).collect();
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
    let has_time = others.first().is_some_and(|time| time.contains(':'));
    // `Nov 20 09:00:00 2026` has its year behind the time; `Nov 20 09:00:00` of a system log has none.
    let year = match year_of(others.first()) {
        Some(year) => others.splice(..1, []).next().map(|_| year),
        None if has_time && others.iter().any(|other| year_of(Some(other)).is_some()) => {
            let at = others.iter().position(|other| year_of(Some(other)).is_some());
            at.and_then(|at| year_of(Some(&others.remove(at))))
        }
        None if has_time && day > 0 => Some(0),
        None => None,
    }?;
    let clock = match others.is_empty() {
        true => None,
        false => Some(clock(&others.join(" "))?),
    };
    Some(Moment { date: [year, month, day], clock, is_iso: false })
}

/// The words of a date: `20-Nov-2026` has three, an offset is one.
fn date_words(word: &str) -> std::str::Split<'_, char> {
    let is_date = word.bytes().any(|byte| byte.is_ascii_alphabetic()) && !word.contains(':');
    word.split(if is_date { '-' } else { '\0' })
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
            ["2026-11-20T09:00:00Z", "2026-11-20T09:00:00.5Z"],
            ["2026-11-20T09:30:00+02:00", "2026-11-20T08:00:00Z"],
            ["2026-11-20 9:00", "2026-11-20 10:00"],
            ["Jan 1 2000", "Feb 1 2000"],
            ["Dec 1 1999", "Jan 1 2000"],
            ["2 January 2000", "10 January 2000"],
            ["Fri, 20 Nov 2026 09:00:00 GMT", "Fri, 20 Nov 2026 10:00:00 GMT"],
            ["Fri, 20 Nov 2026 09:00:00 -0500", "2026-11-20T14:00:01Z"],
            ["Sept. 3, 2020", "Oct 1, 2020"],
            ["May 2020", "June 2020"],
            ["20-Nov-2026", "01-Dec-2026"],
            ["Fri Nov 20 09:00:00 2026", "Fri Nov 20 09:00:01 2026"],
            ["Wed Oct 10 20:19:24 +0000 2018", "Wed Oct 10 20:19:24 +0000 2019"],
            ["01/Mar/2024:10:00:00 +0000", "01/Mar/2024:10:00:00 -0100"],
            ["Nov 20 09:26:46", "Dec  1 00:00:00"],
            ["Nov 20 2026 11:00 AM", "Nov 20 2026 1:00 PM"],
            ["1969-12-31", "1970-01-01"],
            ["Sat Dec 31 10:00:00 2022 +0200", "Sat Dec 31 09:00:00 UTC 2022"],
        ];
        for [earlier, later] in ordered {
            assert!([earlier, later].iter().all(|text| Moment::parse(text).is_some()), "{earlier} {later}");
            assert_eq!(compare(earlier, later), Ordering::Less, "{earlier} {later}");
        }
    }

    #[test]
    fn clocks_are_ordered() {
        for [earlier, later] in [
            ["00:03:25", "01:10:00"],
            ["59:59", "1:00:00"],
            ["3:25", "12:07"],
            ["12:15 AM", "9:05 AM"],
            ["11:59 am", "12:30 PM"],
            ["12:30 PM", "1:00 PM"],
            ["23:59:59", "1-00:00:00"],
            ["99:00:00", "100:00:00"],
            ["12:03.5", "12:03.75"],
        ] {
            assert_eq!(compare(earlier, later), Ordering::Less, "{earlier} {later}");
        }
        for text in ["12", "1:2", "10:60", "1:2:3:4", "::", "a:10", "13:00 PM", "16:9", "12-31", "1.5:10x"] {
            assert_eq!(clock_seconds(text), None, "{text}");
        }
    }

    #[test]
    fn dates_of_numbers_have_an_order_or_two() {
        use order::{DAY_FIRST, MONTH_FIRST};
        for (text, wanted) in [
            ("31/12/2022", DAY_FIRST),
            ("12/31/2022 9:05 PM", MONTH_FIRST),
            ("02/03/2022", DAY_FIRST | MONTH_FIRST),
            ("2-3-2022, 10:00", DAY_FIRST | MONTH_FIRST),
            ("02.03.2022 10:00:01", DAY_FIRST),
            ("32/01/2022", 0),
            ("13/13/2022", 0),
            ("2022/12/31", 0),
            ("1.2.3", 0),
            ("12/31", 0),
            ("12/31/22", 0),
            ("0/1/2022", 0),
            ("12/31/2022 x", 0),
        ] {
            assert_eq!(orders(text), wanted, "{text}");
        }
        let written = |text, order| Moment::in_order(text, order).map(|moment| moment.written());
        assert_eq!(written("2/3/2022 9:05 PM", DAY_FIRST).as_deref(), Some("2022-03-02T21:05:00"));
        assert_eq!(written("2/3/2022", MONTH_FIRST).as_deref(), Some("2022-02-03"));
        assert_eq!(written("31/3/2022", MONTH_FIRST), None);
    }

    #[test]
    fn instants_are_those_of_the_calendar() {
        for (text, seconds, written) in [
            ("1970-01-01", 0, "1970-01-01"),
            ("2000-02-29T12:00:00Z", 951_825_600, "2000-02-29T12:00:00Z"),
            ("01/Mar/2024:10:00:00 +0200", 1_709_280_000, "2024-03-01T10:00:00+02:00"),
            ("Jun 12 1998", 897_609_600, "1998-06-12"),
        ] {
            let moment = Moment::parse(text).unwrap();
            assert_eq!((moment.instant(), &*moment.written()), ((seconds, 0), written), "{text}");
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
            "2000-01-01T25:00",
            "Mar",
            "may be 7",
            "Marvin 2000x",
            "1.2.3",
            "é",
        ] {
            assert!(Moment::parse(text).is_none(), "{text}");
        }
    }
}
