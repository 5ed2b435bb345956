#![deny(warnings)]
use std::num::NonZero;
use std::thread::available_parallelism;

use pytriton::prelude::*;
use pytriton_ui_tests::spec;

const PER_CORE: u32 = 2;

#[pytriton::model(name = "constant", instances = PER_CORE * 2 + 1)]
fn constant(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "cpus", instances = PER_CORE * pytriton::num_cpus())]
fn cpus(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "threads", instances = available_parallelism().map_or(1, |number| number.get()))]
fn threads(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "chosen", instances = if cfg!(test) { 3 } else { 4 })]
fn chosen(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "nonzero", instances = NonZero::<u8>::MIN.saturating_add(6))]
fn nonzero(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

pub fn main() {
    let cpus = pytriton::num_cpus();
    let table = [
        ("constant", 5),
        ("cpus", 2 * cpus),
        ("threads", cpus),
        ("chosen", 3),
        ("nonzero", 7),
    ];
    for (name, expected) in table {
        assert_eq!(spec(name).instances.count(), expected, "{name}");
    }
}
