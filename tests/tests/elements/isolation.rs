//! Which requests of a batch an element can fail.

use std::thread;
use std::time::Duration;

use pytriton::client::{DecoupledModelClient, InferOptions};
use pytriton::ndarray::{Ix2, array};

use super::{Result, client, request};

/// The time between the requests of a batch, which keeps them in order. Shorter than the queue
/// delay of the models.
const STAGGER: Duration = Duration::from_millis(20);

/// Sends batches in which one request has an invalid element, in every position.
pub(crate) fn one_invalid_request(url: &str, model: &'static str) -> Result {
    for (count, invalid) in (1..=3).flat_map(|count| (0..count).map(move |at| (count, at))) {
        let threads: Vec<_> = (0..count)
            .map(|index| {
                let url = url.to_owned();
                let text = if index == invalid { "x" } else { "1" };
                thread::spawn(move || {
                    thread::sleep(STAGGER * index);
                    request(&url, model, None, &[text])
                })
            })
            .collect();
        for (index, thread) in (0..).zip(threads) {
            let response = thread.join().map_err(|_| "a client panicked")??;
            let expected = if index == invalid { "400: " } else { "1" };
            let case = format!("{model}, {index} of {count}, {invalid} is invalid: {response}");
            assert!(response.starts_with(expected), "{case}");
        }
    }
    Ok(())
}

/// Requests one of two outputs. The other cannot be encoded.
pub(crate) fn outputs_not_requested(url: &str) -> Result {
    let client = client(url, "Doubled")?;
    let row = || array![["6".to_owned()]];
    let outputs = client.infer_batch_with(row(), InferOptions::new().output("OUTPUT_1"))?;
    assert_eq!(outputs.array::<String, Ix2>("OUTPUT_1")?, array![["6"]]);
    for options in [InferOptions::new(), InferOptions::new().output("OUTPUT_2")] {
        let Err(error) = client.infer_batch_with(row(), options) else {
            return Err("12 was encoded".into());
        };
        let error = error.to_string();
        let expected = "output 'OUTPUT_2' of model 'Doubled': element 0 cannot be encoded";
        assert!(error.contains(expected), "{error}");
    }
    Ok(())
}

/// Receives streams. Some end with an element that cannot be encoded or decoded.
pub(crate) fn streams(url: &str) -> Result {
    let cases: [(_, &[&str], _); 4] = [
        ("1", &["1", "2", "3"], ""),
        (
            "8",
            &["8", "9"],
            "element 0 cannot be encoded: 10 has several digits",
        ),
        (
            "x",
            &[],
            "element 0 cannot be decoded: invalid digit found in string",
        ),
        ("7", &["7", "8", "9"], ""),
    ];
    let threads = cases.map(|case| {
        let url = url.to_owned();
        (case, thread::spawn(move || stream(&url, case.0)))
    });
    for ((text, expected, error), thread) in threads {
        let (items, end) = thread.join().map_err(|_| "a client panicked")??;
        assert_eq!(items, expected, "{text}: {end}");
        assert!(
            end.contains(error) && end.is_empty() == error.is_empty(),
            "{text}: {end}"
        );
    }
    Ok(())
}

/// Returns the items of a stream and its error.
fn stream(url: &str, text: &str) -> Result<(Vec<String>, String)> {
    let client = DecoupledModelClient::builder(url, "Increments").build()?;
    let mut items = Vec::new();
    for response in client.infer_batch(array![[text.to_owned()]]) {
        match response {
            Ok(outputs) => items.push(outputs.array::<String, Ix2>("OUTPUT_1")?[[0, 0]].clone()),
            Err(error) => return Ok((items, error.to_string())),
        }
    }
    Ok((items, String::new()))
}
