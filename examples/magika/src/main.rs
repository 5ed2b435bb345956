//! Detects the type of a file from its content, independent of its name.

mod classifier;
mod config;
mod kind;
mod mode;
mod network;
mod window;

use std::error::Error;

use pytriton::prelude::*;
use rayon::prelude::*;

use classifier::Classifier;
use mode::Mode;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Detects file types with Magika.
struct Magika {
    classifier: Classifier,
}

#[derive(pytriton::Outputs)]
struct Found {
    /// The file type, such as `python` or `png`; `txt` or `unknown` if the score is below the
    /// threshold.
    #[output(shape = [1])]
    label: Array2<String>,
    /// The score, from 0 to 1.
    #[output(shape = [1])]
    score: Array2<f32>,
    /// The MIME type, such as `text/x-python`.
    #[output(shape = [1])]
    mime_type: Array2<String>,
    /// The group of the type, such as `code` or `image`.
    #[output(shape = [1])]
    group: Array2<String>,
}

#[pytriton::model(
    name = "Magika",
    max_batch_size = 64,
    max_queue_delay_microseconds = 1000
)]
impl Magika {
    #[load]
    fn load() -> Result<Self> {
        let folder = weights::MAGIKA.folder()?;
        let classifier = Classifier::load(&folder.join("magika"))?;
        Ok(Self { classifier })
    }

    #[infer]
    #[fill_optionals(mode = "high_confidence")]
    #[batch]
    #[group_by_values(mode)]
    fn identify(
        &self,
        /// The content of each file. The first and the last 4096 bytes are sufficient: the rest is
        /// ignored.
        #[input(shape = [1])]
        content: ArrayView2<Vec<u8>>,
        /// The score threshold for a label: `high_confidence`, `medium_confidence` or `best_guess`.
        #[first_value]
        mode: String,
    ) -> Result<Found> {
        let mode: Mode = mode.parse()?;
        let files: Vec<&Vec<u8>> = content.iter().collect();
        let found = files
            .par_iter()
            .map(|content| self.classifier.identify(content, mode))
            .collect::<Result<Vec<_>>>()?;
        Ok(Found {
            label: column(found.iter().map(|(kind, _)| kind.label.clone())),
            score: column(found.iter().map(|(_, score)| *score)),
            mime_type: column(found.iter().map(|(kind, _)| kind.mime_type.clone())),
            group: column(found.iter().map(|(kind, _)| kind.group.clone())),
        })
    }
}

fn column<T>(rows: impl Iterator<Item = T>) -> Array2<T> {
    Array1::from_iter(rows).insert_axis(Axis(1))
}

pytriton::main!();
