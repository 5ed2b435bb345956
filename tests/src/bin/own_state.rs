//! A program whose models share a state.

use std::env;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pytriton::Cli;
use pytriton::prelude::*;

/// Numbers that are given once.
struct Numbers(AtomicU64);

impl Numbers {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

struct Name(String);

#[pytriton::model(name = "Next", max_batch_size = 4)]
#[batch]
fn next(x: ArrayView2<u64>, numbers: &Arc<Numbers>, _name: &Arc<Name>) -> Array2<u64> {
    &x + numbers.next()
}

struct Loaded {
    numbers: Arc<Numbers>,
}

#[pytriton::model(name = "Loaded", max_batch_size = 4, instances = 2)]
impl Loaded {
    #[load]
    fn load(numbers: Arc<Numbers>, name: &Arc<Name>) -> Self {
        eprintln!("loaded in {}", name.0);
        Self { numbers }
    }

    #[infer]
    #[batch]
    fn infer(&self, x: ArrayView2<u64>) -> Array2<u64> {
        &x + self.numbers.next()
    }
}

#[derive(clap::Args)]
struct Args {
    /// The first number
    #[arg(long, default_value_t = 0)]
    first: u64,
}

fn main() -> ExitCode {
    let cli = Cli::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION")).args::<Args>();
    let name = |_: &Args| Ok(Name("b".to_owned()));
    let cli = cli.state(move |args| {
        eprintln!("created");
        name(args)
    });
    let cli = match env::var("OWN_STATE").unwrap_or_default().as_str() {
        "missing" => cli,
        "twice" => cli.state(name),
        "failed" => cli.state(|_| -> Result<Numbers, _> { Err("no numbers are left".into()) }),
        _ => cli.state(|args: &Args| Ok(Numbers(AtomicU64::new(args.first)))),
    };
    cli.on_start(|app| {
        let numbers = app.state::<Numbers>().ok_or("the program has no numbers")?;
        eprintln!("started at {}", numbers.next());
        Ok(())
    })
    .run()
}
