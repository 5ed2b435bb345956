//! An image classifier: pictures are decoded and resized per request, and classified in batches.

use image::imageops::FilterType;
use pytriton::client::{ClientError, Status};
use pytriton::elements::{Bytes, BytesElement, ElementError};
use pytriton::error::CallError;
use pytriton::prelude::*;
use pytriton::testing;

const SIDE: u32 = 8;
const LABELS: [&str; 3] = ["red", "green", "blue"];

/// A picture in any format that the crate `image` reads.
#[derive(Clone)]
struct Picture(image::RgbImage);

impl BytesElement for Picture {
    fn decode(element: Bytes) -> Result<Self, ElementError> {
        let picture = image::load_from_memory(&element)?;
        Ok(Self(
            picture
                .resize_exact(SIDE, SIDE, FilterType::Triangle)
                .into_rgb8(),
        ))
    }

    fn encode(&self) -> Result<Bytes, ElementError> {
        let mut png = std::io::Cursor::new(Vec::new());
        self.0.write_to(&mut png, image::ImageFormat::Png)?;
        Ok(png.into_inner().into())
    }
}

#[derive(pytriton::Outputs)]
struct Class {
    label: Array2<String>,
    score: Array2<f32>,
}

#[pytriton::model(name = "Colour", client = Colour, max_batch_size = 16)]
#[batch]
fn colour(#[input(shape = [1])] picture: ArrayView2<Picture>) -> Class {
    let scores = picture.map(|Picture(pixels)| {
        let mut sums = [0.0_f32; 3];
        for pixel in pixels.pixels() {
            for (sum, channel) in sums.iter_mut().zip(pixel.0) {
                *sum += f32::from(channel);
            }
        }
        let total: f32 = sums.iter().sum();
        let best = (0..3)
            .max_by(|a, b| sums[*a].total_cmp(&sums[*b]))
            .unwrap_or(0);
        (LABELS[best], sums[best] / total.max(1.0))
    });
    Class {
        label: scores.mapv(|(label, _)| label.to_owned()),
        score: scores.mapv(|(_, score)| score),
    }
}

#[pytriton::test]
async fn pictures_of_all_sizes_are_classified(model: Call<Colour>) -> Result<(), CallError> {
    for (pixel, label) in [
        ([250, 3, 3], "red"),
        ([3, 250, 3], "green"),
        ([9, 9, 250], "blue"),
    ] {
        for (width, height) in [(1, 1), (40, 30)] {
            let picture = image::RgbImage::from_pixel(width, height, image::Rgb(pixel));
            let class = model.call(array![[Picture(picture)]]).await?;
            assert_eq!(class.label, array![[label.to_owned()]]);
            assert!(class.score[[0, 0]] > 0.9);
        }
    }
    Ok(())
}

#[test]
fn other_bytes_are_an_error_of_their_request() {
    let served = testing::serve_registered().unwrap();
    let client = served.client("Colour").unwrap();
    let text = array![[b"not a picture".to_vec()]];
    let Err(ClientError::Server { status, message }) = client.infer_batch([&text]) else {
        panic!("the text is a picture");
    };
    assert_eq!(status, Status::Grpc(3));
    assert!(message.contains("picture"), "{message}");
}
