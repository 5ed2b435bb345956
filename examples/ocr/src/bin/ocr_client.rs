//! Prints the text on pictures: `cargo run -p ocr --bin ocr_client -- localhost picture.png …`.

use std::env;
use std::error::Error;
use std::fs;
use std::time::Duration;

use pytriton::client::ModelClient;
use pytriton::ndarray::{Ix1, Ix3, arr1};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let url = arguments.next().unwrap_or("localhost".to_owned());
    // On its first start, the server downloads its networks.
    let client = ModelClient::builder(&url, "OCR")
        .init_timeout(Duration::from_secs(600))
        .build()?;
    for path in arguments {
        let outputs = client.infer_sample([("picture", arr1(&[fs::read(path)?]))])?;
        let texts = outputs.array::<String, Ix1>("text")?;
        let scores = outputs.view::<f32, Ix1>("score")?;
        let boxes = outputs.view::<f32, Ix3>("box")?;
        for ((text, score), corners) in texts.iter().zip(scores).zip(boxes.outer_iter()) {
            let corners = corners
                .outer_iter()
                .map(|corner| format!("{:.0},{:.0}", corner[0], corner[1]));
            let corners: Vec<String> = corners.collect();
            println!("{score:5.2}  {:40}  {text}", corners.join(" "));
        }
    }
    Ok(())
}
