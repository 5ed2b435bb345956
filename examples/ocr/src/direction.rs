use pytriton::prelude::*;

use crate::Result;
use crate::network::{Light, Network, Shared};
use crate::text_line::HEIGHT;

/// The width of the network's input, in pixels.
pub(crate) const WIDTH: usize = 192;

static NETWORK: Shared = Shared::new(|| {
    let size = [HEIGHT.into(), WIDTH.into()];
    Network::load("ch_ppocr_mobile_v2.0_cls_infer.onnx", Light::EVEN, |_| size)
});

/// Detects whether text is upside down.
pub(crate) struct Direction(&'static Network);

/// Detects whether a line of text is upside down, with the classifier of PP-OCR. Returns the
/// probabilities of 0 and of 180 degrees.
#[pytriton::model(name = "Direction", client = Direction, max_batch_size = 32)]
impl Direction {
    #[load]
    fn load() -> Result<Self> {
        Ok(Self(NETWORK.as_ref().map_err(String::clone)?))
    }

    #[infer]
    #[output(name = "direction", shape = [2], labels = "0\n180")]
    #[batch]
    pub(crate) fn see(
        &self,
        /// Red, green and blue of one line of text. Narrower lines are filled with grey (127).
        #[input(shape = [48, 192, 3])]
        line: ArrayView4<u8>,
    ) -> Result<Array2<f32>> {
        Ok(self.0.look(line)?.into_dimensionality()?)
    }
}
