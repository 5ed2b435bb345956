//! Models for the unit tests of this crate and of the crates above it. Not public API.

pub mod counting;
pub mod flaws;
#[cfg(test)]
#[expect(unsafe_code, reason = "an allocator is unsafe to write")]
pub(crate) mod heap;

use std::future::pending;
use std::panic::panic_any;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ndarray::{Array2, Ix2};
use rustix::time::{ClockId, clock_gettime};

use crate::call::{Call, Execution, Instance, Outputs};
use crate::memory_budget::MemoryPermit;
use crate::model::{CallMode, InstanceGroup, Location, ModelSpec, TensorDeclaration};
use crate::registry::{ModelDeclaration, ModelOptions};
use crate::request::{InferInput, InferRequest, Request};
use crate::tensor::{DataType, Element};

/// `INPUT_1` of FP32 with any number of columns.
const INPUTS: &[TensorDeclaration] = &[TensorDeclaration {
    name: "INPUT_1",
    datatype: DataType::Fp32,
    rank: Some(2),
    shape: None,
    optional: false,
    description: "",
    example: &[],
    labels: "",
}];

/// Two instances.
pub const TWO: &[InstanceGroup] = &[InstanceGroup::cpu(2)];

/// Held by a test to block the functions that wait for it.
pub static GATE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Returns its input, depending on the first value: -1 panics, -2 returns one row too many, -3
/// fails, -4 takes 50 ms, -5 waits for [`GATE`], -6 panics with a [`Bomb`], -7 waits forever
/// without blocking the thread, -8 does so while holding a [`Bomb`], -9 while holding a value that
/// takes two seconds to drop.
#[derive(Debug)]
pub struct Identity;

impl Instance for Identity {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let x = call.array::<f32, Ix2>(0)?;
            let _bomb = (x.first() == Some(&-8.0)).then(|| Bomb);
            let _slow = (x.first() == Some(&-9.0)).then(|| Slow);
            if matches!(x.first(), Some(-7.0 | -8.0 | -9.0)) {
                pending().await
            }
            call.outputs(identity(x.into_owned()))
        })
    }
}

fn identity(x: Array2<f32>) -> Result<Array2<f32>, String> {
    match x.first() {
        Some(-1.0) => panic!("asked to panic"),
        Some(-2.0) => Ok(Array2::zeros((x.nrows() + 1, x.ncols()))),
        Some(-3.0) => Err("asked to fail".to_owned()),
        Some(-6.0) => panic_any(Bomb),
        Some(-5.0) => {
            drop(GATE.blocking_lock());
            Ok(x)
        }
        Some(-4.0) => {
            std::thread::sleep(Duration::from_millis(50));
            Ok(x)
        }
        _ => Ok(x),
    }
}

/// A panic payload that panics with another one when it is dropped.
#[derive(Debug)]
pub struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic_any(Self);
    }
}

struct Slow;

impl Drop for Slow {
    fn drop(&mut self) {
        std::thread::sleep(Duration::from_secs(2));
    }
}

/// The declaration of `Identity`, which tests vary.
pub const IDENTITY: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        name: "Identity",
        max_batch_size: 8,
        ..ModelOptions::DEFAULT
    },
    inputs: INPUTS,
    outputs: <Array2<f32> as Outputs>::DECLARATIONS,
    output_overrides: &[],
    call: CallMode::Batch,
    decoupled: false,
    cancellable: false,
    takes_parameters: false,
    by_parameters: false,
    takes_identity: false,
    first_values: &[],
    utf8_inputs: &[],
    ragged_inputs: &[],
    steps: &[],
    warmups: &[],
    load: |_| Ok(Box::new(Identity)),
    location: Location {
        package: "testing",
        file: "testing.rs",
        line: 1,
    },
};

/// Returns the processor time that this thread spends on `work`.
pub fn computing(work: impl FnOnce()) -> Duration {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::try_from(time).unwrap()
    };
    let begun = now();
    work();
    now() - begun
}

/// Returns a request with `rows` rows of `value`.
pub fn infer_request(rows: usize, value: f32) -> InferRequest {
    InferRequest {
        inputs: vec![InferInput {
            name: "INPUT_1".to_owned(),
            datatype: DataType::Fp32,
            shape: vec![i64::try_from(rows).unwrap(), 1],
            data: fp32(&vec![value; rows]),
        }],
        ..InferRequest::new(MemoryPermit::unlimited())
    }
}

/// Same as [`infer_request`], validated.
pub fn request(spec: &Arc<ModelSpec>, rows: usize, value: f32) -> Request {
    Request::check(spec, infer_request(rows, value)).unwrap()
}

/// Returns the bytes of FP32 elements.
pub fn fp32(values: &[f32]) -> Bytes {
    f32::encode(values.to_vec()).unwrap()
}
