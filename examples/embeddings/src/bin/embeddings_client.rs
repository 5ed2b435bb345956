//! Sorts sentences by their similarity to the first:
//! `cargo run -p embeddings --bin embeddings_client -- localhost [sentence …]`.

use std::env;
use std::time::Duration;

use pytriton::client::{ClientError, ModelClient};
use pytriton::ndarray::{Array1, Axis, Ix2};

const SENTENCES: [&str; 4] = [
    "A cat sleeps.",
    "The kitten is taking a nap.",
    "Dogs bark at night.",
    "Shares fell on Monday.",
];

fn main() -> Result<(), ClientError> {
    let mut arguments = env::args().skip(1);
    let url = arguments.next().unwrap_or("localhost".to_owned());
    let mut sentences: Vec<String> = arguments.collect();
    if sentences.is_empty() {
        sentences = SENTENCES.map(str::to_owned).to_vec();
    }
    // On its first start, the server downloads the network.
    let client = ModelClient::builder(&url, "MiniLM")
        .init_timeout(Duration::from_secs(600))
        .build()?;
    let column = Array1::from(sentences.clone()).insert_axis(Axis(1));
    let outputs = client.infer_batch(column)?;
    let vectors = outputs.view::<f32, Ix2>("vector")?;
    let alike = vectors.dot(&vectors.row(0));
    let mut rows: Vec<(f32, String)> = alike.into_iter().zip(sentences).collect();
    rows.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    for (alike, sentence) in rows {
        println!("{alike:6.3}  {sentence}");
    }
    Ok(())
}
