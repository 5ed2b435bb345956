#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_runtime::model::CallMode;
use pytriton_ui_tests::{infer_with, spec, tensor};

#[pytriton::model(name = "IdentityBatch")]
#[batch]
fn batched(identity: &Identity, x: ArrayView2<u64>) -> Array2<u64> {
    &x + identity.token().map_or(1, str::len) as u64
}

#[pytriton::model(name = "IdentityRequest")]
fn one(x: ArrayView2<u64>, identity: &Identity, parameters: &Parameters) -> Array2<u64> {
    &x + u64::from(identity.is_anonymous()) + parameters.len() as u64
}

#[pytriton::model(name = "IdentitySample", batching = false)]
#[sample]
async fn sample(x: ArrayView1<'_, u64>, identity: &'_ Identity) -> Array1<u64> {
    &x + u64::from(identity.header().is_some())
}

#[pytriton::model(name = "IdentityStream")]
fn streamed<'a>(
    x: ArrayView2<'a, u64>,
    identity: &'a Identity,
) -> impl Iterator<Item = Array2<u64>> + 'a {
    identity
        .certificate_subject()
        .into_iter()
        .map(move |_| x.to_owned())
}

struct Stated;

#[pytriton::model(name = "IdentityState", inline = true)]
impl Stated {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    #[batch]
    fn infer(&self, x: ArrayView2<u64>, identity: &Identity) -> Array2<u64> {
        &x + u64::from(identity.is_anonymous())
    }
}

/// A raw function reads the client of each request.
#[pytriton::model(name = "IdentityRaw")]
#[input(name = "x", datatype = UINT64, shape = [1])]
fn raw(requests: &[Request]) -> Vec<Result<Array2<u64>, String>> {
    let response = |request: &Request| match request.identity().is_anonymous() {
        true => Ok(array![[7]]),
        false => Err("no client is known here".to_owned()),
    };
    requests.iter().map(response).collect()
}

pub(crate) fn main() {
    let table = [
        ("IdentityBatch", CallMode::Batch, true),
        ("IdentityRequest", CallMode::Request, true),
        ("IdentitySample", CallMode::Request, true),
        ("IdentityStream", CallMode::Request, true),
        ("IdentityState", CallMode::Batch, true),
        ("IdentityRaw", CallMode::Raw, false),
    ];
    for (name, call, takes_identity) in table {
        let model = spec(name);
        assert_eq!((model.call, model.takes_identity), (call, takes_identity));
        assert_eq!(
            model.by_identity(),
            takes_identity && call == CallMode::Batch
        );
    }
    let one = || tensor::<u64>(&[1, 1], [0]);
    let inputs = [("x", one())];
    let requests = [(
        &inputs[..],
        &[("token", "alice"), ("identity", "alice")][..],
    )];
    for (name, expected) in [
        ("IdentityBatch", 1),
        ("IdentityRequest", 3),
        ("IdentityRaw", 7),
    ] {
        let expected = [Ok(vec![tensor::<u64>(&[1, 1], [expected])])];
        assert_eq!(infer_with(name, &requests), expected);
    }
}
