use pytriton::prelude::*;

use crate::picture::Picture;
use crate::quad::Quad;

/// The height of a line of text in the networks for single lines, in pixels.
pub(crate) const HEIGHT: usize = 48;

/// The middle between black and white.
const GREY: u8 = 127;

/// A line of text in a picture.
pub(crate) struct TextLine {
    pub(crate) quad: Quad,
    /// The line, scaled to [`HEIGHT`].
    pub(crate) picture: Picture,
    pub(crate) text: String,
    pub(crate) score: f32,
}

impl TextLine {
    pub(crate) fn cut(picture: &Picture, quad: Quad) -> Self {
        Self {
            quad,
            picture: quad.cut(picture),
            text: String::new(),
            score: 0.0,
        }
    }

    /// Returns the pixels of the line with another width. Missing columns are grey, and further
    /// ones are left out.
    pub(crate) fn padded(&self, width: usize) -> Array4<u8> {
        let mut padded = Array4::from_elem((1, HEIGHT, width, 3), GREY);
        let columns = ..self.picture.width().min(width);
        let pixels = self.picture.pixels();
        let pixels = pixels.slice(s![.., columns, ..]);
        padded.slice_mut(s![0, .., columns, ..]).assign(&pixels);
        padded
    }
}

/// Sorts lines in reading order: lines at about the same height are sorted from left to right.
pub(crate) fn in_order(mut quads: Vec<Quad>) -> Vec<Quad> {
    const MUCH_THE_SAME: f32 = 10.0;
    let begin = |quad: &Quad| quad.0[0];
    quads.sort_by(|one, other| {
        let ([left, top], [x, y]) = (begin(one), begin(other));
        top.total_cmp(&y).then(left.total_cmp(&x))
    });
    for next in 1..quads.len() {
        for place in (1..=next).rev() {
            let ([left, top], [x, y]) = (begin(&quads[place - 1]), begin(&quads[place]));
            if y - top >= MUCH_THE_SAME || left <= x {
                break;
            }
            quads.swap(place - 1, place);
        }
    }
    quads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_from_left_to_right() {
        let quads = |begins: &[[f32; 2]]| begins.iter().map(|begin| Quad([*begin; 4])).collect();
        let mixed: Vec<Quad> = quads(&[
            [5.0, 52.0],
            [90.0, 3.0],
            [50.0, 7.0],
            [9.0, 9.0],
            [1.0, 50.0],
        ]);
        let ordered: Vec<Quad> = quads(&[
            [9.0, 9.0],
            [50.0, 7.0],
            [90.0, 3.0],
            [1.0, 50.0],
            [5.0, 52.0],
        ]);
        assert_eq!(in_order(mixed), ordered);
        assert!(in_order(Vec::new()).is_empty());
    }

    #[test]
    fn lines_are_padded_or_truncated() {
        let padded = [4, 16].map(|width| {
            let line = TextLine {
                quad: Quad([[0.0; 2]; 4]),
                picture: Picture::painted(HEIGHT, width, |_, _| [9; 3]),
                text: String::new(),
                score: 0.0,
            };
            line.padded(8)
        });
        for padded in &padded {
            assert_eq!(padded.dim(), (1, HEIGHT, 8, 3));
        }
        let [narrow, wide] = padded;
        assert_eq!(
            narrow.slice(s![0, 0, .., 0]).to_vec(),
            [9, 9, 9, 9, GREY, GREY, GREY, GREY]
        );
        assert!(wide.iter().all(|&pixel| pixel == 9));
    }
}
