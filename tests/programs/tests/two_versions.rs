//! Two versions of a model: clients select one, or get the latest.

use pytriton::prelude::*;
use pytriton::testing;

mod http;

#[pytriton::model(name = "Price")]
#[batch]
fn price(#[input(shape = [1])] net: ArrayView2<f64>) -> Array2<f64> {
    &net * 1.19
}

#[pytriton::model(name = "Price", version = 2)]
#[batch]
fn price_with_fee(#[input(shape = [1])] net: ArrayView2<f64>) -> Array2<f64> {
    &net * 1.19 + 1.0
}

#[test]
fn clients_select_a_version() {
    let served = testing::serve_registered().unwrap();
    for (path, gross) in [
        ("/versions/1", "119.0"),
        ("/versions/2", "120.0"),
        ("", "120.0"),
    ] {
        let path = format!("/v2/models/Price{path}/generate");
        let response = http::request(served.http(), "POST", &path, r#"{"net": 100}"#);
        assert!(
            response.contains(&format!(r#""OUTPUT_1":{gross}"#)),
            "{path}: {response}"
        );
    }
}
