//! Instances on several devices.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use futures_util::future::try_join_all;
use ndarray::Array2;
use pytriton_core::call::{Call, Context, Execution, Instance};
use pytriton_core::model::{Device, InstanceGroup};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::testing::{IDENTITY, infer_request};

use super::served::Served;

/// Returns the index of its instance, plus a quarter on a GPU.
struct Placed(f32);

impl Placed {
    fn load(context: &Context) -> Self {
        let number = f32::from(u16::try_from(context.instance()).unwrap());
        Self(match context.device() {
            Device::Gpu(7) => number + 0.25,
            Device::Gpu(_) => f32::NAN,
            _ => number,
        })
    }
}

impl Instance for Placed {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            // Concurrent requests need all instances.
            thread::sleep(Duration::from_millis(1));
            call.outputs(Array2::from_elem((1, 1), self.0))
        })
    }
}

const PLACED: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        max_batch_size: 1,
        instances: &[
            InstanceGroup::cpu(1),
            InstanceGroup::gpu(7),
            InstanceGroup::gpu(7),
        ],
        ..IDENTITY.options
    },
    ..IDENTITY
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_knows_its_device_and_is_called_with_its_own_state() {
    let served = Served::start_inline(&PLACED, 4096, Placed::load).await;
    let mut seen = BTreeSet::new();
    let begun = std::time::Instant::now();
    while seen.len() < 3 && begun.elapsed() < Duration::from_secs(20) {
        let asked = [1.0; 8].map(|value| served.spawn(infer_request(1, value)));
        // This request is executed inline if an instance is idle.
        let alone = served.infer(infer_request(1, 1.0)).await;
        let responses = try_join_all(asked).await.unwrap();
        let responses = responses.into_iter().chain([alone]);
        seen.extend(responses.map(|answer| {
            let answer = answer.unwrap();
            answer.outputs[0].1.elements::<f32>().unwrap()[0].to_bits()
        }));
    }
    let expected = [0.0_f32, 1.25, 2.25].map(f32::to_bits);
    assert_eq!(seen, BTreeSet::from(expected));
}
