use futures_util::future::try_join_all;
use pytriton::Error;
use pytriton::prelude::*;

use crate::detection::{self, Detection};
use crate::direction::{self, Direction};
use crate::page::Page;
use crate::picture::{Picture, truncate};
use crate::quad::Quad;
use crate::recognition::{self, Recognition};
use crate::regions::regions;
use crate::text_line::{TextLine, in_order};

/// The maximum side length of a picture in the detector, in pixels; larger pictures are scaled
/// down.
const LONGEST: f32 = 960.0;

/// The probability above which a line is turned.
const TURNED: f32 = 0.9;

/// The minimum score of a line in the result.
const SURE: f32 = 0.5;

/// The minimum width of the recogniser's input, as in its training.
const LEAST_WIDTH: usize = 320;

/// Wider inputs are a multiple of this, so that lines of similar width are in one batch.
const WIDTH_STEP: usize = 64;

/// Reads the text in a picture and returns its positions. `Detection` finds the lines, `Direction`
/// detects lines that are upside down, and `Recognition` reads them.
///
/// Lines of different pictures and requests are read together.
#[pytriton::model(name = "OCR", max_batch_size = 8, batches_in_flight = 8)]
async fn ocr(
    #[input(
        shape = [1],
        example = "data:image/png;base64,\
            iVBORw0KGgoAAAANSUhEUgAAAGAAAAAwAQAAAADGbUJiAAAAkElEQVR42t3RsQrCMBDG8X9CwQy2ZBUEHXwARzc7+lg+lm/Qjj6AmwXXmC6tpI\
            lDr4iOTuJtP7jv7uBU4lWaf0FTj0il/2bAYOFeCkIH7izoL3A7CXwB9VKQGbAAKaKq/lqt2pTGjAEiaNi7tz2z+HmBnvCAoxOsO3BTW/CwawT5\
            JobFATKAubE634L64Z8+AU5qKLg5KI5HAAAAAElFTkSuQmCC"
    )]
    picture: ArrayView2<'_, Vec<u8>>,
    detection: &Call<Detection>,
    direction: &Call<Direction>,
    recognition: &Call<Recognition>,
) -> Result<Page, Error> {
    let read = async |file: &Vec<u8>| {
        let lines = find(file, detection).await?.into_iter();
        let lines = lines.map(async |line| {
            let line = turn(line, direction).await?;
            spell(line, recognition).await
        });
        let mut lines = try_join_all(lines).await?;
        lines.retain(|line| line.score >= SURE);
        Ok::<_, Error>(lines)
    };
    let pictures = try_join_all(picture.iter().map(read)).await?;
    Ok(Page::new(&pictures))
}

/// Returns the lines of a picture, in reading order.
async fn find(file: &[u8], detection: &Call<Detection>) -> Result<Vec<TextLine>, Error> {
    let picture = Picture::decode(file).map_err(Error::invalid_argument)?;
    let [width, height] = [picture.width(), picture.height()];
    let scale = (LONGEST / width.max(height) as f32).min(1.0);
    let [columns, rows] = [width, height].map(|side| {
        let steps = side as f32 * scale / detection::STEP as f32;
        truncate(steps.round()).max(1) * detection::STEP
    });
    let pixels = picture.resized(rows, columns).into_pixels();
    let map = detection.call(pixels.insert_axis(Axis(0))).await?;
    let scale = [width as f32 / columns as f32, height as f32 / rows as f32];
    let regions = regions(map.index_axis(Axis(0), 0));
    let quads = regions
        .iter()
        .map(|region| region.quad().scaled(scale, &picture));
    let quads = quads.filter(|quad| quad.size().iter().all(|side| *side > 3.0));
    let lines = in_order(quads.collect::<Vec<Quad>>()).into_iter();
    Ok(lines.map(|quad| TextLine::cut(&picture, quad)).collect())
}

/// Turns a line that is upside down.
///
/// The network sees only the start of a long line. Scaling the line down to fit, as PaddleOCR does,
/// gives wrong results for many long lines.
async fn turn(mut line: TextLine, direction: &Call<Direction>) -> Result<TextLine, Error> {
    let turned = direction.call(line.padded(direction::WIDTH)).await?;
    if turned[[0, 1]] > TURNED {
        line.picture.turn();
    }
    Ok(line)
}

/// Reads a line.
async fn spell(mut line: TextLine, recognition: &Call<Recognition>) -> Result<TextLine, Error> {
    let width = line.picture.width().max(LEAST_WIDTH);
    let width = width
        .next_multiple_of(WIDTH_STEP)
        .min(recognition::MAX_WIDTH);
    let read = recognition.call(line.padded(width)).await?;
    line.text = read.text.into_iter().collect();
    line.score = read.score.sum();
    Ok(line)
}
