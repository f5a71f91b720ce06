//! Squarified treemaps (Bruls, Huizing, van Wijk, 2000): rectangles with areas as given, none of them a sliver if it can be
//! helped.

/// A rectangle, in pixels of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// A rectangle for each weight; weights are in descending order. One of nothing has no area.
pub(super) fn squarified(weights: &[usize], mut room: Rect) -> Vec<Rect> {
    let total: usize = weights.iter().sum();
    let scale = room.width * room.height / total.max(1) as f64;
    let mut out = Vec::with_capacity(weights.len());
    let mut rest = weights;
    while !rest.is_empty() {
        let side = room.width.min(room.height);
        let areas: Vec<f64> = rest.iter().map(|weight| *weight as f64 * scale).collect();
        let mut taken = 1;
        while taken < areas.len() && worst(&areas[..=taken], side) <= worst(&areas[..taken], side) {
            taken += 1;
        }
        out.extend(row(&areas[..taken], &mut room));
        rest = &rest[taken..];
    }
    out
}

/// Rectangles one next to the other, or one below the other, along the longer side of the room.
pub(super) fn sliced(weights: &[usize], mut room: Rect) -> Vec<Rect> {
    let total: usize = weights.iter().sum();
    let scale = room.width * room.height / total.max(1) as f64;
    let slice = |weight: &usize| {
        let area = *weight as f64 * scale;
        let mut out = room;
        if room.width >= room.height {
            out.width = part(area, room.height);
            room.x += out.width;
            // The rest of the room has the same height, and the longer side stays the one that is cut.
        } else {
            out.height = part(area, room.width);
            room.y += out.height;
        }
        out
    };
    weights.iter().map(slice).collect()
}

/// The worst ratio of sides in a row along a side.
fn worst(areas: &[f64], side: f64) -> f64 {
    let sum: f64 = areas.iter().sum();
    let (most, least) = (areas[0], areas[areas.len() - 1]);
    let (side, sum) = (side * side, sum * sum);
    (side * most / sum).max(sum / (side * least))
}

/// Puts a row along the shorter side of the room, which is smaller by it then.
fn row(areas: &[f64], room: &mut Rect) -> Vec<Rect> {
    let sum: f64 = areas.iter().sum();
    let is_column = room.width >= room.height;
    let thick = part(sum, if is_column { room.height } else { room.width });
    let mut at = if is_column { room.y } else { room.x };
    let mut out = Vec::with_capacity(areas.len());
    for area in areas {
        let long = part(*area, thick);
        out.push(match is_column {
            true => Rect { x: room.x, y: at, width: thick, height: long },
            false => Rect { x: at, y: room.y, width: long, height: thick },
        });
        at += long;
    }
    match is_column {
        true => {
            room.x += thick;
            room.width -= thick;
        }
        false => {
            room.y += thick;
            room.height -= thick;
        }
    }
    out
}

/// The length of an area along a side.
fn part(area: f64, side: f64) -> f64 {
    if side > 0.0 { area / side } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Rect = Rect { x: 10.0, y: 20.0, width: 600.0, height: 400.0 };

    #[test]
    fn the_example_of_the_paper() {
        let rects = squarified(&[6, 6, 4, 3, 2, 2, 1], ROOM);
        let rounded: Vec<[i64; 4]> =
            rects.iter().map(|r| [r.x - 10.0, r.y - 20.0, r.width, r.height].map(|side| side.round() as i64)).collect();
        let expected = [
            [0, 0, 300, 200],
            [0, 200, 300, 200],
            [300, 0, 171, 233],
            [471, 0, 129, 233],
            [300, 233, 120, 167],
            [420, 233, 120, 167],
            [540, 233, 60, 167],
        ];
        assert_eq!(rounded, expected);
    }

    #[test]
    fn areas_are_as_given_and_stay_in_the_room() {
        let weights = [90_000, 400, 399, 30, 30, 2, 1, 1, 0, 0];
        for layout in [squarified, sliced] {
            let rects = layout(&weights, ROOM);
            let total: usize = weights.iter().sum();
            for (weight, rect) in weights.iter().zip(&rects) {
                let area = ROOM.width * ROOM.height * *weight as f64 / total as f64;
                assert!((rect.width * rect.height - area).abs() < 0.01, "{weight} {rect:?}");
                assert!(rect.x >= 9.99 && rect.x + rect.width <= 610.01 && rect.y + rect.height <= 420.01, "{rect:?}");
            }
        }
        assert!(squarified(&[], ROOM).is_empty());
        assert_eq!(squarified(&[0, 0], ROOM).len(), 2);
    }
}
