//! Trains `examples/online_learning` on the line 3 x - 2, and prints what it has learned:
//! `cargo run -p online_learning --bin online_learning_client -- grpc://localhost`.

use std::env;

use pytriton::client::{ClientError, ModelClient};
use pytriton::ndarray::{Array1, Axis, Ix2, array};

fn main() -> Result<(), ClientError> {
    let url = env::args().nth(1).unwrap_or_else(|| "localhost".to_owned());
    let fit = ModelClient::new(&url, "fit")?;
    let x = Array1::linspace(-1.0_f32, 1.0, 16).insert_axis(Axis(1));
    let y = 3.0 * &x - 2.0;
    for epoch in 0..40 {
        let outputs = fit.infer_batch((("x", &x), ("y", &y)))?;
        let loss = outputs.view::<f32, Ix2>("loss")?.mean();
        if epoch % 10 == 0 {
            println!("loss {:.4}", loss.unwrap_or_default());
        }
    }
    let predict = ModelClient::new(&url, "predict")?;
    let outputs = predict.infer_batch([("x", array![[-1.0_f32], [1.0]])])?;
    for y in outputs.view::<f32, Ix2>("y")? {
        println!("{y:.1}");
    }
    Ok(())
}
