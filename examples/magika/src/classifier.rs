use std::path::Path;

use crate::Result;
use crate::config::{Config, read};
use crate::kind::{Kind, Kinds};
use crate::mode::Mode;
use crate::network::Network;
use crate::window::Window;

/// Tells kinds of files, as Magika puts it together.
pub(crate) struct Classifier {
    window: Window,
    network: Network,
    verdicts: Vec<Verdict>,
    /// How sure it is when it is more sure than not.
    medium: f64,
    empty: Kind,
    text: Kind,
    unknown: Kind,
}

/// What becomes of a label that the network says.
struct Verdict {
    kind: Kind,
    /// How sure the network has to be.
    high: f64,
}

impl Classifier {
    /// Reads the network and what belongs to it from a folder of Magika's package.
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let model = folder.join("models/standard_v3_3");
        let config: Config = read(&model.join("config.min.json"))?;
        let kinds = Kinds::read(&folder.join("config/content_types_kb.min.json"))?;
        let medium = config.medium_confidence_threshold;
        let verdicts = config.target_labels_space.iter().map(|label| {
            let told = config.overwrite_map.get(label).unwrap_or(label);
            Ok(Verdict {
                kind: kinds.find(told)?,
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

    /// The kind of a file, and how sure that is.
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
        // It is seldom mistaken in whether a file is a text.
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
