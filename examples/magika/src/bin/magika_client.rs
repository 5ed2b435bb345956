//! Prints the types of files: `cargo run -p magika --bin magika_client -- localhost file …`.

use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::time::Duration;

use pytriton::client::ModelClient;
use pytriton::ndarray::{Array1, Axis, Ix2};

/// Bytes that the model reads from the start and from the end of a file.
const BLOCK: u64 = 4096;

/// The maximum number of files per request.
const ROWS: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let url = arguments.next().unwrap_or("localhost".to_owned());
    let paths: Vec<String> = arguments.collect();
    // On its first start, the server downloads the network.
    let client = ModelClient::builder(&url, "Magika")
        .init_timeout(Duration::from_secs(600))
        .build()?;
    for paths in paths.chunks(ROWS) {
        let contents: Array1<Vec<u8>> = paths
            .iter()
            .map(|path| ends(path))
            .collect::<io::Result<_>>()?;
        let outputs = client.infer_batch([("content", contents.insert_axis(Axis(1)))])?;
        let labels = outputs.array::<String, Ix2>("label")?;
        let scores = outputs.view::<f32, Ix2>("score")?;
        let mime_types = outputs.array::<String, Ix2>("mime_type")?;
        for (row, path) in paths.iter().enumerate() {
            let (label, mime_type) = (&labels[[row, 0]], &mime_types[[row, 0]]);
            let score = scores[[row, 0]];
            println!("{score:5.2}  {label:<12} {mime_type:<24} {path}");
        }
    }
    Ok(())
}

/// Returns the part of a file that the model reads.
fn ends(path: &str) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(BLOCK).read_to_end(&mut bytes)?;
    let length = file.seek(SeekFrom::End(0))?;
    let tail = length.saturating_sub(BLOCK).max(BLOCK.min(length));
    file.seek(SeekFrom::Start(tail))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
