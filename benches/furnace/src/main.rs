//! The identity of the benches in furnace-server 0.16.2.

use std::error::Error;
use std::io::Write;

use furnace::model::TensorModel;
use furnace::tensor::{DataType, HostTensor, IoSpec};
use furnace::{Model, Server};
use tokio::net::TcpListener;

#[derive(Debug)]
struct Identity;

impl TensorModel for Identity {
    fn name(&self) -> &str {
        "Identity"
    }

    fn backend(&self) -> &str {
        "cpu"
    }

    fn inputs(&self) -> Vec<IoSpec> {
        vec![IoSpec::new("INPUT_1", DataType::Fp32, &[None])]
    }

    fn outputs(&self) -> Vec<IoSpec> {
        vec![IoSpec::new("OUTPUT_1", DataType::Fp32, &[None])]
    }

    fn run(&self, inputs: Vec<HostTensor>) -> furnace::Result<Vec<HostTensor>> {
        Ok(inputs)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let router = Server::new().model(Model::custom(Identity)).router()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    writeln!(std::io::stdout(), "  http     http://{address}\nready")?;
    axum::serve(listener, router).await?;
    Ok(())
}
