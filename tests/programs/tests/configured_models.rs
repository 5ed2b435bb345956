//! Models from a configuration: their number, names and shapes are known at start.

use pytriton::Triton;
use pytriton::options::EngineChoice;
use pytriton::prelude::*;
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};
use serde::Deserialize;

mod http;

#[derive(Deserialize)]
struct Polynomial {
    name: String,
    coefficients: Vec<f64>,
}

fn bind(triton: &Triton, configuration: &str) -> Result<(), Box<dyn std::error::Error>> {
    for Polynomial { name, coefficients } in serde_json::from_str::<Vec<Polynomial>>(configuration)?
    {
        let model = Model::new(&*name)
            .max_batch_size(16)
            .input(Input::new::<f64>("x", [-1]))
            .output(Output::new::<f64>("y", [-1]));
        let function = Function::new(PerBatch, move |call| {
            let x = call.array::<f64, Ix2>("x")?;
            let y = |x: &f64| coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
            Ok(x.map(y))
        });
        triton.bind(model, function)?;
    }
    Ok(())
}

#[test]
fn each_entry_is_a_model() -> Result<(), Box<dyn std::error::Error>> {
    let triton = Triton::builder()
        .engine(EngineChoice::Embedded)
        .free_ports()
        .build()?;
    let configuration = r#"[
        {"name": "double", "coefficients": [0, 2]},
        {"name": "square_plus_one", "coefficients": [1, 0, 1]}
    ]"#;
    bind(&triton, configuration)?;
    assert!(bind(&triton, r#"[{"name": "double", "coefficients": []}]"#).is_err());
    let address = triton.run()?.http().ok_or("HTTP is off")?;
    for (name, y) in [("double", "6.0"), ("square_plus_one", "10.0")] {
        let path = format!("/v2/models/{name}/generate");
        let response = http::request(address, "POST", &path, r#"{"x": 3}"#);
        assert!(response.contains(&format!(r#""y":{y}"#)), "{response}");
    }
    triton.unbind("double", 1)?;
    let response = http::request(address, "POST", "/v2/models/double/generate", r#"{"x": 3}"#);
    assert!(response.starts_with("HTTP/1.1 404"), "{response}");
    Ok(())
}
