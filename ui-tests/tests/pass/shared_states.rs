#![deny(warnings)]
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pytriton::prelude::*;
use pytriton_runtime::call::Context;
use pytriton_runtime::shared_state::SharedStates;
use pytriton_ui_tests::registration;

struct Weights(f32);

#[derive(Default)]
struct Calls(AtomicU64);

type AliasOfState = Arc<Weights>;

#[pytriton::model(name = "SharedScale", max_batch_size = 4)]
#[batch]
fn scale(
    x: ArrayView2<f32>,
    weights: &AliasOfState,
    #[first_value] by: f32,
    calls: &Arc<Calls>,
) -> Array2<f32> {
    calls.0.fetch_add(1, Ordering::Relaxed);
    &x * weights.0 * by
}

#[pytriton::model(name = "SharedRows", client = SharedRows)]
async fn rows(x: ArrayView2<'_, f32>, calls: &std::sync::Arc<Calls>) -> Array2<f32> {
    calls.0.fetch_add(1, Ordering::Relaxed);
    x.to_owned()
}

struct Loaded {
    weights: Arc<Weights>,
    number: u64,
}

#[pytriton::model(name = "SharedLoaded", inline = true)]
impl Loaded {
    #[load]
    fn load(context: &Context, weights: Arc<Weights>, calls: &Arc<Calls>) -> Self {
        let number = calls.0.load(Ordering::Relaxed) + u64::from(context.instance());
        Self { weights, number }
    }

    #[infer]
    fn infer(&self, x: ArrayView2<f32>) -> Array2<f32> {
        &x * self.weights.0 + self.number as f32
    }
}

/// The states that a model takes, without the path of their types.
fn required(name: &str) -> Vec<String> {
    let spec = registration(name).spec;
    let path = concat!(module_path!(), "::");
    let states = spec.shared_states.iter();
    states
        .map(|state| state.to_string().replace(path, ""))
        .collect()
}

pub(crate) fn main() {
    for (model, states) in [
        (
            "SharedScale",
            ["`weights: &Arc<Weights>`", "`calls: &Arc<Calls>`"].as_slice(),
        ),
        ("SharedRows", &["`calls: &Arc<Calls>`"]),
        (
            "SharedLoaded",
            &["`Arc<Weights>` in `#[load]`", "`Arc<Calls>` in `#[load]`"],
        ),
    ] {
        assert_eq!(required(model), states);
    }
    let model = registration("SharedLoaded");
    let error = |states: SharedStates| {
        let context = Context::new(Arc::clone(&model.spec), 0).with_states(&Arc::new(states));
        (model.load)(&context).err().map(|error| error.to_string())
    };
    let missing = error(SharedStates::default()).unwrap_or_default();
    assert!(
        missing.contains("the program provides no state of type"),
        "{missing}"
    );
    let mut states = SharedStates::default();
    let added = states.insert(Arc::new(Weights(2.0)));
    assert!(added.and(states.insert(Arc::new(Calls::default()))).is_ok());
    assert_eq!(error(states), None);
}
