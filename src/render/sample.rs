//! Which entries of a series are kept: always the first and the last, the others evenly spaced, or chosen so that
//! extremes show.

use crate::base::sorting::sort_by;

pub(crate) use crate::value::sampling::evenly;

/// At most `points` indices of `values`, in order, with the first and the last: those that preserve the shape of the
/// line, its lowest and its highest value.
///
/// Largest-Triangle-Three-Buckets (Sveinn Steinarsson, Downsampling Time Series for Visual Representation, University
/// of Iceland 2013, section 4.2), over positions and values: from each of `points` - 2 equal stretches it keeps the
/// entry that spans the largest triangle with the entry kept before and the average of the next stretch. In addition
/// the lowest and the highest value replace the entries kept from their stretches. A value that is not a number (NaN) is
/// kept only if its stretch has no number.
pub(crate) fn extremes(values: &[f64], points: usize) -> Vec<usize> {
    let len = values.len();
    if len <= points || points < 3 {
        return evenly(len, points);
    }
    let scaled = scaled(values);
    let stretches: Vec<Stretch> = (0..points - 2).map(|at| Stretch::of(at, points - 2, len)).collect();
    let mut kept = vec![0];
    for (at, stretch) in stretches.iter().enumerate() {
        let before = kept.last().copied().filter(|&last| !scaled[last].is_nan());
        let next = stretches.get(at + 1).copied().unwrap_or(Stretch { start: len - 1, end: len });
        kept.push(stretch.largest_triangle(&scaled, before, next.average(&scaled)));
    }
    kept.push(len - 1);
    let (low, high) = (lowest(values), highest(values));
    for extreme in [low, high].into_iter().flatten() {
        if !kept.contains(&extreme) {
            let is_free = |at: &usize| (1..points - 1).contains(at) && ![low, high].contains(&Some(kept[*at]));
            let nearest = (0..points).filter(is_free).min_by_key(|&at| kept[at].abs_diff(extreme));
            if let Some(at) = nearest {
                kept[at] = extreme;
            }
        }
    }
    sort_by(&mut kept, Ord::cmp);
    kept
}

/// The index of the lowest number, the first of equal ones.
pub(crate) fn lowest(values: &[f64]) -> Option<usize> {
    first_best(values, |value, best| value < best)
}

/// The index of the highest number, the first of equal ones.
pub(crate) fn highest(values: &[f64]) -> Option<usize> {
    first_best(values, |value, best| value > best)
}

fn first_best(values: &[f64], is_better: impl Fn(f64, f64) -> bool) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (at, &value) in values.iter().enumerate() {
        if !value.is_nan() && best.is_none_or(|best| is_better(value, values[best])) {
            best = Some(at);
        }
    }
    best
}

/// The values scaled to -1 to 1, so that no area overflows.
fn scaled(values: &[f64]) -> Vec<f64> {
    let most = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
    values.iter().map(|value| if most > 0.0 { value / most } else { *value }).collect()
}

/// One of equal stretches of the entries between the first and the last.
#[derive(Clone, Copy)]
struct Stretch {
    start: usize,
    end: usize,
}

impl Stretch {
    fn of(at: usize, count: usize, len: usize) -> Self {
        let edge = |at: usize| 1 + (at as u128 * (len - 2) as u128 / count as u128) as usize;
        Self { start: edge(at), end: edge(at + 1) }
    }

    /// The average position and value; the middle if there is no value.
    fn average(self, values: &[f64]) -> (f64, f64) {
        let known = (self.start..self.end).filter(|&at| !values[at].is_nan());
        let (mut count, mut x, mut y) = (0.0, 0.0, 0.0);
        for at in known {
            count += 1.0;
            x += at as f64;
            y += values[at];
        }
        if count == 0.0 { ((self.start + self.end - 1) as f64 / 2.0, 0.0) } else { (x / count, y / count) }
    }

    /// The entry that spans the largest triangle with the one kept `before` and the average of the `next`.
    fn largest_triangle(self, values: &[f64], before: Option<usize>, next: (f64, f64)) -> usize {
        let before = before.map_or((self.start as f64 - 1.0, next.1), |at| (at as f64, values[at]));
        let mut largest = (-1.0, (self.start + self.end - 1) / 2);
        for (at, &value) in values.iter().enumerate().take(self.end).skip(self.start) {
            let area = ((before.0 - next.0) * (value - before.1) - (before.0 - at as f64) * (next.1 - before.1)).abs();
            // The area with NaN is NaN, which is not larger.
            if area > largest.0 {
                largest = (area, at);
            }
        }
        largest.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bend_is_kept_where_it_is() {
        // Two straight lines: all but the bend is in line with its neighbours.
        let values: Vec<f64> = (0..=100).map(|at| f64::from(if at < 60 { 0 } else { at - 60 })).collect();
        let kept = extremes(&values, 5);
        assert!(kept.iter().any(|at| (58..=62).contains(at)), "{kept:?}");
    }

    #[test]
    fn nothing_but_gaps_is_still_sampled() {
        let kept = extremes(&[f64::NAN; 50], 5);
        assert_eq!((kept.len(), kept[0], kept[4]), (5, 0, 49));
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]), "{kept:?}");
        let huge = [f64::MAX, -f64::MAX, f64::MAX, -f64::MAX, 0.0, 1.0, f64::MIN_POSITIVE];
        assert_eq!(extremes(&huge, 4).len(), 4);
    }
}
