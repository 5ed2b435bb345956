//! A program with its own arguments and functions at start and stop.

use std::process::ExitCode;
use std::thread;

use pytriton::Cli;
use pytriton::prelude::*;

#[pytriton::model(name = "Double", max_batch_size = 4)]
#[batch]
fn double(x: ArrayView2<f32>) -> Array2<f32> {
    &x * 2.0
}

#[derive(clap::Args)]
struct Args {
    /// Where this server runs
    #[arg(long, env = "OWN_PROGRAM_ZONE", value_name = "NAME", required = true)]
    zone: String,

    /// Fail at this point
    #[arg(long, value_parser = ["start", "stop", "panic", "hang"])]
    fail: Option<String>,
}

impl Args {
    fn reach(&self, point: &str) -> Result<(), String> {
        match self.fail.as_deref() {
            Some("panic") => panic!("panic at {point}"),
            Some("hang") if point == "stop" => loop {
                thread::park();
            },
            Some(fail) if fail == point => Err(format!("no {point} in {}", self.zone)),
            _ => Ok(()),
        }
    }
}

fn main() -> ExitCode {
    Cli::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"))
        .args::<Args>()
        .on_start(|app| {
            let address = app.addresses().http().map(|http| http.to_string());
            eprintln!("started {} at {address:?}", app.args().zone);
            Ok(app.args().reach("start")?)
        })
        .on_stop(|app| {
            eprintln!("stopped {}", app.args().zone);
            Ok(app.args().reach("stop")?)
        })
        .on_stop(|app| {
            eprintln!("left {}", app.args().zone);
            Ok(())
        })
        .run()
}
