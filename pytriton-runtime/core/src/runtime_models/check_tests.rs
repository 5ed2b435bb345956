use std::time::Duration;

use futures_util::stream;

use crate::decorators::{FillOptional, PadBatch};
use crate::model::{InstanceGroup, QueuePolicy, TimeoutAction, VersionPolicy};

use super::super::{Function, Input, Model, Output, PerBatch, PerRequest, Raw};

const DELAY: QueuePolicy = QueuePolicy {
    timeout_action: TimeoutAction::Delay,
    default_timeout_microseconds: 5,
    ..QueuePolicy::DEFAULT
};

pub(super) fn model() -> Model {
    Model::new("Model")
        .input(Input::new::<f32>("x", [-1]))
        .output(Output::new::<f32>("y", [-1]))
}

pub(super) fn batch() -> Function {
    Function::new(PerBatch, |_| Ok(Vec::new()))
}

/// Returns the mistakes, without the prefix of each line.
pub(super) fn flaws(model: Model, function: impl Into<Function>) -> Vec<String> {
    let Err(error) = model.registration(&function.into()) else {
        return Vec::new();
    };
    let text = error.to_string();
    // The other lines are notes.
    let lines = text.lines().filter(|line| line.starts_with("model '"));
    let lines = lines.map(|line| {
        let (place, flaw) = line.split_once(": ").unwrap_or_default();
        assert!(place.contains("_tests.rs:"), "{line}");
        flaw.to_owned()
    });
    lines.collect()
}

#[test]
fn inline_function_has_one_response_and_a_send_state() {
    let sample = || Function::new(PerRequest, |_| Ok(Vec::new()));
    let local = || PerRequest.stateful(|_| Ok(0.0));
    let vector = |movable: bool| {
        let state = match movable {
            true => local().movable(),
            false => local(),
        };
        Function::new(state, |_| Ok(Vec::new()))
    };
    let spec = model().inline(true).registration(&sample()).unwrap().spec;
    assert!(spec.call_options.inline);
    let stay = "the state of an `inline` function must be `Send`: write `.stateful(…).movable()`, or remove `inline`";
    let wait =
        "an `inline` call cannot await: remove `inline`, or write a function that is not `async`";
    let one = "an `inline` call has one response: remove `inline`, or return a single response";
    let table: [(Function, &[&str]); 10] = [
        (batch(), &[]),
        (vector(true), &[]),
        (vector(false), &[stay]),
        ([vector(true), vector(false)].into(), &[stay]),
        (
            Function::new(Raw.stateful(|_| Ok(0.0)).movable(), |_| {
                Ok(vec![Ok(Vec::new())])
            }),
            &[],
        ),
        (
            Function::new_async(PerRequest, async |_| Ok(Vec::new())),
            &[wait],
        ),
        (
            Function::new_async(PerBatch.stateful(|_| Ok(0.0)).movable(), async |_| {
                Ok(Vec::new())
            }),
            &[wait],
        ),
        (
            Function::new(PerRequest, |_| Ok(std::iter::once(Ok(Vec::new())))),
            &[one],
        ),
        (
            Function::new(PerRequest, |_| Ok(stream::iter([Ok(Vec::new())]))),
            &[one],
        ),
        (Function::new(PerRequest, |_| Ok(())), &[one]),
    ];
    for (function, expected) in table {
        assert_eq!(flaws(model().inline(true), function.clone()), expected);
        assert!(flaws(model().inline(false), function).is_empty());
    }
    let conflicts = [
        (
            model().batches_in_flight(2),
            "`inline`: an `inline` call uses its instance exclusively: remove `inline`, or `batches_in_flight`",
        ),
        (
            model().max_call(Duration::from_micros(5)),
            "`inline`: `max_call_microseconds` (`.max_call(…)`) cannot limit an `inline` call, which runs on a thread that serves connections: remove one of them",
        ),
        (
            model().cancellable(),
            "an `inline` call cannot be cancelled: remove `inline`, or remove `cancellable`",
        ),
    ];
    for (model, expected) in conflicts {
        assert_eq!(flaws(model.inline(true), sample()), [expected]);
    }
}

#[test]
fn valid_model_is_accepted() {
    let full = model()
        .version(3)
        .max_batch_size(16)
        .batches_in_flight(2)
        .max_call(Duration::from_millis(1))
        .preferred_batch_size([4, 8])
        .max_queue_delay(Duration::from_micros(100))
        .max_queue_size(64)
        .default_timeout(Duration::from_millis(1))
        .timeout_action(TimeoutAction::Delay)
        .allow_timeout_override(true)
        .priority_levels(3)
        .default_priority_level(2)
        .priority_queue_policy(3, DELAY)
        .priority_queue_policy(1, QueuePolicy::DEFAULT)
        .response_cache(true)
        .parameter("weights", "/w")
        .step(PadBatch);
    let registration = full.registration(&batch()).unwrap();
    let spec = &registration.spec;
    assert_eq!(
        (spec.version, spec.max_batch_size, spec.instances.count()),
        (3, 16, 1)
    );
    assert_eq!(registration.steps.len(), 1);
    let batching = spec.dynamic_batching().unwrap();
    assert_eq!(batching.preferred_batch_size, [4, 8]);
    let options = &batching.options;
    assert_eq!(
        (options.priority_levels, options.default_priority_level),
        (3, 2)
    );
    assert_eq!(
        batching.priority_queue_policy,
        [(1, QueuePolicy::DEFAULT), (3, DELAY)]
    );
    assert_eq!(spec.parameter("weights"), Some("/w"));
    let plain = model()
        .registration(&[batch(), batch()].into())
        .unwrap()
        .spec;
    assert_eq!((plain.max_batch_size, plain.instances.count()), (4, 2));
    assert!(plain.dynamic_batching().is_some() && plain.call_options.call_limit().is_none());
    let flat = model().batching(false).instances(3);
    let flat = flat
        .registration(&Function::new(PerRequest, |_| Ok(Vec::new())))
        .unwrap()
        .spec;
    assert_eq!((flat.max_batch_size, flat.instances.count()), (0, 3));
    assert!(flat.batcher.is_none());
}

#[test]
fn every_invalid_option_is_reported() {
    let raw = || Function::new(Raw, |_| Ok(Vec::<Result<Vec<_>, _>>::new()));
    let sample = || Function::new(PerRequest, |_| Ok(Vec::new()));
    let none = Function::from(Vec::new());
    let table: Vec<(Model, Function, &str)> = vec![
        (
            Model::new("a b")
                .input(Input::new::<f32>("x", [1]))
                .output(Output::new::<f32>("y", [1])),
            batch(),
            "`name`: only letters, digits, `.`, `_` and `-` are allowed in the name of a model",
        ),
        (
            model().version(0),
            batch(),
            "`version`: expected a number from 1 to 2147483647",
        ),
        (
            model().instances(0),
            batch(),
            "`instances`: expected a number from 1 to",
        ),
        (
            model().instances([]),
            batch(),
            "`instances`: a model needs an instance",
        ),
        (
            model().instances([InstanceGroup::gpu(0), InstanceGroup::cpu(0)]),
            batch(),
            "`instances`: expected a number from 1 to",
        ),
        (
            model().instances([1, 2].map(InstanceGroup::cpu)),
            batch(),
            "`instances`: `cpu` is given twice",
        ),
        (
            model().instances([InstanceGroup::gpu(1 << 31)]),
            batch(),
            "`instances`: expected the number of a GPU",
        ),
        (
            model().instances([InstanceGroup::gpu(0), InstanceGroup::cpu((1 << 31) - 1)]),
            batch(),
            "`instances`: a model has at most 2147483647 instances",
        ),
        (
            model().batches_in_flight(5000),
            batch(),
            "`batches_in_flight`: expected a number from 1 to 4096",
        ),
        (
            model().batching(false).max_batch_size(4),
            sample(),
            "`max_batch_size`: this option needs batching",
        ),
        (
            model().preferred_batch_size([5]),
            batch(),
            "`preferred_batch_size` 5: a preferred batch size must be from 1 to",
        ),
        (
            model().dynamic_batching(false).max_queue_size(1),
            batch(),
            "`max_queue_size`: this option needs dynamic batching",
        ),
        (
            model().preserve_ordering(true).response_cache(true),
            batch(),
            "`response_cache`: `response_cache` and `preserve_ordering` exclude",
        ),
        (
            model().priority_levels(2).priority_queue_policy(3, DELAY),
            batch(),
            "`priority_queue_policy` of level 3, `level`: expected a number from 1 to `priority_levels`",
        ),
        (
            model().parameter("a", "1").parameter("a", "2"),
            batch(),
            "`parameter(\"a\", …)` is set twice",
        ),
        (
            model().input(Input::new::<f32>("__x", [1])),
            batch(),
            "tensor `__x`: names of tensors that start with",
        ),
        (
            model().output(Output::new::<f32>("y", [1])),
            batch(),
            "two outputs are named `y`",
        ),
        (
            model().input(Input::new::<f32>("z", [])),
            batch(),
            "tensor `z` needs at least one dimension",
        ),
        (
            model().input(Input::new::<f32>("z", [0])),
            batch(),
            "tensor `z` has a dimension 0: a dimension must be at least 1",
        ),
        (
            model().input(Input::new::<f32>("z", [1 << 32, 1 << 32])),
            batch(),
            "tensor `z`: `shape` has more elements than",
        ),
        (
            Model::new("m").output(Output::new::<f32>("y", [1])),
            batch(),
            "a model with a batch axis needs an input",
        ),
        (
            Model::new("m").input(Input::new::<f32>("x", [1])),
            batch(),
            "a model needs an output",
        ),
        (model(), none, "the list of functions is empty"),
        (
            model(),
            [batch(), sample()].into(),
            "the functions of a model's instances must be of the same kind",
        ),
        (
            model().instances(3),
            [batch(), batch()].into(),
            "`instances` is 3, but there are 2 functions",
        ),
        (
            model().batching(false),
            batch(),
            "`PerBatch` needs batching",
        ),
        (
            model().input(Input::new::<f32>("z", [1]).first_value()),
            sample(),
            "`first_value` needs `PerBatch`",
        ),
        (
            model().step(PadBatch),
            raw(),
            "a raw function supports no steps",
        ),
        (
            model().by_parameters(),
            raw(),
            "each request of a raw function has its own parameters",
        ),
        (
            model().by_parameters().response_cache(true),
            batch(),
            "`response_cache` returns the same response for the same inputs and ignores parameters",
        ),
        (
            model().by_identity(),
            raw(),
            "each request of a raw function has its own client",
        ),
        (
            model().by_identity().response_cache(true),
            batch(),
            "`response_cache` returns the same response for the same inputs to every client",
        ),
        (
            model().response_cache(true),
            raw(),
            "`response_cache` returns the same response for the same inputs, but a raw",
        ),
        (
            model().step(FillOptional::<f32, _>::new("nothing", 1.0)),
            batch(),
            "model 'Model' has no input 'nothing'",
        ),
    ];
    for (model, function, expected) in table {
        let flaws = flaws(model, function);
        assert_eq!(flaws.len(), 1, "{flaws:?}");
        assert!(flaws[0].starts_with(expected), "{}\n{expected}", flaws[0]);
    }
}

#[test]
fn all_flaws_are_reported_together() {
    let flawed = Model::new("").version(0).batches_in_flight(0);
    assert_eq!(flaws(flawed, batch()).len(), 5);
}

#[test]
fn version_policy_that_excludes_the_version_is_refused() {
    let says = |policy: VersionPolicy| {
        let model = model().version_policy(policy);
        model
            .registration(&batch())
            .map(|model| model.spec.version_policy.clone())
    };
    for policy in [
        VersionPolicy::Latest(2),
        VersionPolicy::All,
        VersionPolicy::Specific(vec![1, 3]),
    ] {
        assert_eq!(says(policy.clone()).unwrap(), Some(policy));
    }
    let table = [
        (VersionPolicy::Latest(0), "`latest` must select"),
        (VersionPolicy::Specific(vec![]), "`specific` must list"),
        (
            VersionPolicy::Specific(vec![1, 0]),
            "expected a number from 1",
        ),
        (VersionPolicy::Specific(vec![1, 1]), "is given twice"),
    ];
    for (policy, expected) in table {
        let error = says(policy).unwrap_err().to_string();
        assert!(error.contains("version_policy"), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn decoupled_function_excludes_steps_and_caching() {
    let many = || Function::new(PerBatch, |_| Ok([Ok(Vec::new())].into_iter()));
    assert_eq!(flaws(model(), many()), [""; 0]);
    let table = [
        (
            model().step(PadBatch),
            "a step supports one response per request: remove `step`, or return a single response",
        ),
        (
            model().response_cache(true),
            "`response_cache` stores one response per request: remove it, or return a single response",
        ),
        (
            model().preserve_ordering(true),
            "the order of streamed responses is not preserved: remove `preserve_ordering`, or return a single response",
        ),
    ];
    for (model, expected) in table {
        assert_eq!(flaws(model, many()), [expected]);
    }
    assert_eq!(flaws(model(), [many(), batch()]).len(), 1);
}
