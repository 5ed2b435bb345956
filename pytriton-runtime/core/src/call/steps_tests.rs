use std::borrow::Cow;
use std::cell::RefCell;

use futures_util::FutureExt;

use crate::decorators::Groups;
use crate::model::ModelSpec;
use crate::request::Parameters;
use crate::tensor::{DataType, Tensor};
use crate::testing::IDENTITY;

use super::*;

#[path = "steps_memory_tests.rs"]
mod memory;

/// Groups rows with the same remainder.
#[derive(Debug)]
struct Remainder(i32);

impl Step for Remainder {
    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
        let Some(x) = batch.array::<i32>("INPUT_1")? else {
            return Ok(Groups::new());
        };
        let divisor = usize::try_from(self.0).unwrap_or(1);
        let mut groups = vec![Vec::new(); divisor];
        for (row, value) in x.iter().enumerate() {
            groups[usize::try_from(value % self.0).unwrap_or_default()].push(row);
        }
        groups.reverse();
        Ok(groups)
    }
}

/// Pads a batch to this number of rows and returns only the first ones.
#[derive(Debug)]
struct Fill(usize);

impl Step for Fill {
    fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), Error> {
        let mut values = Vec::new();
        if let Some(x) = batch.array::<i32>("INPUT_1")? {
            values = x.iter().copied().collect();
        }
        values.resize(self.0, -1);
        batch.set("INPUT_1", column(&values))
    }

    fn finish(
        &self,
        _: &ModelSpec,
        rows: usize,
        outputs: &mut [Option<Tensor>],
    ) -> Result<(), Error> {
        for output in outputs.iter_mut().flatten() {
            *output = crate::tensor::rows(output, 0, rows)
                .map_err(|error| Error::internal(error.to_string()))?;
        }
        Ok(())
    }
}

/// Groups these rows, regardless of the batch.
#[derive(Debug)]
struct Cut(&'static [&'static [usize]]);

impl Step for Cut {
    fn cut(&self, _: &Batch<'_>) -> Result<Groups, Error> {
        Ok(self.0.iter().map(|group| group.to_vec()).collect())
    }
}

/// Adds one to the outputs.
#[derive(Debug)]
struct AddOne;

impl Step for AddOne {
    fn finish(
        &self,
        _: &ModelSpec,
        rows: usize,
        outputs: &mut [Option<Tensor>],
    ) -> Result<(), Error> {
        for output in outputs.iter_mut().flatten() {
            assert_eq!(output.rows(), rows);
            let values: Vec<i32> = values(output).iter().map(|value| value + 1).collect();
            *output = column(&values);
        }
        Ok(())
    }
}

/// The model `Identity` with integers.
fn spec() -> ModelSpec {
    let mut spec = IDENTITY.spec().unwrap();
    spec.inputs[0].datatype = DataType::Int32;
    spec
}

fn column(values: &[i32]) -> Tensor {
    Tensor::from_elements(vec![values.len(), 1], values.to_vec()).unwrap()
}

fn values(tensor: &Tensor) -> Vec<i32> {
    tensor.elements::<i32>().unwrap().to_vec()
}

/// Returns ten times the input for each row, and the calls. A call that contains 13 fails.
fn answer(steps: &[Arc<dyn Step>], rows: &[i32]) -> (Vec<Result<i32, String>>, Vec<Vec<i32>>) {
    let spec = spec();
    let inputs = vec![Some(column(rows).into())];
    let calls = RefCell::new(Vec::new());
    let call = |batch: Batch<'_>| -> LocalFuture<'_, _> {
        let x = values(batch.inputs()[0].as_ref().unwrap());
        calls.borrow_mut().push(x.clone());
        Box::pin(async move {
            if x.contains(&13) {
                return Err(StepError::of(Error::internal("unlucky")).into());
            }
            let tens: Vec<i32> = x.iter().map(|x| 10 * x).collect();
            Ok(Returned::Call(vec![column(&tens)].into()))
        })
    };
    let batch = Batch::new(&spec, rows.len(), Cow::Owned(inputs));
    let row_groups = run_steps(steps, batch, &call).now_or_never().unwrap();
    let mut answers = vec![None; rows.len()];
    for RowGroup { rows, outputs, .. } in row_groups {
        for (at, row) in rows.into_iter().enumerate() {
            let answer = match &outputs {
                Ok(outputs) => Ok(values(outputs[0].as_ref().unwrap())[at]),
                Err(error) => Err(error.to_string()),
            };
            assert!(answers[row].replace(answer).is_none(), "row {row} twice");
        }
    }
    let answers = answers.into_iter().map(|answer| answer.unwrap()).collect();
    (answers, calls.into_inner())
}

fn step(step: impl Step + 'static) -> Arc<dyn Step> {
    Arc::new(step)
}

#[test]
fn groups_are_called_separately_and_their_rows_return_in_order() {
    let (answers, calls) = answer(&[step(Remainder(3))], &[4, 0, 3, 2, 7, 5]);
    assert_eq!(calls, [vec![2, 5], vec![4, 7], vec![0, 3]]);
    assert_eq!(answers, [40, 0, 30, 20, 70, 50].map(Ok));

    let (answers, calls) = answer(&[step(Remainder(3))], &[]);
    assert_eq!((answers.len(), calls), (0, vec![vec![]]));
    let (answers, calls) = answer(&[step(Remainder(1))], &[1]);
    assert_eq!((answers, calls), (vec![Ok(10)], vec![vec![1]]));
}

#[test]
fn steps_wrap_each_other_in_order() {
    let steps = [
        step(AddOne),
        step(Remainder(4)),
        step(AddOne),
        step(Remainder(2)),
        step(Fill(3)),
    ];
    let (answers, calls) = answer(&steps, &[5, 1, 2, 8, 6]);
    assert_eq!(calls, [vec![2, 6, -1], vec![5, 1, -1], vec![8, -1, -1]]);
    assert_eq!(answers, [52, 12, 22, 82, 62].map(Ok));
}

#[test]
fn a_failing_group_fails_only_its_rows() {
    let unlucky = || Err("unlucky".to_owned());
    for position in 0..5 {
        let mut rows = [1, 3, 5, 2, 4];
        rows[position] = 13;
        let (answers, _) = answer(&[step(AddOne), step(Remainder(2))], &rows);
        let expected = rows.map(|row| match row % 2 {
            0 => Ok(10 * row + 1),
            _ => unlucky(),
        });
        assert_eq!(answers, expected, "{position}");
    }
}

#[test]
fn invalid_groups_are_refused() {
    let table: [(&[&[usize]], usize); 4] = [
        (&[&[0, 1]], 2),
        (&[&[0, 1], &[1, 2]], 1),
        (&[&[0, 1, 2, 3]], 3),
        (&[&[2], &[], &[0, 0, 1]], 0),
    ];
    for (groups, row) in table {
        let (answers, calls) = answer(&[step(Cut(groups))], &[7, 8, 9]);
        let text = format!("that do not contain row {row} exactly once");
        assert!(calls.is_empty());
        for answer in answers {
            assert!(answer.unwrap_err().contains(&text), "{groups:?}");
        }
    }
}

#[test]
fn added_rows_cannot_be_split_by_an_inner_step() {
    let (answers, _) = answer(&[step(Fill(4)), step(Remainder(2))], &[7, 8]);
    for answer in answers {
        let text = answer.unwrap_err();
        assert!(text.ends_with("move it after that step"), "{text}");
    }
}

#[test]
fn outputs_of_a_step_must_match_the_model() {
    let spec = spec();
    let inputs = vec![Some(column(&[1]).into())];
    let mut batch = Batch::new(&spec, 1, Cow::Owned(inputs));
    let floats = Tensor::from_elements(vec![1, 1], vec![1.0_f32]).unwrap();
    let error = batch.set("INPUT_1", floats).unwrap_err().to_string();
    assert!(error.contains("FP32"), "{error}");
    let error = batch.set("z", column(&[1])).unwrap_err().to_string();
    assert_eq!(error, "model 'Identity' has no input 'z'");
}

/// Panics in one of these functions if the batch contains 13.
#[derive(Debug)]
enum Panics {
    Cutting,
    Preparing,
    Finishing,
}

impl Panics {
    fn unlucky(batch: &Batch<'_>) {
        let x = batch.array::<i32>("INPUT_1").unwrap().unwrap();
        assert!(!x.iter().any(|&value| value == 13), "thirteen");
    }
}

impl Step for Panics {
    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
        if matches!(self, Self::Cutting) {
            Self::unlucky(batch);
        }
        Ok(Groups::new())
    }

    fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), Error> {
        if matches!(self, Self::Preparing) {
            Self::unlucky(batch);
        }
        Ok(())
    }

    fn finish(&self, _: &ModelSpec, _: usize, outputs: &mut [Option<Tensor>]) -> Result<(), Error> {
        if matches!(self, Self::Finishing) {
            assert!(
                !values(outputs[0].as_ref().unwrap()).contains(&20),
                "twenty"
            );
        }
        Ok(())
    }
}

#[test]
fn a_panicking_step_fails_only_its_rows() {
    for panics in [Panics::Cutting, Panics::Preparing] {
        let steps = [step(Remainder(2)), step(panics)];
        let (answers, _) = answer(&steps, &[13, 2, 1]);
        let texts: Vec<bool> = answers.iter().map(Result::is_ok).collect();
        assert_eq!(texts, [false, true, false]);
        let text = answers[0].clone().unwrap_err();
        assert_eq!(text, "model 'Identity' panicked: thirteen");
    }
    let steps = [step(Remainder(2)), step(Panics::Finishing)];
    let (answers, _) = answer(&steps, &[1, 2, 3]);
    let texts: Vec<bool> = answers.iter().map(Result::is_ok).collect();
    assert_eq!(texts, [true, false, true]);
}

#[test]
fn responses_of_a_reordered_group_are_in_request_order() {
    use crate::testing::request;

    let spec = Arc::new(IDENTITY.spec().unwrap());
    let requests = [1.0, 2.0, 3.0].map(|value| request(&spec, 1, value));
    let tens = |values: [f32; 3]| Tensor::from_elements(vec![3, 1], values.to_vec()).unwrap();
    let row_group = RowGroup {
        rows: vec![2, 0, 1],
        outputs: Ok(vec![Some(tens([30.0, 10.0, 20.0]).into())]),
        parameters: Parameters::default(),
        failures: Vec::new(),
    };
    let responses = super::super::returned::responses(
        &spec,
        &requests,
        Returned::RowGroups(vec![row_group]),
        None,
    );
    let got = responses.into_iter().map(|response| {
        let (_, tensor) = response.unwrap().outputs.iter().next().unwrap().clone();
        tensor.elements::<f32>().unwrap()[0]
    });
    assert_eq!(got.collect::<Vec<_>>(), [10.0, 20.0, 30.0]);

    let steps = [step(Fill(4)), step(Cut(&[&[3, 1, 0, 2]]))];
    let (answers, _) = answer(&steps, &[7, 8]);
    assert!(answers.iter().all(Result::is_err), "{answers:?}");
}

#[test]
fn parameters_reach_the_requests_of_their_rows() {
    use crate::request::ParameterValue;
    use crate::testing::request;

    let spec = Arc::new(IDENTITY.spec().unwrap());
    let requests = [1.0, 2.0, 3.0].map(|value| request(&spec, 1, value));
    let parameters = |names: &[&str]| {
        let mut parameters = Parameters::default();
        for name in names {
            parameters.insert(*name, ParameterValue::Bool(true));
        }
        parameters
    };
    let tens =
        |values: &[f32]| Tensor::from_elements(vec![values.len(), 1], values.to_vec()).unwrap();
    let row_group = |rows: &[usize], name: &str| RowGroup {
        rows: rows.to_vec(),
        outputs: Ok(vec![Some(tens(&vec![0.0; rows.len()]).into())]),
        parameters: parameters(&[name]),
        failures: Vec::new(),
    };
    let parts = ResponseParts {
        tensors: crate::request::SmallVec::one(Some(tens(&[1.0, 2.0, 3.0]).into())),
        parameters: parameters(&["all"]),
        failures: Vec::new(),
    };
    let table = [
        (Returned::Call(parts), [["all"]; 3]),
        (
            Returned::RowGroups(vec![row_group(&[0, 2], "a"), row_group(&[1], "b")]),
            [["a"], ["b"], ["a"]],
        ),
        (
            Returned::RowGroups(vec![row_group(&[0, 1, 2], "c")]),
            [["c"]; 3],
        ),
    ];
    for (returned, expected) in table {
        let responses = super::super::returned::responses(&spec, &requests, returned, None);
        for (response, names) in responses.into_iter().zip(expected) {
            assert_eq!(response.unwrap().parameters, parameters(&names));
        }
    }
}
