use std::mem::take;

use pytriton::prelude::*;

use crate::quad::Point;
use crate::rectangle::Rectangle;

/// The minimum probability of a text pixel.
const TEXT: f32 = 0.3;

/// The minimum average probability of a line.
const LINE: f32 = 0.6;

/// The maximum number of lines.
const MAX_LINES: usize = 1000;

/// The minimum width of a line, in pixels.
const LEAST_WIDTH: f32 = 3.0;

/// The margin of lines, because the network marks only their core.
const GROWTH: f32 = 1.6;

/// Finds the lines in a probability map. Each pixel is visited once.
pub(crate) fn regions(map: ArrayView2<f32>) -> Vec<Rectangle> {
    let mut left = map.mapv(|probability| probability > TEXT);
    let places = map.indexed_iter().map(|(place, _)| place);
    let shapes = places.filter_map(|place| Shape::taken(map, &mut left, place));
    shapes
        .take(MAX_LINES)
        .filter(|shape| shape.mean() >= LINE)
        .filter_map(|shape| Rectangle::around(&shape.hull()))
        .filter(|rectangle| rectangle.width() >= LEAST_WIDTH)
        .map(|rectangle| rectangle.grown(GROWTH))
        .collect()
}

/// A connected region of pixels, diagonal neighbours included.
struct Shape {
    top: usize,
    /// The first and the last column of each row.
    rows: Vec<(usize, usize)>,
    sum: f32,
    count: usize,
}

impl Shape {
    /// Removes the region that starts at a pixel from the remaining pixels. Returns `None` if the
    /// pixel is not set.
    fn taken(map: ArrayView2<f32>, left: &mut Array2<bool>, first: (usize, usize)) -> Option<Self> {
        if !take(&mut left[first]) {
            return None;
        }
        let mut shape = Self {
            top: first.0,
            rows: Vec::new(),
            sum: 0.0,
            count: 0,
        };
        let mut reached = vec![first];
        while let Some((row, column)) = reached.pop() {
            shape.add(row, column, map[[row, column]]);
            for row in row.saturating_sub(1)..=row + 1 {
                for column in column.saturating_sub(1)..=column + 1 {
                    if left.get_mut((row, column)).is_some_and(take) {
                        reached.push((row, column));
                    }
                }
            }
        }
        Some(shape)
    }

    fn add(&mut self, row: usize, column: usize, probability: f32) {
        let row = row - self.top;
        if row >= self.rows.len() {
            self.rows.resize(row + 1, (usize::MAX, 0));
        }
        let (first, last) = &mut self.rows[row];
        (*first, *last) = (column.min(*first), column.max(*last));
        self.sum += probability;
        self.count += 1;
    }

    fn mean(&self) -> f32 {
        self.sum / self.count as f32
    }

    /// Returns the convex hull of the region.
    fn hull(&self) -> Vec<Point> {
        let rows = self.rows.iter().enumerate();
        let points = rows.flat_map(|(row, &(first, last))| {
            let row = (self.top + row) as f32;
            [[first as f32, row], [last as f32, row]]
        });
        let points: Vec<Point> = points.collect();
        let mut hull = half_hull(points.iter().copied());
        hull.extend(half_hull(points.iter().rev().copied()));
        hull
    }
}

/// Returns one half of a convex hull without its last point. The points are sorted by row and
/// column.
fn half_hull(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut hull: Vec<Point> = Vec::new();
    for point in points {
        while let [.., one, other] = hull[..]
            && turn(one, other, point) <= 0.0
        {
            hull.pop();
        }
        hull.push(point);
    }
    hull.pop();
    hull
}

/// Positive if the path through three points turns to one side.
fn turn(one: Point, other: Point, third: Point) -> f32 {
    let [x, y] = [other[0] - one[0], other[1] - one[1]];
    x * (third[1] - one[1]) - y * (third[0] - one[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a map: `#` is text, and `+` is text with a lower probability.
    fn map(rows: &[&str]) -> Array2<f32> {
        let probability = |letter: u8| match letter {
            b'#' => 0.9,
            b'+' => 0.4,
            _ => 0.1,
        };
        Array2::from_shape_fn((rows.len(), rows[0].len()), |(row, column)| {
            probability(rows[row].as_bytes()[column])
        })
    }

    #[test]
    fn text_regions_are_found() {
        let table: [(&[&str], usize); 7] = [
            (&["......"], 0),
            (&["######"], 0),
            (&["####", "####", "####", "####"], 1),
            (&["++++", "++++", "++++", "++++"], 0),
            (&["####.####"; 4], 2),
            // Connected by a corner.
            (
                &[
                    "####.....",
                    "####.....",
                    "####.....",
                    "####.....",
                    "....#####",
                    "....#####",
                    "....#####",
                    "....#####",
                ],
                1,
            ),
            // From its first pixel, the region extends up and down.
            (
                &[
                    "#...#", "#...#", "#...#", "#####", "#####", "#####", "#####",
                ],
                1,
            ),
        ];
        for (rows, expected) in table {
            let found = regions(map(rows).view());
            assert_eq!(found.len(), expected, "{rows:?}: {found:?}");
        }
    }

    #[test]
    fn hull_is_convex() {
        let map = map(&["#...#", "#...#", "##.##", "#####"]);
        let mut left = map.mapv(|_| true);
        left.zip_mut_with(&map, |left, &text| *left = text > TEXT);
        let shape = Shape::taken(map.view(), &mut left, (0, 0)).unwrap();
        let mut hull = shape.hull();
        hull.sort_by(|one, other| one.partial_cmp(other).unwrap());
        assert_eq!(hull, [[0.0, 0.0], [0.0, 3.0], [4.0, 0.0], [4.0, 3.0]]);
        assert!(left.iter().all(|left| !left));
    }

    #[test]
    fn regions_are_extended_by_a_margin() {
        let rows = [".".repeat(30), format!("....{}....", "#".repeat(22))];
        let rows: Vec<&str> = [0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0]
            .map(|row| &*rows[row])
            .to_vec();
        let found = regions(map(&rows).view());
        // 21 by 5, plus a margin of 1.6 times 105 / 52 on each side.
        let margin = 1.6 * 105.0 / 52.0;
        let [[left, top], _, [right, bottom], _] = found[0].quad().0;
        for (side, expected) in [
            (left, 4.0 - margin),
            (top, 3.0 - margin),
            (right, 25.0 + margin),
            (bottom, 8.0 + margin),
        ] {
            assert!((side - expected).abs() < 1e-3, "{found:?}");
        }
    }
}
