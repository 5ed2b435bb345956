use pytriton::prelude::*;

use crate::Result;
use crate::network::{Light, Network, Shared};

/// Heights and widths are multiples of this, because the network halves a picture five times.
pub(crate) const STEP: usize = 32;

/// The maximum number of pixels: 2048 x 2048.
const MAX_PIXELS: usize = 1 << 22;

static NETWORK: Shared = Shared::new(|| {
    let light = Light {
        means: [0.485, 0.456, 0.406],
        deviations: [0.229, 0.224, 0.225],
    };
    Network::load("ch_PP-OCRv4_det_infer.onnx", light, |any| {
        ["height", "width"].map(|side| any(side) * STEP)
    })
});

/// Detects text in pictures.
pub(crate) struct Detection(&'static Network);

/// The probability of text at each pixel of a picture, from the detector of PP-OCRv4.
#[pytriton::model(name = "Detection", client = Detection, max_batch_size = 4)]
impl Detection {
    #[load]
    fn load() -> Result<Self> {
        Ok(Self(NETWORK.as_ref().map_err(String::clone)?))
    }

    #[infer]
    #[output(name = "probability", shape = [-1, -1])]
    #[batch]
    pub(crate) fn find(
        &self,
        /// Red, green and blue; height and width are multiples of 32.
        #[input(shape = [-1, -1, 3])]
        picture: ArrayView4<u8>,
    ) -> Result<Array3<f32>> {
        let (_, height, width, _) = picture.dim();
        let is_valid = |side: usize| side > 0 && side.is_multiple_of(STEP);
        if !is_valid(height) || !is_valid(width) {
            let expected = format!("expected multiples of {STEP}");
            return Err(format!("picture: {expected}, found {height} x {width} pixels").into());
        }
        if height * width > MAX_PIXELS {
            let expected = format!("expected at most {MAX_PIXELS}");
            return Err(format!("picture: {expected}, found {height} x {width} pixels").into());
        }
        let probabilities = self.0.look(picture)?;
        let plane = probabilities.into_dimensionality::<Ix4>()?;
        Ok(plane.index_axis_move(Axis(1), 0))
    }
}
