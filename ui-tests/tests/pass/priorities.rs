#![deny(warnings)]
use std::time::Duration;

use pytriton::prelude::*;
use pytriton_runtime::model::{Batcher, QueuePolicy, TimeoutAction};
use pytriton_ui_tests::spec;

#[pytriton::model(
    name = "Urgent",
    priority_levels = 3,
    default_priority_level = 2,
    max_queue_size = 64,
    priority_queue_policy(
        level = 3,
        max_queue_size = 4,
        default_timeout_microseconds = 1_000,
        timeout_action = "delay",
        allow_timeout_override = true,
    ),
    priority_queue_policy(level = 1)
)]
fn urgent(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "Lowest", priority_levels = 2)]
fn lowest(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "OneLevel", priority_levels = 1, preserve_ordering = true)]
fn one(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn batcher(name: &str) -> Batcher {
    spec(name).batcher.unwrap()
}

pub(crate) fn main() {
    let urgent = batcher("Urgent");
    let options = urgent.options;
    assert_eq!(
        (options.priority_levels, options.default_priority_level),
        (3, 2)
    );
    let policy = QueuePolicy::DEFAULT
        .timeout_action(TimeoutAction::Delay)
        .default_timeout(Duration::from_millis(1))
        .allow_timeout_override(true)
        .max_queue_size(4);
    let policies = [(1, QueuePolicy::DEFAULT), (3, policy)];
    assert_eq!(urgent.priority_queue_policy, policies);
    assert_eq!(urgent.queue_policy.max_queue_size, 64);
    assert_eq!(batcher("Lowest").options.default_priority_level, 2);
    assert_eq!(batcher("OneLevel").options.priority_levels, 1);
}
