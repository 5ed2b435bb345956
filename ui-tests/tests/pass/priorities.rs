#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_runtime::model::{Priorities, QueuePolicy, TimeoutAction};
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

fn priorities(name: &str) -> Priorities {
    spec(name).dynamic_batching.unwrap().priorities.unwrap()
}

pub(crate) fn main() {
    let Priorities {
        levels,
        default_level,
        queue_policies,
    } = priorities("Urgent");
    assert_eq!((levels, default_level), (3, 2));
    let policy = QueuePolicy {
        timeout_action: TimeoutAction::Delay,
        default_timeout_microseconds: 1000,
        allow_timeout_override: true,
        max_queue_size: 4,
    };
    assert_eq!(queue_policies, [(1, QueuePolicy::DEFAULT), (3, policy)]);
    assert_eq!(priorities("Lowest").default_level, 2);
    assert_eq!(priorities("OneLevel").levels, 1);
    assert_eq!(
        spec("Urgent")
            .dynamic_batching
            .unwrap()
            .queue_policy
            .max_queue_size,
        64
    );
}
