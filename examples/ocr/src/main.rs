//! Reads the text in pictures, with three models and a fourth one that calls them.

mod alphabet;
mod detection;
mod direction;
mod network;
mod ocr;
mod page;
mod picture;
mod quad;
mod recognition;
mod rectangle;
mod regions;
mod text_line;

use std::error::Error;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

pytriton::main!();
