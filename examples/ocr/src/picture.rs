use std::borrow::Cow;
use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageDecoder, ImageError, ImageReader, Pixel, Rgb, RgbImage, RgbaImage};
use pytriton::ndarray::ShapeError;
use pytriton::prelude::*;
use thiserror::Error;

/// The maximum number of pixels of a picture: 4096 x 4096.
const MAX_PIXELS: u64 = 1 << 24;

/// Rows of pixels in red, green and blue, with at least one pixel.
pub(crate) struct Picture(Array3<u8>);

/// An error while decoding a picture.
#[derive(Debug, Error)]
pub(crate) enum PictureError {
    #[error("no PNG or JPEG that can be read: {0}")]
    Unreadable(#[from] ImageError),
    #[error("the `data:` URL has no base 64 that can be read: {0}")]
    Garbled(#[from] base64::DecodeError),
    #[error("expected at most {MAX_PIXELS} pixels, found {width} x {height}")]
    TooLarge { width: u32, height: u32 },
    #[error("the pixels do not fill the picture: {0}")]
    Shape(#[from] ShapeError),
}

impl Picture {
    /// Decodes a PNG or JPEG file or a `data:` URL, and applies its orientation.
    ///
    /// # Errors
    ///
    /// Returns [`PictureError::TooLarge`] before any pixel is decoded.
    pub(crate) fn decode(file: &[u8]) -> Result<Self, PictureError> {
        let file = unwrapped(file)?;
        let reader = ImageReader::new(Cursor::new(&file)).with_guessed_format();
        let mut decoder = reader.map_err(ImageError::IoError)?.into_decoder()?;
        let (width, height) = decoder.dimensions();
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            return Err(PictureError::TooLarge { width, height });
        }
        let orientation = decoder.orientation()?;
        let mut image = DynamicImage::from_decoder(decoder)?;
        image.apply_orientation(orientation);
        let image = match image.color().has_alpha() {
            true => on_white(&image.into_rgba8()),
            false => image.into_rgb8(),
        };
        let size = (image.height() as usize, image.width() as usize, 3);
        Ok(Self(Array3::from_shape_vec(size, image.into_raw())?))
    }

    /// Creates a picture from a function of column and row.
    pub(crate) fn painted(
        height: usize,
        width: usize,
        colour: impl Fn(f32, f32) -> [u8; 3],
    ) -> Self {
        let mut pixels = Array3::zeros((height.max(1), width.max(1), 3));
        for (y, mut row) in pixels.outer_iter_mut().enumerate() {
            for (x, mut pixel) in row.outer_iter_mut().enumerate() {
                let colour = colour(x as f32, y as f32);
                pixel.assign(&ArrayView1::from(&colour));
            }
        }
        Self(pixels)
    }

    /// Returns the picture scaled to another size.
    pub(crate) fn resized(&self, height: usize, width: usize) -> Self {
        let across = self.width() as f32 / width as f32;
        let down = self.height() as f32 / height as f32;
        Self::painted(height, width, |x, y| {
            self.colour((x + 0.5) * across - 0.5, (y + 0.5) * down - 0.5)
        })
    }

    /// Rotates the picture by 180 degrees.
    pub(crate) fn turn(&mut self) {
        self.0.invert_axis(Axis(0));
        self.0.invert_axis(Axis(1));
    }

    /// Returns the interpolated colour at a point; outside of the picture, the colour of the
    /// nearest edge.
    pub(crate) fn colour(&self, x: f32, y: f32) -> [u8; 3] {
        let (left, right, x) = around(x, self.width());
        let (above, below, y) = around(y, self.height());
        std::array::from_fn(|colour| {
            let pixel = |row: usize, column: usize| f32::from(self.0[[row, column, colour]]);
            let row = |row| pixel(row, left) * (1.0 - x) + pixel(row, right) * x;
            level(row(above) * (1.0 - y) + row(below) * y)
        })
    }

    pub(crate) fn height(&self) -> usize {
        self.0.dim().0
    }

    pub(crate) fn width(&self) -> usize {
        self.0.dim().1
    }

    pub(crate) fn pixels(&self) -> ArrayView3<'_, u8> {
        self.0.view()
    }

    pub(crate) fn into_pixels(self) -> Array3<u8> {
        self.0
    }
}

/// Returns the file in a `data:` URL, because JSON cannot contain bytes. Other input is returned
/// unchanged.
fn unwrapped(file: &[u8]) -> Result<Cow<'_, [u8]>, PictureError> {
    const BASE64: &[u8] = b";base64,";
    let url = file.strip_prefix(b"data:").unwrap_or_default();
    let begin = url.windows(BASE64.len()).position(|part| part == BASE64);
    Ok(match begin {
        Some(begin) => Cow::Owned(STANDARD.decode(&url[begin + BASE64.len()..])?),
        None => Cow::Borrowed(file),
    })
}

/// Returns the indices of the two pixels around a point, and its distance from the first one.
fn around(at: f32, count: usize) -> (usize, usize, f32) {
    let last = count - 1;
    let at = at.clamp(0.0, last as f32);
    let first = truncate(at);
    (first, (first + 1).min(last), at - first as f32)
}

/// Returns the integer part of a number, or 0 if it is negative.
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
pub(crate) fn truncate(number: f32) -> usize {
    number as usize
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "it lies between those of two pixels"
)]
fn level(level: f32) -> u8 {
    level.round() as u8
}

/// Draws a transparent picture on white.
fn on_white(image: &RgbaImage) -> RgbImage {
    let mut page = RgbImage::new(image.width(), image.height());
    for (to, from) in page.pixels_mut().zip(image.pixels()) {
        let mut colour = Rgb([u8::MAX; 3]).to_rgba();
        colour.blend(from);
        *to = colour.to_rgb();
    }
    page
}

#[cfg(test)]
mod tests {
    use image::{DynamicImage, ImageFormat, Luma, LumaA};

    use super::*;

    fn png(image: impl Into<DynamicImage>) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        image.into().write_to(&mut file, ImageFormat::Png).unwrap();
        file.into_inner()
    }

    #[test]
    fn every_pixel_format_is_read() {
        let table: [(DynamicImage, [u8; 3]); 4] = [
            (
                image::ImageBuffer::from_pixel(1, 1, Luma([7_u8])).into(),
                [7; 3],
            ),
            (
                image::ImageBuffer::from_pixel(1, 1, Luma([257_u16 * 9])).into(),
                [9; 3],
            ),
            (
                image::ImageBuffer::from_pixel(1, 1, LumaA([0_u8, 0])).into(),
                [255; 3],
            ),
            (
                image::ImageBuffer::from_pixel(1, 1, image::Rgba([255_u8, 0, 0, 255])).into(),
                [255, 0, 0],
            ),
        ];
        for (image, colour) in table {
            let file = png(image);
            let url = format!("data:image/png;base64,{}", STANDARD.encode(&file));
            let picture = Picture::decode(url.as_bytes()).unwrap();
            assert_eq!(picture.colour(0.0, 0.0), colour);
            let picture = Picture::decode(&file).unwrap();
            assert_eq!(picture.colour(0.0, 0.0), colour);
            assert_eq!(picture.resized(3, 2).colour(9.0, -9.0), colour);
        }
    }

    #[test]
    fn invalid_image_is_reported() {
        let file = png(RgbImage::new(2, 2));
        // 65536 by 65536 pixels, with a valid checksum.
        let mut bomb = file.clone();
        bomb[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
        bomb[29..33].copy_from_slice(&[0xe3, 0xe6, 0xa7, 0xb4]);
        let table: [(&[u8], &str); 7] = [
            (b"", "no PNG or JPEG"),
            (b"data:image/png,x", "no PNG or JPEG"),
            (b"data:image/png;base64,", "no PNG or JPEG"),
            (b"data:image/png;base64,?", "no base 64 that can be read"),
            (b"GIF89a", "no PNG or JPEG"),
            (&file[..40], "no PNG or JPEG"),
            (&bomb, "at most 16777216 pixels, found 65536 x 65536"),
        ];
        for (file, expected) in table {
            let error = Picture::decode(file).err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn colours_between_pixels_are_interpolated() {
        let picture = Picture::painted(1, 2, |x, _| [level(x * 100.0); 3]);
        for (x, level) in [(-1.0, 0), (0.0, 0), (0.25, 25), (1.0, 100), (7.0, 100)] {
            assert_eq!(picture.colour(x, 0.0), [level; 3]);
        }
        let mut turned = picture.resized(1, 4);
        turned.turn();
        let levels: Vec<u8> = turned.pixels().slice(s![0, .., 0]).to_vec();
        assert_eq!(levels, [100, 75, 25, 0]);
    }
}
