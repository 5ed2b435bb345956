use std::path::Path;

use crate::Result;
use crate::config::{Config, read};
use crate::kind::{Kind, Kinds};
use crate::mode::Mode;
use crate::network::Network;
use crate::window::Window;

/// Detects file types with the pipeline of Magika.
pub(crate) struct Classifier {
    window: Window,
    network: Network,
    verdicts: Vec<Verdict>,
    /// The score threshold of [`Mode::Medium`].
    medium: f64,
    empty: Kind,
    text: Kind,
    unknown: Kind,
}

/// A label of the network and the type that is reported for it.
struct Verdict {
    kind: Kind,
    /// The score threshold of [`Mode::High`].
    high: f64,
}

impl Classifier {
    /// Reads the network and its configuration from the directory of Magika's package.
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let model = folder.join("models/standard_v3_3");
        let config: Config = read(&model.join("config.min.json"))?;
        let kinds = Kinds::read(&folder.join("config/content_types_kb.min.json"))?;
        let medium = config.medium_confidence_threshold;
        let verdicts = config.target_labels_space.iter().map(|label| {
            let name = config.overwrite_map.get(label).unwrap_or(label);
            Ok(Verdict {
                kind: kinds.find(name)?,
                high: config.thresholds.get(label).copied().unwrap_or(medium),
            })
        });
        let verdicts = verdicts.collect::<Result<Vec<_>>>()?;
        let window = Window::new(&config)?;
        let path = model.join("model.onnx");
        let network = Network::load(&path, window.tokens(), verdicts.len())?;
        Ok(Self {
            window,
            network,
            verdicts,
            medium,
            empty: kinds.find("empty")?,
            text: kinds.find("txt")?,
            unknown: kinds.find("unknown")?,
        })
    }

    /// Returns the type of a file and its score.
    pub(crate) fn identify(&self, content: &[u8], mode: Mode) -> Result<(&Kind, f32)> {
        if content.is_empty() {
            return Ok((&self.empty, 1.0));
        }
        let Some(tokens) = self.window.look(content) else {
            let text = str::from_utf8(self.window.head(content)).is_ok();
            return Ok((self.plain(text), 1.0));
        };
        let (place, score) = self.network.decide(&tokens)?;
        let Verdict { kind, high } = &self.verdicts[place];
        let least = match mode {
            Mode::High => *high,
            Mode::Medium => self.medium,
            Mode::Guess => 0.0,
        };
        // Even with a low score, the network is reliable in separating text from binary files.
        Ok(match f64::from(score) >= least {
            true => (kind, score),
            false => (self.plain(kind.is_text), score),
        })
    }

    fn plain(&self, text: bool) -> &Kind {
        match text {
            true => &self.text,
            false => &self.unknown,
        }
    }
}
