use pytriton::prelude::*;

use crate::Result;
use crate::alphabet::Alphabet;
use crate::network::{Light, Network, Shared};
use crate::text_line::HEIGHT;

/// The width of a line is a multiple of this, in pixels.
const STEP: usize = 8;

/// The maximum width of a line, in pixels.
pub(crate) const MAX_WIDTH: usize = 2560;

static NETWORK: Shared = Shared::new(|| {
    Network::load("ch_PP-OCRv4_rec_infer.onnx", Light::EVEN, |any| {
        [HEIGHT.into(), any("width") * STEP]
    })
});

/// Reads lines of text.
pub(crate) struct Recognition {
    network: &'static Network,
    alphabet: Alphabet,
}

#[derive(pytriton::Outputs)]
pub(crate) struct Read {
    /// The text of the line.
    #[output(shape = [1])]
    pub(crate) text: Array2<String>,
    /// The score, from 0 to 1; 0 if no text was found.
    #[output(shape = [1])]
    pub(crate) score: Array2<f32>,
}

/// Reads Chinese or Latin text in a line, with the recogniser of PP-OCRv4.
#[pytriton::model(
    name = "Recognition",
    client = Recognition,
    max_batch_size = 8,
    max_queue_delay_microseconds = 2000,
)]
impl Recognition {
    #[load]
    fn load() -> Result<Self> {
        let network = NETWORK.as_ref().map_err(String::clone)?;
        let alphabet = Alphabet::load(&weights::PP_OCR.folder()?.join("assets/ppocr_keys_v1.txt"))?;
        Ok(Self { network, alphabet })
    }

    #[infer]
    #[batch]
    pub(crate) fn read(
        &self,
        /// Red, green and blue of one line of text with a height of 48 pixels. The width is a
        /// multiple of 8, filled with grey (127).
        #[input(shape = [48, -1, 3])]
        line: ArrayView4<u8>,
    ) -> Result<Read> {
        let (rows, _, width, _) = line.dim();
        if width == 0 || !width.is_multiple_of(STEP) || width > MAX_WIDTH {
            let expected = format!("expected a multiple of {STEP} up to {MAX_WIDTH}");
            return Err(format!("line: {expected}, found {width} columns").into());
        }
        let letters = self.network.look(line)?.into_dimensionality::<Ix3>()?;
        let mut text = Array2::default((rows, 1));
        let mut score = Array2::zeros((rows, 1));
        for (row, letters) in letters.outer_iter().enumerate() {
            (text[[row, 0]], score[[row, 0]]) = self.alphabet.spell(letters);
        }
        Ok(Read { text, score })
    }
}
