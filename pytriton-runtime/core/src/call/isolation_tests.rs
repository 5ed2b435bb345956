//! An invalid request does not affect other requests of its batch.

use std::cell::RefCell;
use std::sync::Arc;

use futures_util::FutureExt;
use ndarray::Array2;

use super::*;
use crate::decorators::{Batch, Groups, Step};
use crate::error::{Error, ErrorKind};
use crate::model::{FirstValue, ModelSpec};
use crate::request::{InferInput, InferRequest, Request, Response, SmallVec};
use crate::status::Status;
use crate::tensor::{Element, Tensor};
use crate::testing::flaws::{Lengths, bytes, check_results, each_flaw, spec};
use crate::testing::{IDENTITY, request};
use crate::tracked_tensor::TrackedTensor;

fn run<I: Instance>(
    (spec, instance, steps): (&Arc<ModelSpec>, &I, &[Arc<dyn Step>]),
    requests: &[Request],
    stacked: &[Option<TrackedTensor>],
) -> SmallVec<Result<Response, ModelError>> {
    let callee = Invocation {
        instance,
        context: &Context::new(Arc::clone(spec), 0),
        steps,
        sink: None,
    };
    let executed = callee.execute(requests, stacked);
    executed.now_or_never().unwrap().results
}

#[test]
fn an_invalid_element_fails_only_its_request_before_the_batch_runs() {
    let spec = spec();
    each_flaw(|invalid, (input, flaw), expected| {
        let checked = invalid.iter().enumerate().map(|(index, invalid)| {
            let flaw = invalid.then_some((input, flaw));
            let inputs = spec.inputs.iter().zip(bytes(index, flaw));
            let inputs = inputs.map(|(of, data)| InferInput {
                name: of.name.to_string(),
                datatype: of.datatype,
                shape: vec![1, 1],
                data: data.into(),
            });
            let request = InferRequest {
                inputs: inputs.collect(),
                ..InferRequest::new(crate::memory_budget::MemoryPermit::unlimited())
            };
            Request::check(&spec, request)
        });
        let (mut batch, mut results) = (Vec::new(), Vec::new());
        for checked in checked {
            results.push(checked.map(|request| batch.push(request)));
        }
        let instance = Lengths::default();
        let mut executed = run((&spec, &instance, &[]), &batch, &[]).into_iter();
        let results = results.into_iter().map(|checked| match checked {
            Err(refused) => Err((refused.status(), refused.to_string())),
            Ok(()) => {
                let result = executed.next().unwrap();
                result.map_err(|error| (error.status(), error.to_string()))
            }
        });
        check_results(&results.collect::<Vec<_>>(), invalid, expected);
        // Invalid requests are refused together before the others are called.
        let others = invalid.contains(&false);
        assert_eq!(instance.calls.get(), usize::from(others), "{expected}");
    });
}

/// Records the first values of each call.
#[derive(Default)]
struct Calls(RefCell<Vec<Vec<f32>>>);

impl Instance for Calls {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let x = call.inputs()[0].clone().unwrap();
            let x = x.elements::<f32>().unwrap().to_vec();
            self.0.borrow_mut().push(x.clone());
            // With `first_value` there is one value for all rows.
            let rows = call.requests().iter().map(|request| request.batch_size());
            let rows = match call.context().model().first_values.is_empty() {
                true => x.len(),
                false => rows.sum(),
            };
            call.outputs(Array2::from_elem((rows, 1), x[0]))
        })
    }
}

/// The result of a request, without its response.
type Outcome = Result<(), (Status, String)>;

/// Returns the results of requests with these values, and the calls.
fn calls(
    spec: &Arc<ModelSpec>,
    steps: &[Arc<dyn Step>],
    requests: &[Request],
) -> (Vec<Outcome>, Vec<Vec<f32>>) {
    let instance = Calls::default();
    let results = run((spec, &instance, steps), requests, &[]).into_iter();
    let results = results.map(|result| match result {
        Ok(_) => Ok(()),
        Err(error) => Err((error.status(), error.to_string())),
    });
    (results.collect(), instance.0.into_inner())
}

fn of_values(spec: &Arc<ModelSpec>, values: &[f32]) -> Vec<Request> {
    values
        .iter()
        .map(|&value| request(spec, 1, value))
        .collect()
}

#[test]
fn requests_with_different_first_values_are_called_separately() {
    let mut spec = IDENTITY.spec().unwrap();
    spec.first_values = vec![FirstValue {
        input: 0,
        strict: true,
    }];
    let spec = Arc::new(spec);
    let one_value = of_values(&spec, &[1.0, 1.0, 1.0]);
    assert_eq!(
        calls(&spec, &[], &one_value),
        (vec![Ok(()); 3], vec![vec![1.0]])
    );
    let two_values = of_values(&spec, &[1.0, 2.0, 1.0]);
    let each = vec![vec![1.0], vec![2.0], vec![1.0]];
    assert_eq!(calls(&spec, &[], &two_values), (vec![Ok(()); 3], each));
    // A request whose own rows differ receives an error about these rows only.
    let mut own = of_values(&spec, &[1.0, 2.0]);
    let mut differing = crate::testing::infer_request(2, 7.0);
    differing.inputs[0].data = f32::encode(vec![7.0, 8.0]).unwrap();
    own.insert(1, Request::check(&spec, differing).unwrap());
    let (results, each) = calls(&spec, &[], &own);
    assert_eq!(each, [[1.0], [2.0]]);
    let (status, error) = results[1].clone().unwrap_err();
    assert_eq!(status, Status::InvalidArgument);
    assert!(error.ends_with("found 7, 8"), "{error}");
    assert_eq!((&results[0], &results[2]), (&Ok(()), &Ok(())));
}

/// Refuses negative values. Optionally cuts each batch into groups of one row.
#[derive(Debug)]
struct NonNegative {
    cuts: bool,
}

impl Step for NonNegative {
    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
        let x = batch.array::<f32>("INPUT_1")?;
        let values = x.iter().flatten().enumerate();
        let (zero, others): (Vec<_>, Vec<_>) = values.partition(|(_, value)| **value == 0.0);
        let rows = |group: Vec<(usize, &f32)>| group.into_iter().map(|(row, _)| row).collect();
        Ok(match self.cuts {
            true => vec![rows(zero), rows(others)],
            false => Groups::new(),
        })
    }

    fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), Error> {
        let x = batch.array::<f32>("INPUT_1")?;
        match x.iter().flatten().find(|value| **value < 0.0) {
            Some(value) => Err(Error::invalid_argument(format!("{value} is negative"))),
            None => Ok(()),
        }
    }
}

#[test]
fn a_request_refused_by_a_step_does_not_fail_others() {
    let spec = Arc::new(IDENTITY.spec().unwrap());
    let steps: [Arc<dyn Step>; 1] = [Arc::new(NonNegative { cuts: false })];
    for count in [1, 2, 8] {
        for position in 0..count {
            let mut values = vec![1.0; count];
            values[position] = -5.0;
            let requests = of_values(&spec, &values);
            let (results, calls) = calls(&spec, &steps, &requests);
            assert_eq!(calls, vec![vec![1.0]; count - 1]);
            for (index, result) in results.into_iter().enumerate() {
                let refused = (Status::InvalidArgument, "-5 is negative".to_owned());
                let expected = if index == position {
                    Err(refused)
                } else {
                    Ok(())
                };
                assert_eq!(result, expected, "{count} {position}");
            }
        }
    }
}

/// Refuses the outputs of each batch after they have been computed, each row in a group of its own.
#[derive(Debug)]
struct RefusesOutputs;

impl Step for RefusesOutputs {
    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
        Ok((0..batch.rows()).map(|row| vec![row]).collect())
    }

    fn join(&self, _: &ModelSpec, _: &mut [&mut [Option<Tensor>]]) -> Result<(), Error> {
        Err(Error::invalid_argument("refused".to_owned()))
    }
}

#[test]
fn a_client_error_about_all_groups_is_reported_to_one_request_at_most() {
    let spec = Arc::new(IDENTITY.spec().unwrap());
    let steps: [Arc<dyn Step>; 1] = [Arc::new(RefusesOutputs)];
    for count in [1, 2, 8] {
        let requests = of_values(&spec, &vec![1.0; count]);
        let (results, calls) = calls(&spec, &steps, &requests);
        assert_eq!(calls.len(), count);
        let expected = match count {
            1 => Status::InvalidArgument,
            _ => Status::Internal,
        };
        for result in results {
            assert_eq!(result.unwrap_err().0, expected, "{count}");
        }
    }
}

#[test]
fn a_call_is_not_repeated_and_its_error_names_no_single_request() {
    let spec = Arc::new(IDENTITY.spec().unwrap());
    let steps: [Arc<dyn Step>; 1] = [Arc::new(NonNegative { cuts: true })];
    let requests = of_values(&spec, &[0.0, -5.0, 3.0]);
    let (results, calls) = calls(&spec, &steps, &requests);
    assert_eq!(calls, [[0.0]]);
    assert_eq!(results[0], Ok(()));
    let expected =
        "model 'Identity' could not execute the request's batch: a request in it was refused";
    for result in &results[1..] {
        assert_eq!(result, &Err((Status::Internal, expected.to_owned())));
    }
}

/// Returns an error of a kind.
struct Fails(ErrorKind);

impl Instance for Fails {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async { Err(call.failed(Error::new(self.0, "a text of one client"))) })
    }
}

#[test]
fn error_of_the_client_kind_is_reported_to_one_request_at_most() {
    let spec = Arc::new(IDENTITY.spec().unwrap());
    let kinds = [
        (ErrorKind::InvalidArgument, true),
        (ErrorKind::NotFound, true),
        (ErrorKind::ResourceExhausted, false),
        (ErrorKind::Unavailable, false),
        (ErrorKind::DeadlineExceeded, false),
        (ErrorKind::Unimplemented, false),
        (ErrorKind::Internal, false),
        (ErrorKind::Unrecoverable, false),
    ];
    for (kind, of_client) in kinds {
        for count in [1, 2, 8] {
            let requests = of_values(&spec, &vec![1.0; count]);
            let hidden = of_client && count > 1;
            for result in run((&spec, &Fails(kind), &[]), &requests, &[]) {
                let error = result.unwrap_err();
                let expected = match hidden {
                    true => Status::Internal,
                    false => kind.status(),
                };
                assert_eq!(error.status(), expected, "{kind} {count}");
                assert_ne!(
                    error.to_string().contains("of one client"),
                    hidden,
                    "{error}"
                );
            }
        }
    }
}

/// Splits a batch into its rows.
#[derive(Debug)]
struct EachRow;

impl Step for EachRow {
    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
        Ok((0..batch.rows()).map(|row| vec![row]).collect())
    }
}

/// Fails each call with the next kind.
struct FailsInTurn(RefCell<Vec<ErrorKind>>);

impl Instance for FailsInTurn {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async {
            let kind = self.0.borrow_mut().pop().unwrap();
            Err(call.failed(Error::new(kind, kind.to_string())))
        })
    }
}

#[test]
fn fatal_error_of_any_group_is_noticed() {
    let spec = Arc::new(IDENTITY.spec().unwrap());
    for position in 0..3 {
        let mut kinds = vec![ErrorKind::Internal; 3];
        kinds[position] = ErrorKind::Unrecoverable;
        let reports = Arc::new(parking_lot::Mutex::new(Vec::new()));
        let reported = Arc::clone(&reports);
        let health = Health::new(move |report| reported.lock().push(report));
        let callee = Invocation {
            instance: &FailsInTurn(RefCell::new(kinds)),
            context: &Context::new(Arc::clone(&spec), 0).with_health(health),
            steps: &[Arc::new(EachRow) as Arc<dyn Step>],
            sink: None,
        };
        let requests = [request(&spec, 3, 1.0)];
        let executed = callee.execute(&requests, &[]).now_or_never().unwrap();
        assert!(executed.results[0].is_err());
        let reports = reports.lock();
        let expected = "model 'Identity' failed: unrecoverable error";
        assert!(
            reports.iter().all(|report| report == expected),
            "{reports:?}"
        );
        assert!(!reports.is_empty(), "{position}");
    }
}
