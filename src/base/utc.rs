//! Times in UTC, by the proleptic Gregorian calendar.

const SECONDS: u64 = 86_400;

/// A time in seconds since 1970, as `2026-11-29T14:07:23Z` (RFC 3339).
///
/// The algorithm is `civil_from_days` of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
///
/// ```
/// assert_eq!(toolshape::host::utc(1_795_956_443), "2026-11-29T12:47:23Z");
/// ```
#[must_use]
pub fn written(seconds: u64) -> String {
    let days = seconds / SECONDS + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let (hour, minute, second) = (seconds % SECONDS / 3600, seconds % 3600 / 60, seconds % 60);
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leap_days_are_days() {
        for (seconds, day) in
            [(0, "1970-01-01"), (951_782_400, "2000-02-29"), (951_868_800, "2000-03-01"), (1_735_689_599, "2024-12-31")]
        {
            assert_eq!(&written(seconds)[..10], day);
        }
    }
}
