use crate::picture::{Picture, truncate};
use crate::recognition::MAX_WIDTH;
use crate::text_line::HEIGHT;

/// A point in a picture: column and row.
pub(crate) type Point = [f32; 2];

/// The corners of a line of text, clockwise from the upper left one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quad(pub(crate) [Point; 4]);

impl Quad {
    /// Creates a quad from corners in any order.
    pub(crate) fn new(mut corners: [Point; 4]) -> Self {
        corners.sort_by(|one, other| one[0].total_cmp(&other[0]));
        let [mut left, mut right] = [[corners[0], corners[1]], [corners[2], corners[3]]];
        for side in [&mut left, &mut right] {
            side.sort_by(|one, other| one[1].total_cmp(&other[1]));
        }
        Self([left[0], right[0], right[1], left[1]])
    }

    /// Scales the corners and clamps them to the picture.
    pub(crate) fn scaled(self, [x, y]: Point, picture: &Picture) -> Self {
        let [right, bottom] = [picture.width() - 1, picture.height() - 1];
        Self(self.0.map(|corner| {
            [
                (corner[0] * x).clamp(0.0, right as f32),
                (corner[1] * y).clamp(0.0, bottom as f32),
            ]
        }))
    }

    /// Returns the larger width and the larger height.
    pub(crate) fn size(&self) -> [f32; 2] {
        let [upper_left, upper_right, lower_right, lower_left] = self.0;
        [
            distance(upper_left, upper_right).max(distance(lower_left, lower_right)),
            distance(upper_left, lower_left).max(distance(upper_right, lower_right)),
        ]
    }

    /// Cuts the line out of a picture, straightens it and scales it to [`HEIGHT`]. Vertical lines
    /// are rotated by 90 degrees.
    pub(crate) fn cut(&self, picture: &Picture) -> Picture {
        let [width, height] = self.size();
        if height >= 1.5 * width {
            let [upper_left, upper_right, lower_right, lower_left] = self.0;
            // Rotates the corners, so that the line is horizontal.
            return Self([upper_right, lower_right, lower_left, upper_left])
                .straightened([height, width], picture);
        }
        self.straightened([width, height], picture)
    }

    fn straightened(&self, [width, height]: [f32; 2], picture: &Picture) -> Picture {
        let [width, height] = [width.max(1.0), height.max(1.0)];
        let columns = truncate((HEIGHT as f32 * width / height).ceil()).clamp(1, MAX_WIDTH);
        let [upper_left, upper_right, lower_right, lower_left] = self.0;
        Picture::painted(HEIGHT, columns, |x, y| {
            // Pixel coordinates refer to the centres of pixels, so both sizes are shifted by half a
            // pixel.
            let across = (x + 0.5) / columns as f32 - 0.5 / width;
            let down = (y + 0.5) / HEIGHT as f32 - 0.5 / height;
            let above = between(upper_left, upper_right, across);
            let below = between(lower_left, lower_right, across);
            let [x, y] = between(above, below, down);
            picture.colour(x, y)
        })
    }
}

fn distance(one: Point, other: Point) -> f32 {
    (one[0] - other[0]).hypot(one[1] - other[1])
}

fn between(one: Point, other: Point, part: f32) -> Point {
    [0, 1].map(|axis| one[axis] + part * (other[axis] - one[axis]))
}

#[cfg(test)]
mod tests {
    use pytriton::prelude::*;

    use super::*;

    #[test]
    fn corners_are_sorted_clockwise() {
        let [a, b, c, d] = [[1.0, 0.0], [9.0, 2.0], [8.0, 6.0], [0.0, 4.0]];
        for corners in [[a, b, c, d], [c, a, d, b], [d, c, b, a]] {
            assert_eq!(Quad::new(corners).0, [a, b, c, d]);
        }
    }

    #[test]
    fn lines_are_cropped() {
        let picture = Picture::painted(40, 100, |x, _| [u8::try_from(truncate(x)).unwrap(); 3]);
        let quad = Quad::new([[10.0, 10.0], [58.0, 10.0], [58.0, 34.0], [10.0, 34.0]]);
        assert_eq!(quad.size(), [48.0, 24.0]);
        let cut = quad.cut(&picture);
        assert_eq!((cut.height(), cut.width()), (48, 96));
        let shades = cut.pixels().slice(s![0, ..;24, 0]).to_vec();
        assert_eq!(shades, [10, 22, 34, 46]);
        // A vertical line is read from its right side.
        let column = Quad::new([[10.0, 4.0], [22.0, 4.0], [22.0, 28.0], [10.0, 28.0]]);
        let cut = column.cut(&picture);
        assert_eq!((cut.height(), cut.width()), (48, 96));
        let shades = cut.pixels().slice(s![..;16, 0, 0]).to_vec();
        assert_eq!(shades, [22, 18, 14]);
    }

    #[test]
    fn tiny_quad_is_cropped_without_a_panic() {
        let picture = Picture::painted(1, 1, |_, _| [5; 3]);
        let quad = Quad::new([[0.0; 2]; 4]).scaled([3.0, 3.0], &picture);
        let cut = quad.cut(&picture);
        assert_eq!((cut.height(), cut.width()), (48, 48));
        assert_eq!(cut.colour(20.0, 20.0), [5; 3]);
    }
}
