use pytriton::prelude::*;

use crate::Result;
use crate::detection::{self, Detection};
use crate::direction::{self, Direction};
use crate::page::Page;
use crate::picture::{Picture, truncate};
use crate::quad::Quad;
use crate::recognition::{self, Recognition};
use crate::regions::regions;
use crate::text_line::{TextLine, in_order, together};

/// The maximum side length of a picture in the detector, in pixels; larger pictures are scaled
/// down.
const LONGEST: f32 = 960.0;

/// The probability above which a line is turned.
const TURNED: f32 = 0.9;

/// The minimum score of a line in the result.
const SURE: f32 = 0.5;

/// The minimum width of the recogniser's input, as in its training.
const LEAST_WIDTH: usize = 320;

/// Reads the text in pictures by calling three models.
struct Ocr {
    detection: Detection,
    direction: Direction,
    recognition: Recognition,
}

/// Reads the text in a picture and returns its positions. `Detection` finds the lines, `Direction`
/// detects lines that are upside down, and `Recognition` reads them.
///
/// The lines of all queued pictures are read together.
#[pytriton::model(name = "OCR", max_batch_size = 8)]
impl Ocr {
    #[load]
    fn load() -> Result<Self> {
        Ok(Self {
            detection: Detection::load()?,
            direction: Direction::load()?,
            recognition: Recognition::load()?,
        })
    }

    #[infer]
    #[input(
        name = "picture",
        datatype = BYTES,
        shape = [1],
        example = "data:image/png;base64,\
            iVBORw0KGgoAAAANSUhEUgAAAGAAAAAwAQAAAADGbUJiAAAAkElEQVR42t3RsQrCMBDG8X9CwQy2ZBUEHXwARzc7+lg+lm/Qjj6AmwXXmC6tpI\
            lDr4iOTuJtP7jv7uBU4lWaf0FTj0il/2bAYOFeCkIH7izoL3A7CXwB9VKQGbAAKaKq/lqt2pTGjAEiaNi7tz2z+HmBnvCAoxOsO3BTW/CwawT5\
            JobFATKAubE634L64Z8+AU5qKLg5KI5HAAAAAElFTkSuQmCC"
    )]
    fn read(&self, requests: &[Request]) -> Vec<Result<Page>> {
        let mut found: Vec<_> = requests
            .iter()
            .map(|request| self.find_all(request))
            .collect();
        let lines = found.iter_mut().flatten().flatten().flatten();
        let mut lines: Vec<&mut TextLine> = lines.collect();
        let read = self.turn(&mut lines).and_then(|()| self.spell(&mut lines));
        let failed = read.err().map(|error| error.to_string());
        let page = |found: Result<Vec<Vec<TextLine>>>| {
            let mut pictures = found?;
            if let Some(failed) = &failed {
                return Err(failed.clone().into());
            }
            for lines in &mut pictures {
                lines.retain(|line| line.score >= SURE);
            }
            Ok(Page::new(&pictures))
        };
        found.into_iter().map(page).collect()
    }

    /// Returns the lines of each picture of a request.
    fn find_all(&self, request: &Request) -> Result<Vec<Vec<TextLine>>> {
        let files = request.array::<Vec<u8>>("picture")?;
        let files = files.iter().flatten();
        files
            .map(|file| self.find(&Picture::decode(file)?))
            .collect()
    }

    fn find(&self, picture: &Picture) -> Result<Vec<TextLine>> {
        let [width, height] = [picture.width(), picture.height()];
        let scale = (LONGEST / width.max(height) as f32).min(1.0);
        let [columns, rows] = [width, height].map(|side| {
            let steps = side as f32 * scale / detection::STEP as f32;
            truncate(steps.round()).max(1) * detection::STEP
        });
        let pixels = picture.resized(rows, columns);
        let map = self.detection.find(pixels.pixels().insert_axis(Axis(0)))?;
        let scale = [width as f32 / columns as f32, height as f32 / rows as f32];
        let regions = regions(map.index_axis(Axis(0), 0));
        let quads = regions
            .iter()
            .map(|region| region.quad().scaled(scale, picture));
        let quads = quads.filter(|quad| quad.size().iter().all(|side| *side > 3.0));
        let quads: Vec<Quad> = quads.collect();
        let lines = in_order(quads).into_iter();
        Ok(lines.map(|quad| TextLine::cut(picture, quad)).collect())
    }

    /// The network sees only the start of a long line. Scaling the line down to fit, as PaddleOCR
    /// does, gives wrong results for many long lines.
    fn turn(&self, lines: &mut [&mut TextLine]) -> Result<()> {
        for lines in lines.chunks_mut(32) {
            let pictures = together(lines.iter().map(|line| &line.picture), direction::WIDTH);
            let turned = self.direction.see(pictures.view())?;
            for (line, turned) in lines.iter_mut().zip(turned.outer_iter()) {
                if turned[1] > TURNED {
                    line.picture.turn();
                }
            }
        }
        Ok(())
    }

    /// Lines of similar width are read together, to reduce padding.
    fn spell(&self, lines: &mut [&mut TextLine]) -> Result<()> {
        lines.sort_by_key(|line| line.picture.width());
        for lines in lines.chunks_mut(6) {
            let widths = lines.iter().map(|line| line.picture.width());
            let width = widths.fold(LEAST_WIDTH, usize::max);
            let width = width.next_multiple_of(recognition::STEP);
            let pictures = together(lines.iter().map(|line| &line.picture), width);
            let read = self.recognition.read(pictures.view())?;
            let read = read.text.into_iter().zip(read.score);
            for (line, (text, score)) in lines.iter_mut().zip(read) {
                (line.text, line.score) = (text, score);
            }
        }
        Ok(())
    }
}
