use pytriton::prelude::*;

use crate::picture::Picture;
use crate::quad::Quad;

/// How high lines of text are for the networks that look at one line.
pub(crate) const HEIGHT: usize = 48;

/// What is in the middle between light and dark.
const GREY: u8 = 127;

/// A line of text in a picture.
pub(crate) struct Line {
    pub(crate) quad: Quad,
    /// As high as all lines.
    pub(crate) picture: Picture,
    pub(crate) text: String,
    pub(crate) score: f32,
}

impl Line {
    pub(crate) fn cut(picture: &Picture, quad: Quad) -> Self {
        Self {
            quad,
            picture: quad.cut(picture),
            text: String::new(),
            score: 0.0,
        }
    }
}

/// Pictures of lines as one tensor, filled up with grey; of what is wider it has the beginning.
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

/// Puts lines in the order in which a page is read: those that begin at much the same height from left to right.
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
    fn lines_are_filled_up_or_cut_off() {
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
