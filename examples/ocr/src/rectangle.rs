use crate::quad::{Point, Quad};

/// A rotated rectangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rectangle {
    middle: Point,
    /// The unit vector of its length.
    along: Point,
    /// Half of its length and half of its width.
    half: [f32; 2],
}

impl Rectangle {
    /// Returns the smallest rectangle around the corners of a convex polygon, in order. Returns
    /// `None` if all points are equal.
    pub(crate) fn around(points: &[Point]) -> Option<Self> {
        let next = points.iter().cycle().skip(1);
        let sides = points.iter().zip(next);
        // The smallest rectangle shares a side with the polygon.
        let rectangles = sides.filter_map(|(one, other)| {
            let [x, y] = [other[0] - one[0], other[1] - one[1]];
            let length = x.hypot(y);
            (length > 0.0).then(|| Self::in_direction([x / length, y / length], points))
        });
        rectangles.min_by(|one, other| one.area().total_cmp(&other.area()))
    }

    fn in_direction(along: Point, points: &[Point]) -> Self {
        let [x, y] = along;
        let range = |direction: Point| {
            let places = points.iter().map(|point| product(*point, direction));
            let nowhere = (f32::INFINITY, f32::NEG_INFINITY);
            places.fold(nowhere, |(least, most), place| {
                (least.min(place), most.max(place))
            })
        };
        let [(left, right), (above, below)] = [range(along), range([-y, x])];
        let [length, width] = [(left + right) / 2.0, (above + below) / 2.0];
        Self {
            middle: [length * x - width * y, length * y + width * x],
            along,
            half: [(right - left) / 2.0, (below - above) / 2.0],
        }
    }

    fn area(&self) -> f32 {
        4.0 * self.half[0] * self.half[1]
    }

    /// Returns the shorter side.
    pub(crate) fn width(&self) -> f32 {
        2.0 * self.half[0].min(self.half[1])
    }

    /// Adds a margin on each side: `ratio` times the area divided by the circumference.
    pub(crate) fn grown(self, ratio: f32) -> Self {
        let circumference = 4.0 * (self.half[0] + self.half[1]);
        let margin = self.area() * ratio / circumference;
        Self {
            half: self.half.map(|half| half + margin),
            ..self
        }
    }

    /// Returns the corners.
    pub(crate) fn quad(&self) -> Quad {
        let [x, y] = self.along;
        let [half_length, half_width] = self.half;
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        Quad::new(corners.map(|(along, across)| {
            let (length, width) = (along * half_length, across * half_width);
            [
                self.middle[0] + length * x - width * y,
                self.middle[1] + length * y + width * x,
            ]
        }))
    }
}

fn product(one: Point, other: Point) -> f32 {
    one[0] * other[0] + one[1] * other[1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_near(quad: Quad, expected: [Point; 4]) {
        for (corner, expected) in quad.0.iter().zip(expected) {
            let [x, y] = [corner[0] - expected[0], corner[1] - expected[1]];
            assert!(x.hypot(y) < 1e-4, "{quad:?}");
        }
    }

    #[test]
    fn bounding_rectangle_is_the_smallest() {
        let straight = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0], [0.0, 1.0]];
        let rectangle = Rectangle::around(&straight).unwrap();
        assert!((rectangle.width() - 2.0).abs() < 1e-4);
        let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0]];
        assert_near(rectangle.quad(), corners);

        let slanted = [[2.0, 0.0], [6.0, 4.0], [4.0, 6.0], [0.0, 2.0]];
        let rectangle = Rectangle::around(&slanted).unwrap();
        assert!((rectangle.width() - 8_f32.sqrt()).abs() < 1e-4);
        assert_near(rectangle.quad(), slanted);
    }

    #[test]
    fn rectangle_grows_on_each_side() {
        let rectangle = Rectangle::around(&[[0.0, 0.0], [8.0, 0.0], [8.0, 2.0], [0.0, 2.0]]);
        // The rectangle is 16 by 20.
        let corners = [[-0.8, -0.8], [8.8, -0.8], [8.8, 2.8], [-0.8, 2.8]];
        assert_near(rectangle.unwrap().grown(1.0).quad(), corners);
    }

    #[test]
    fn rectangle_needs_two_points() {
        assert!(Rectangle::around(&[]).is_none());
        assert!(Rectangle::around(&[[1.0, 1.0]]).is_none());
        let flat = Rectangle::around(&[[1.0, 1.0], [5.0, 1.0]]).unwrap();
        assert!(flat.width() < 1e-4);
    }
}
