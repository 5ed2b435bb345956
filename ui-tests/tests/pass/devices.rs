#![deny(warnings)]
use pytriton::config::{Device, InstanceGroup};
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

const TWO: u32 = 2;
const FIRST: u32 = 0;

#[pytriton::model(name = "Placed", instances = [cpu(TWO), gpu(FIRST), gpu(FIRST), gpu(FIRST + 3)])]
fn placed(x: ArrayView2<f32>, context: &Context) -> Array2<f32> {
    match context.device() {
        Device::Gpu(number) => &x * number as f32,
        _ => x.to_owned(),
    }
}

#[pytriton::model(name = "Counted", instances = TWO)]
fn counted(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

pub(crate) fn main() {
    let placed = spec("Placed").instances;
    let [cpu, gpu] = [InstanceGroup::cpu(2), InstanceGroup::gpu(0)];
    assert_eq!(placed.groups(), [cpu, gpu, gpu, InstanceGroup::gpu(3)]);
    assert_eq!(placed.count(), 5);
    assert_eq!(spec("Counted").instances.groups(), [cpu]);
}
