use std::cell::Cell;
use std::panic::panic_any;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use ndarray::{Array2, Ix2};

use super::*;
use crate::call::decoded::DecodedInputs;
use crate::call::{Executed, Invocation, LoadedInstance, Loader, SequenceParameter};
use crate::model::{CallMode, ModelSpec};
use crate::registry::{ModelDeclaration, ModelOptions, SequenceScheduling};
use crate::testing::{Bomb, IDENTITY, infer_request};

/// The IDs of sequences whose states were created. Dropped ones are negative.
type Log = Rc<RefCell<Vec<i64>>>;

/// The sum of a sequence. Its drop is logged.
struct Sum {
    sequence: i64,
    sum: f32,
    log: Log,
}

impl Drop for Sum {
    fn drop(&mut self) {
        self.log.borrow_mut().push(-self.sequence);
        if self.sum == BOMB {
            panic_any(Bomb);
        }
    }
}

const PANIC: f32 = -1.0;
const ERROR: f32 = -2.0;
const TOO_LONG: f32 = -3.0;
/// A sum whose drop panics.
const BOMB: f32 = 1_000_000.0;
/// The start of sequences from `FAILS` on fails, and from `PANICS` on it panics.
const FAILS: u64 = 100;
const PANICS: u64 = 200;

/// Adds the value of each request to the sum of its sequence and returns the sum.
struct Adding(Log);

impl Instance for Adding {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let mut held = <&mut [&mut Sum]>::read(call)?;
            let mut sums = held.reborrow();
            let x = call.array::<f32, Ix2>(0)?;
            assert_eq!(sums.argument().len(), x.nrows());
            for (sum, x) in sums.argument().iter_mut().zip(&x) {
                match *x {
                    PANIC => panic!("asked to panic"),
                    ERROR => return Err(call.failed("asked to fail")),
                    TOO_LONG => {
                        return Err(ModelError::CallTooLong {
                            model: Arc::clone(&call.context().model().name),
                            limit: Duration::from_secs(1),
                        });
                    }
                    x => sum.sum += x,
                }
            }
            let sums: Vec<f32> = sums.argument().iter().map(|sum| sum.sum).collect();
            let rows = (sums.len(), 1);
            call.outputs(Array2::from_shape_vec(rows, sums).map_err(|error| call.failed(error)))
        })
    }
}

impl Starts for Adding {
    fn start(&self, start: &Start<'_>) -> Started {
        let SequenceId::Number(sequence) = *start.sequence.id() else {
            return Err(super::lost_error(
                start.context,
                start.sequence.id(),
                Loss::Unknown,
            ));
        };
        assert!(sequence < PANICS, "asked to panic");
        if sequence >= FAILS {
            return Err(ModelError::internal(
                start.context.model(),
                &"asked to fail",
            ));
        }
        let sequence = i64::try_from(sequence).unwrap();
        self.0.borrow_mut().push(sequence);
        let log = Rc::clone(&self.0);
        Ok(Box::new(Sum {
            sequence,
            sum: 0.0,
            log,
        }))
    }
}

/// A model with sequences, its instance, and the log of its states.
struct Model {
    context: Context,
    instance: Sequenced<Adding>,
    log: Log,
}

/// The ID of a sequence, whether the request starts and ends it, and its value.
type TestRequest = (u64, &'static str, f32);

impl Model {
    fn new(call: CallMode) -> Self {
        let declaration = ModelDeclaration {
            call,
            options: ModelOptions {
                sequence_batching: Some(SequenceScheduling::Direct),
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let spec = Arc::new(declaration.spec().unwrap());
        let context = Context::new(spec, 0);
        let log = Log::default();
        Self {
            instance: Sequenced::new(&context, Adding(Rc::clone(&log))),
            context,
            log,
        }
    }

    fn requests(&self, batch: &[TestRequest]) -> Vec<Request> {
        let spec: Arc<ModelSpec> = Arc::new(self.context.model().clone());
        let requests = batch.iter().map(|&(sequence, flags, value)| {
            let mut request = infer_request(1, value);
            let id = SequenceId::Number(sequence);
            let sequence = Sequence::new(id);
            request.sequence = sequence
                .map(|sequence| sequence.start(flags.contains('s')).end(flags.contains('e')));
            Request::check(&spec, request).unwrap()
        });
        requests.collect()
    }

    /// Returns the sum or the error for each request of a batch.
    fn run(&self, batch: &[TestRequest]) -> Vec<Result<f32, String>> {
        let callee = Invocation {
            instance: &self.instance,
            context: &self.context,
            steps: &[],
            sink: None,
        };
        let requests = self.requests(batch);
        let Executed { results, .. } = callee.execute(&requests, &[]).now_or_never().unwrap();
        let results = results.into_iter().map(|result| match result {
            Ok(response) => Ok(response.outputs[0].1.elements::<f32>().unwrap()[0]),
            Err(error) => Err(error.to_string()),
        });
        results.collect()
    }

    /// Returns the IDs logged since the last call, before and after the end of the batch.
    fn log(&self) -> (Vec<i64>, Vec<i64>) {
        let before = self.log.take();
        drop(
            self.instance
                .sequences()
                .unwrap()
                .collect_expired(Instant::now()),
        );
        (before, self.log.take())
    }
}

fn lost_error(sequence: u64, why: &str) -> String {
    format!(
        "the state of sequence {sequence} of model 'Identity' is lost: {why}; start the sequence again"
    )
}

const UNKNOWN: &str = "the instance does not have it, as after a restart";
const MODES: [CallMode; 2] = [CallMode::Batch, CallMode::Request];

#[test]
fn each_sequence_has_its_own_state() {
    for call in MODES {
        for count in 1..=8_u64 {
            let model = Model::new(call);
            let batch = |flags, scale: f32| -> Vec<TestRequest> {
                let sequences =
                    (1..=count).map(|sequence| (sequence, flags, scale * sequence as f32));
                sequences.collect()
            };
            let sums = |scale: f32| -> Vec<Result<f32, String>> {
                (1..=count)
                    .map(|sequence| Ok(scale * sequence as f32))
                    .collect()
            };
            assert_eq!(model.run(&batch("s", 1.0)), sums(1.0));
            let mut reversed = batch("", 10.0);
            reversed.reverse();
            let mut expected = sums(11.0);
            expected.reverse();
            assert_eq!(model.run(&reversed), expected);
            let all: Vec<i64> = (1..=count.cast_signed()).collect();
            assert_eq!(model.log(), (all.clone(), vec![]));
            assert_eq!(model.run(&batch("e", 100.0)), sums(111.0));
            let dropped: Vec<i64> = all.iter().map(|sequence| -sequence).collect();
            assert_eq!(model.log(), (vec![], dropped), "{call:?} {count}");
        }
    }
}

#[test]
fn a_request_without_a_state_fails_without_affecting_others() {
    for call in MODES {
        for count in 1..=6_u64 {
            for missing in 1..=count {
                let model = Model::new(call);
                let started: Vec<TestRequest> = (1..=count)
                    .filter(|&sequence| sequence != missing)
                    .map(|sequence| (sequence, "s", sequence as f32))
                    .collect();
                model.run(&started);
                let batch: Vec<TestRequest> =
                    (1..=count).map(|sequence| (sequence, "", 0.5)).collect();
                let expected = (1..=count).map(|sequence| match sequence == missing {
                    true => Err(lost_error(sequence, UNKNOWN)),
                    false => Ok(sequence as f32 + 0.5),
                });
                let expected: Vec<_> = expected.collect();
                assert_eq!(model.run(&batch), expected, "{call:?} {count} {missing}");
            }
        }
    }
}

#[test]
fn states_are_kept_when_several_calls_are_refused() {
    let batch: Vec<TestRequest> = (1..=4).map(|sequence| (sequence, "s", 0.0)).collect();
    for second in 1..=4 {
        let model = Model::new(CallMode::Batch);
        let requests = model.requests(&batch);
        let mut provider = StateProvider::new(model.instance.sequences());
        for refused in [4, second] {
            let (run, states) = provider.acquire(&model.context, &requests[..refused]);
            assert_eq!(run.len(), refused);
            provider.reclaim(states.unwrap());
        }
        for (expected, request) in (1..).zip(&requests) {
            let (_, states) = provider.acquire(&model.context, std::slice::from_ref(request));
            let states = states.unwrap().unwrap();
            let state = states.states()[0].borrow();
            let sum: &Sum = state.downcast_ref().unwrap();
            assert_eq!(sum.sequence, expected, "{second}");
        }
        assert_eq!(model.log.take(), [1, 2, 3, 4, -1, -2, -3, -4], "{second}");
    }
}

#[test]
fn a_failing_start_affects_only_its_request() {
    for call in MODES {
        for count in 1..=5_u64 {
            for place in 1..=count {
                for (sequence, answer, why) in [
                    (
                        FAILS,
                        "model 'Identity' failed: asked to fail",
                        "it could not be created",
                    ),
                    (
                        PANICS,
                        "model 'Identity' panicked: asked to panic",
                        "it could not be created",
                    ),
                ] {
                    let model = Model::new(call);
                    let at = |index| if index == place { sequence } else { index };
                    let batch = |flags| -> Vec<TestRequest> {
                        (1..=count)
                            .map(|index| (at(index), flags, index as f32))
                            .collect()
                    };
                    let expected = |sum: f32, error: &str| -> Vec<Result<f32, String>> {
                        let expected = (1..=count).map(|index| match index == place {
                            true => Err(error.to_owned()),
                            false => Ok(sum * index as f32),
                        });
                        expected.collect()
                    };
                    assert_eq!(model.run(&batch("s")), expected(1.0, answer));
                    let error = lost_error(sequence, why);
                    assert_eq!(model.run(&batch("")), expected(2.0, &error));
                    assert_eq!(model.run(&batch("e")), expected(3.0, &error));
                    // The end removed everything about the sequence.
                    assert_eq!(
                        model.run(&[(sequence, "", 1.0)]),
                        [Err(lost_error(sequence, UNKNOWN))]
                    );
                    assert_eq!(model.log().1.len() as u64, count - 1);
                }
            }
        }
    }
}

#[test]
fn a_panic_loses_the_states_of_its_call() {
    for (value, why, answer) in [
        (
            PANIC,
            "the function panicked",
            "model 'Identity' panicked: asked to panic",
        ),
        (
            TOO_LONG,
            "a call took too long",
            "model 'Identity': the call took longer than 1 s",
        ),
    ] {
        for place in 0..3 {
            for call in MODES {
                let model = Model::new(call);
                model.run(&[(1, "s", 1.0), (2, "s", 2.0), (3, "s", 3.0)]);
                model.log();
                let values = |value_at: f32| -> Vec<TestRequest> {
                    let value = |index| if index == place { value_at } else { 4.0 };
                    (0..3)
                        .map(|index| (index as u64 + 1, "", value(index)))
                        .collect()
                };
                let hit = |index| call == CallMode::Batch || index == place;
                let expected = |sum: f32, error: &dyn Fn(u64) -> String| -> Vec<_> {
                    let expected = (0..3).map(|index| match hit(index) {
                        true => Err(error(index as u64 + 1)),
                        false => Ok(index as f32 + 1.0 + sum),
                    });
                    expected.collect()
                };
                let answered = expected(4.0, &|_| answer.to_owned());
                assert_eq!(model.run(&values(value)), answered);
                let dropped: Vec<i64> = (0..3)
                    .filter(|&index| hit(index))
                    .map(|index| -(index as i64) - 1)
                    .collect();
                assert_eq!(model.log(), (vec![], dropped));
                let answered = expected(8.0, &|sequence| lost_error(sequence, why));
                assert_eq!(model.run(&values(4.0)), answered, "{call:?} {place}");
                // It remains lost until it is started again.
                let again = place as u64 + 1;
                assert_eq!(
                    model.run(&[(again, "", 1.0)]),
                    [Err(lost_error(again, why))]
                );
                assert_eq!(model.run(&[(again, "s", 1.0)]), [Ok(1.0)]);
                assert_eq!(model.run(&[(again, "e", 1.0)]), [Ok(2.0)]);
            }
        }
    }
}

#[test]
fn an_error_keeps_the_state() {
    for call in MODES {
        let model = Model::new(call);
        let failed = || Err("model 'Identity' failed: asked to fail".to_owned());
        assert_eq!(model.run(&[(1, "s", 5.0)]), [Ok(5.0)]);
        assert_eq!(model.run(&[(1, "", ERROR)]), [failed()]);
        assert_eq!(model.run(&[(1, "", 6.0)]), [Ok(11.0)]);
        assert_eq!(model.run(&[(1, "e", ERROR)]), [failed()]);
        assert_eq!(model.log(), (vec![1], vec![-1]));
        // A request that starts a sequence behaves the same.
        assert_eq!(model.run(&[(2, "s", ERROR)]), [failed()]);
        assert_eq!(model.run(&[(2, "", 7.0)]), [Ok(7.0)]);
    }
}

#[test]
fn a_start_replaces_the_state_and_an_end_drops_it() {
    let model = Model::new(CallMode::Batch);
    model.run(&[(1, "s", 5.0)]);
    assert_eq!(model.run(&[(1, "s", 6.0)]), [Ok(6.0)]);
    // The previous state is dropped before the new one is created.
    assert_eq!(model.log(), (vec![1, -1, 1], vec![]));
    assert_eq!(model.run(&[(1, "se", 7.0)]), [Ok(7.0)]);
    // The last state is dropped after the response.
    assert_eq!(model.log(), (vec![-1, 1], vec![-1]));
    assert_eq!(model.run(&[(1, "", 8.0)]), [Err(lost_error(1, UNKNOWN))]);
    assert_eq!(model.run(&[(1, "se", PANIC)]).len(), 1);
    assert_eq!(model.log(), (vec![1], vec![-1]));
    assert_eq!(model.run(&[(1, "", 8.0)]), [Err(lost_error(1, UNKNOWN))]);
}

#[test]
fn a_panic_in_drop_does_not_affect_other_sequences() {
    let model = Model::new(CallMode::Batch);
    let batch = [(1, "s", BOMB), (2, "s", 2.0), (3, "s", BOMB)];
    assert_eq!(model.run(&batch), [Ok(BOMB), Ok(2.0), Ok(BOMB)]);
    assert_eq!(
        model.run(&[(1, "e", 0.0), (3, "s", 4.0)]),
        [Ok(BOMB), Ok(4.0)]
    );
    assert_eq!(model.log(), (vec![1, 2, 3, -3, 3], vec![-1]));
    assert_eq!(model.run(&[(2, "", 1.0), (3, "", 1.0)]), [Ok(3.0), Ok(5.0)]);
}

#[test]
fn states_are_dropped_before_their_instance() {
    let loader: Loader = Arc::new(|context| {
        let sequenced = Sequenced::new(context, Adding(Log::default()));
        Ok(LoadedInstance::Local(Box::new(sequenced)))
    });
    let model = Model::new(CallMode::Batch);
    let loaded = loader(&model.context).unwrap().into_local();
    assert!(loaded.sequences().is_some());
    model.run(&[(1, "s", 5.0), (2, "s", 5.0)]);
    let Model { instance, log, .. } = model;
    log.take();
    drop(instance);
    let mut dropped = log.take();
    dropped.sort_unstable();
    assert_eq!(dropped, [-2, -1]);
    assert_eq!(Rc::strong_count(&log), 1);
}

#[test]
fn a_state_of_another_type_is_an_error() {
    let model = Model::new(CallMode::Batch);
    let requests = model.requests(&[(1, "s", 1.0)]);
    let states = [RefCell::new(Box::new(5_u8) as State)];
    let called = Cell::new(false);
    let call = |states| Call {
        context: &model.context,
        requests: &requests,
        parameters: requests[0].parameters(),
        inputs: requests[0].inputs().into(),
        offsets: Vec::new(),
        states,
        destination: None,
        called: &called,
        refused: Cell::new(false),
        decoded: DecodedInputs::default(),
        memory: RefCell::default(),
    };
    let of_another = call(Some(&states));
    assert!(<&mut u16>::read(&of_another).is_err());
    assert!(<&mut [&mut u16]>::read(&of_another).is_err());
    assert!(<&mut u8>::read(&call(None)).is_err());
    let mut held = <&mut u8>::read(&of_another).unwrap();
    *held.reborrow().argument() += 1;
    // A state can be borrowed only once.
    assert!(<&mut u8>::read(&of_another).is_err());
    drop(held);
    assert_eq!(states[0].borrow().downcast_ref::<u8>(), Some(&6));
}
