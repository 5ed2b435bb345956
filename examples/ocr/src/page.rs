use pytriton::prelude::*;

use crate::text_line::TextLine;

/// The text in the pictures of a request.
#[derive(pytriton::Outputs)]
pub(crate) struct Page {
    /// The text of each line, in reading order.
    #[output(shape = [-1])]
    text: Array2<String>,
    /// The score of each line, from 0.5 to 1.
    #[output(shape = [-1])]
    score: Array2<f32>,
    /// The corners of each line as columns and rows of pixels, clockwise from its start.
    #[output(name = "box", shape = [-1, 4, 2])]
    corners: Array4<f32>,
    /// The number of lines. If another picture of the request has more, empty lines follow.
    #[output(shape = [1])]
    lines: Array2<i32>,
}

impl Page {
    /// Creates a page from the lines of each picture.
    pub(crate) fn new(pictures: &[Vec<TextLine>]) -> Self {
        let most = pictures.iter().map(Vec::len).max().unwrap_or_default();
        let size = (pictures.len(), most);
        let mut page = Self {
            text: Array2::default(size),
            score: Array2::zeros(size),
            corners: Array4::zeros((size.0, size.1, 4, 2)),
            lines: Array2::zeros((size.0, 1)),
        };
        for (row, lines) in pictures.iter().enumerate() {
            page.lines[[row, 0]] = i32::try_from(lines.len()).unwrap_or(i32::MAX);
            for (number, line) in lines.iter().enumerate() {
                page.text[[row, number]].clone_from(&line.text);
                page.score[[row, number]] = line.score;
                let corners = ArrayView2::from(&line.quad.0);
                page.corners
                    .slice_mut(s![row, number, .., ..])
                    .assign(&corners);
            }
        }
        page
    }
}
