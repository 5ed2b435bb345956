//! A program in a crate that contains only a signature file.

use std::env;

use pytriton::client::{ClientError, Typed};
use pytriton::ndarray::Array2;

pytriton::client!("models.lock");

fn main() {
    let url = env::args().nth(1).unwrap_or_default();
    match ask(&url) {
        Ok(y) => println!("{}", y[[2, 1]]),
        Err(error) => println!("{error}"),
    }
}

fn ask(url: &str) -> Result<Array2<f32>, ClientError> {
    let x = Array2::<f32>::ones((3, 20));
    Typed::<Linear>::connect(url)?.call(&x, 2.0)
}
