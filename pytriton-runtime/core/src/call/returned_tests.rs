use crate::request::{InferRequest, RequestedOutput};
use crate::tensor::Tensor;
use crate::testing::{IDENTITY, infer_request};

use super::*;

/// A model with a required output `OUTPUT_1` and an optional output `extra`.
fn spec() -> Arc<ModelSpec> {
    let mut spec = IDENTITY.spec().unwrap();
    let mut extra = spec.outputs[0].clone();
    extra.name = "extra".into();
    extra.optional = true;
    spec.outputs.push(extra);
    Arc::new(spec)
}

/// A request with this number of rows that asks for these outputs, or all.
fn request(spec: &Arc<ModelSpec>, rows: usize, outputs: &[&str]) -> Request {
    let outputs = outputs.iter().map(|&name| RequestedOutput {
        name: name.to_owned(),
        ..RequestedOutput::default()
    });
    let request = InferRequest {
        outputs: outputs.collect(),
        ..infer_request(rows, 0.0)
    };
    Request::check(spec, request).unwrap()
}

fn column(values: &[f32]) -> Option<TrackedTensor> {
    let tensor = Tensor::from_elements(vec![values.len(), 1], values.to_vec());
    Some(tensor.unwrap().into())
}

fn parts(values: &[f32], extra: Option<TrackedTensor>) -> ResponseParts {
    ResponseParts {
        tensors: vec![column(values), extra].into(),
        ..ResponseParts::default()
    }
}

fn group(rows: &[usize], parts: ResponseParts) -> RowGroup {
    RowGroup {
        rows: rows.to_vec(),
        outputs: Ok(parts.tensors.into()),
        parameters: Parameters::default(),
        failures: Vec::new(),
    }
}

/// The outputs of a response, by index, or the error.
type Sent = Result<Vec<(usize, Vec<f32>)>, ModelError>;

fn sent(spec: &ModelSpec, requests: &[Request], returned: Returned) -> Vec<Sent> {
    let responses = responses(spec, requests, returned, None).into_iter();
    let values = |tensor: TrackedTensor| tensor.elements::<f32>().unwrap().to_vec();
    let outputs = |response: Response| {
        let outputs = response.outputs.into_iter();
        outputs.map(|(index, tensor)| (index, values(tensor)))
    };
    responses
        .map(|response| response.map(|response| outputs(response).collect()))
        .collect()
}

fn both(value: f32, extra: f32) -> Sent {
    Ok(vec![(0, vec![value]), (1, vec![extra])])
}

fn first(value: f32) -> Sent {
    Ok(vec![(0, vec![value])])
}

#[test]
fn omitted_output_is_not_in_the_responses_of_its_call() {
    let spec = spec();
    let extra = || column(&[10.0, 20.0]);
    let groups = |extras: [Option<TrackedTensor>; 2]| {
        let groups = extras.into_iter().zip([1.0, 2.0]).enumerate();
        let groups = groups.map(|(row, (extra, value))| group(&[row], parts(&[value], extra)));
        Returned::RowGroups(groups.collect())
    };
    let each = vec![Ok(parts(&[1.0], column(&[10.0]))), Ok(parts(&[2.0], None))];
    let table = [
        (
            Returned::Call(parts(&[1.0, 2.0], extra())),
            [both(1.0, 10.0), both(2.0, 20.0)],
        ),
        (
            Returned::Call(parts(&[1.0, 2.0], None)),
            [first(1.0), first(2.0)],
        ),
        (Returned::Each(each), [both(1.0, 10.0), first(2.0)]),
        (
            groups([column(&[10.0]), None]),
            [both(1.0, 10.0), first(2.0)],
        ),
        (groups([None, None]), [first(1.0), first(2.0)]),
    ];
    for (returned, expected) in table {
        let requests = [request(&spec, 1, &[]), request(&spec, 1, &[])];
        let text = format!("{returned:?}");
        assert_eq!(sent(&spec, &requests, returned), expected, "{text}");
    }
    // A single request, which also asks for the output by name.
    for (outputs, expected) in [
        (&[][..], first(1.0)),
        (&["extra", "OUTPUT_1"], first(1.0)),
        (&["extra"], Ok(Vec::new())),
    ] {
        let requests = [request(&spec, 1, outputs)];
        let returned = Returned::Call(parts(&[1.0], None));
        assert_eq!(sent(&spec, &requests, returned), [expected]);
    }
}

#[test]
fn output_for_some_rows_of_a_request_fails_only_that_request() {
    let spec = spec();
    let partial = ModelError::PartialOutput {
        model: "Identity".into(),
        output: "extra".into(),
    };
    assert_eq!(
        partial.to_string(),
        "model 'Identity' returned output 'extra' for only some rows of the request: return it for all of them, or for none"
    );
    let returned = || {
        Returned::RowGroups(vec![
            group(&[1, 3], parts(&[2.0, 4.0], column(&[20.0, 40.0]))),
            group(&[0, 2], parts(&[1.0, 3.0], None)),
        ])
    };
    let asks: [(&[&str], Sent); 3] = [
        (&[], Err(partial.clone())),
        (&["extra"], Err(partial)),
        // A request that does not ask for the output is not affected.
        (&["OUTPUT_1"], Ok(vec![(0, vec![2.0, 3.0])])),
    ];
    for (outputs, expected) in asks {
        let requests = [
            request(&spec, 1, &[]),
            request(&spec, 2, outputs),
            request(&spec, 1, &[]),
        ];
        let expected = [first(1.0), expected, both(4.0, 40.0)];
        assert_eq!(sent(&spec, &requests, returned()), expected, "{outputs:?}");
    }
}

#[test]
fn required_output_cannot_be_omitted() {
    let spec = spec();
    let requests = [request(&spec, 1, &[])];
    let omitted = || vec![None, column(&[10.0])].into();
    let call = ResponseParts {
        tensors: omitted(),
        ..ResponseParts::default()
    };
    for returned in [Returned::Call(call.clone()), Returned::Each(vec![Ok(call)])] {
        let expected = ModelError::MissingOutput {
            model: "Identity".into(),
            output: "OUTPUT_1".into(),
        };
        assert_eq!(sent(&spec, &requests, returned), [Err(expected)]);
    }
}
