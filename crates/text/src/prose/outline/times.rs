//! When things happened in a log: its days, and the gaps between its lines.

use super::mark::Mark;

/// A gap has at least this many seconds, and is this many times as long as the median distance between lines.
const MIN_GAP: u64 = 60;
const GAP_TIMES: u64 = 10;
/// The most gaps that are headings.
const MAX_GAPS: usize = 200;
/// Bytes of a line in which its time is looked for.
const TIME_BYTES: usize = 64;
/// Characters of a line after a gap that are shown.
const CONTENT_CHARS: usize = 80;
const DAY: u64 = 86_400;

/// When a line was written.
struct LogTime<'a> {
    date: &'a str,
    /// Seconds of the day.
    second: u64,
    time: &'a str,
    /// The rest of the line after the time.
    content: &'a str,
}

/// Days, and below them gaps.
pub(super) fn marks<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let (mut days, mut gaps) = (Vec::new(), Vec::new());
    let (mut before, mut date): (Option<u64>, &str) = (None, "");
    // Distances between lines, counted by the number of bits of their seconds.
    let mut apart = [0usize; u64::BITS as usize + 1];
    for (line, text) in lines.iter().enumerate() {
        let Some(stamp) = stamp(text) else { continue };
        let is_new_day = !stamp.date.is_empty() && stamp.date != date;
        if is_new_day {
            days.push(Mark::new(line, 1, stamp.date));
            date = stamp.date;
        }
        if let Some(before) = before {
            let wraps = is_new_day || stamp.second + DAY / 2 < before;
            let gap = (stamp.second + if wraps { DAY } else { 0 }).saturating_sub(before);
            apart[(u64::BITS - gap.leading_zeros()) as usize] += 1;
            if gap >= MIN_GAP && (!is_new_day || gap < DAY) {
                gaps.push((line, gap, stamp.time, stamp.content));
            }
        }
        before = Some(stamp.second);
    }
    let half = apart.iter().sum::<usize>() / 2;
    let mut seen = 0;
    let bits = apart.iter().position(|count| {
        seen += count;
        seen > half
    });
    let usual = bits.map_or(0, |bits| (1u64 << bits) - 1);
    let mut least = usual * GAP_TIMES;
    gaps.retain(|(_, gap, ..)| *gap >= least);
    while gaps.len() > MAX_GAPS && least < DAY {
        least = 2 * least.max(MIN_GAP);
        gaps.retain(|(_, gap, ..)| *gap >= least);
    }
    let gaps = gaps.into_iter().map(|(line, gap, time, content)| {
        let content: String = content.trim().chars().take(CONTENT_CHARS).collect();
        Mark::new(line, 2, format!("{time} after {} {content}", length(gap)).trim_end().to_owned())
    });
    // A day comes before the gap at its first line.
    let (mut marks, mut days) = (Vec::new(), days.into_iter().peekable());
    for gap in gaps {
        while let Some(day) = days.next_if(|day| day.line <= gap.line) {
            marks.push(day);
        }
        marks.push(gap);
    }
    marks.extend(days);
    marks
}

fn length(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3_600),
    }
}

/// The first time of day near the start of a line, and the date before it.
fn stamp(line: &str) -> Option<LogTime<'_>> {
    let bytes = &line.as_bytes()[..line.len().min(TIME_BYTES)];
    let is_time = |at: &[u8]| {
        let digits = [0, 1, 3, 4, 6, 7].iter().all(|&digit| at[digit].is_ascii_digit());
        digits && at[2] == b':' && at[5] == b':'
    };
    let at = bytes.windows(8).position(is_time)?;
    let number = |at: usize| u64::from(bytes[at] - b'0') * 10 + u64::from(bytes[at + 1] - b'0');
    let second = number(at) * 3_600 + number(at + 3) * 60 + number(at + 6);
    let after = line[at + 8..].trim_start_matches(|c: char| c.is_ascii_digit() || ".,Z]+: ".contains(c));
    Some(LogTime { date: date(&line[..at]), second, time: &line[at..at + 8], content: after })
}

/// The date at the end of the text before a time: `2026-11-20`, `Jun 14`, `10/Oct/2000`; empty if there is none.
fn date(before: &str) -> &str {
    let before = before.trim_end_matches([' ', 'T', ':', '_', '-']);
    let is_in_date = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '/' || c == '.';
    let word = &before[before.trim_end_matches(is_in_date).len()..];
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_date = digits >= 4 && word.len() <= 11 && word.contains(['-', '/', '.']) || digits == 6 && word.len() == 6;
    if is_date {
        return word;
    }
    // `Jun 14`, `Jul  1`.
    let day = before.len().checked_sub(6).and_then(|start| before.get(start..)).unwrap_or("");
    let is_month = day.len() == 6
        && day.as_bytes()[..3].iter().all(u8::is_ascii_alphabetic)
        && day.as_bytes()[3] == b' '
        && day.as_bytes()[5].is_ascii_digit();
    if is_month { day } else { "" }
}
