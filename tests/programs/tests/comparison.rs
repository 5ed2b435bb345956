//! A/B test of two models: one user in ten gets the new one, and a response parameter names it.

use pytriton::prelude::*;
use pytriton::{Error, WithParameters, testing};

mod http;

#[pytriton::model(name = "Old", client = Old, max_batch_size = 8)]
#[batch]
fn old(x: ArrayView2<f32>) -> Array2<f32> {
    &x * 1.0
}

#[pytriton::model(name = "New", client = New, max_batch_size = 8)]
#[batch]
fn new(x: ArrayView2<f32>) -> Array2<f32> {
    &x * 2.0
}

#[pytriton::model(name = "Compared", max_batch_size = 8)]
async fn compared(
    x: ArrayView2<'_, f32>,
    parameters: &Parameters,
    old: &Call<Old>,
    new: &Call<New>,
) -> Result<WithParameters<Array2<f32>>, Error> {
    let Some(user) = parameters.int("user") else {
        return Err(Error::invalid_argument("the parameter `user` is missing"));
    };
    let (arm, outputs) = match user % 10 {
        0 => ("new", new.call(x).await?),
        _ => ("old", old.call(x).await?),
    };
    let mut parameters = Parameters::default();
    parameters.insert("arm", arm);
    Ok(WithParameters {
        outputs,
        parameters,
    })
}

#[test]
fn one_user_in_ten_gets_the_new_model() {
    let served = testing::serve_registered().unwrap();
    let ask =
        |body: &str| http::request(served.http(), "POST", "/v2/models/Compared/generate", body);
    for (user, arm, y) in [(20, "new", "6.0"), (21, "old", "3.0")] {
        let response = ask(&format!(r#"{{"x": 3, "user": {user}}}"#));
        assert!(
            response.contains(&format!(r#""arm":"{arm}""#)),
            "{response}"
        );
        assert!(
            response.contains(&format!(r#""OUTPUT_1":{y}"#)),
            "{response}"
        );
    }
    let response = ask(r#"{"x": 3}"#);
    assert!(response.starts_with("HTTP/1.1 400"), "{response}");
}
