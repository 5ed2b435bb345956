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
}

/// Combines pictures of lines into one tensor. Narrower pictures are filled with grey, and wider
/// ones are truncated.
pub(crate) fn together<'a>(
    pictures: impl ExactSizeIterator<Item = &'a Picture>,
    width: usize,
) -> Array4<u8> {
    let mut all = Array4::from_elem((pictures.len(), HEIGHT, width, 3), GREY);
    for (mut place, picture) in all.outer_iter_mut().zip(pictures) {
        let columns = ..picture.width().min(width);
        let pixels = picture.pixels();
        let pixels = pixels.slice(s![.., columns, ..]);
        place.slice_mut(s![.., columns, ..]).assign(&pixels);
    }
    all
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
        let lines = [4, 16].map(|width| Picture::painted(HEIGHT, width, |_, _| [9; 3]));
        let together = together(lines.iter(), 8);
        assert_eq!(together.dim(), (2, HEIGHT, 8, 3));
        assert_eq!(
            together.slice(s![0, 0, .., 0]).to_vec(),
            [9, 9, 9, 9, GREY, GREY, GREY, GREY]
        );
        assert!(
            together
                .index_axis(Axis(0), 1)
                .iter()
                .all(|&pixel| pixel == 9)
        );
    }
}
