use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use ndarray::{Array1, Ix2, array};
use pytriton_runtime::engine::EngineChoice;
use pytriton_runtime::model::Surface;
use pytriton_runtime::registry::SequenceScheduling;
use pytriton_runtime::runtime_models::{Function, Input, Model, Output, PerBatch, PerRequest};
use pytriton_runtime::server::{Addresses, Triton};
use pytriton_runtime::triton::install;

/// How long a sequence of `Sums` may be idle. Longer than a stopping server waits for a stream
/// without traffic.
pub(crate) const IDLE: Duration = Duration::from_secs(5);

/// The tritonserver installation shared by the tests of all crates.
const INSTALLED: &str = concat!(
    env!("CARGO_TARGET_TMPDIR"),
    "/cache/pytriton/tritonserver/2.51.0"
);

/// The number of running calls of `Nap`.
static NAPPING: AtomicUsize = AtomicUsize::new(0);

/// A server with the tritonserver engine and four models.
pub(crate) struct Served {
    pub(crate) triton: Triton,
}

/// Requests of `Nap` and `Sums` as JSON.
pub(crate) struct Rows;

pub(crate) const NAP: Rows = Rows;

impl Rows {
    /// Returns a row of `Nap` that takes this many milliseconds.
    #[expect(clippy::unused_self, reason = "reads better")]
    pub(crate) fn row(&self, milliseconds: u32) -> String {
        let tensor = r#"{"name":"x","datatype":"FP32","shape":[1,1],"data":"#;
        format!(r#"{{"inputs":[{tensor}[{milliseconds}]}}]}}"#)
    }

    /// Returns the first request of a sequence that does not end.
    pub(crate) fn of_sequence(&self, id: u32) -> String {
        let row = self.row(id);
        let rest = row.strip_prefix('{').unwrap();
        format!(r#"{{"parameters":{{"sequence_id":{id},"sequence_start":true}},{rest}"#)
    }
}

impl Served {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let installed = install::install_to(INSTALLED.as_ref()).unwrap();
        let triton = Triton::builder()
            .engine(EngineChoice::Tritonserver)
            .free_ports()
            .options(move |options| options.triton.tritonserver = Some(installed.folder))
            .arguments(arguments.iter().copied())
            .build()
            .unwrap();
        let prompt = Input::new::<String>("prompt", [1]);
        let text = Output::new::<String>("text", [1]);
        let letters = Model::new("letters").input(prompt).output(text);
        let letters = letters.openai(Surface::Completions);
        let echo = Function::new(PerRequest, |call| {
            let prompt: String = call.scalar("prompt")?;
            Ok(Array1::from_elem(1, prompt))
        });
        triton.bind(letters, echo).unwrap();
        let numbers = |name: &str| {
            let model = Model::new(name).max_batch_size(1);
            let model = model.input(Input::new::<f32>("x", [1]));
            model.output(Output::new::<f32>("y", [1]))
        };
        let nap = Function::new(PerBatch, |call| {
            let x = call.array::<f32, Ix2>("x")?;
            NAPPING.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_secs_f32(x.sum() / 1000.0));
            NAPPING.fetch_sub(1, Ordering::SeqCst);
            Ok(x.to_owned())
        });
        triton.bind(numbers("Nap"), nap).unwrap();
        let pair = Function::new(PerBatch, |call| {
            let x = call.array::<f32, Ix2>("x")?;
            thread::sleep(Duration::from_secs_f32(x.sum() / 1000.0));
            Ok(x.to_owned())
        });
        let model = numbers("Pair")
            .instances(2)
            .max_call(Duration::from_millis(300));
        triton.bind(model, pair).unwrap();
        let sum = PerRequest.per_sequence(|_, _| Ok(0.0_f32));
        let sum = Function::new(sum, |call| {
            *call.sequence_state += call.array::<f32, Ix2>("x")?.sum();
            Ok(array![[*call.sequence_state]])
        });
        let idle = IDLE.as_micros().try_into().unwrap();
        let sums = numbers("Sums")
            .sequence_batching(SequenceScheduling::Direct)
            .max_sequence_idle(Duration::from_micros(idle));
        triton.bind(sums, sum).unwrap();
        triton.run().unwrap();
        Self { triton }
    }

    pub(crate) fn addresses(&self) -> Addresses {
        self.triton.addresses().unwrap()
    }
}

pub(crate) fn napping() -> bool {
    NAPPING.load(Ordering::SeqCst) > 0
}
