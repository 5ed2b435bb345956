use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::mem::take;
use std::sync::Arc;

use crate::model::{CallMode, ModelSpec};
use crate::request::{ParameterValue, Request};
use crate::tracked_tensor::TrackedTensor;

use super::Executed;
use super::pipeline::can_share_call;

/// A batch in which requests of the same call are adjacent.
#[derive(Debug)]
pub struct GroupedBatch<'a> {
    pub(super) requests: Cow<'a, [Request]>,
    pub(super) stacked: &'a [Option<TrackedTensor>],
    /// The original index of each request. `None` if the order is unchanged.
    order: Option<Vec<usize>>,
}

impl<'a> GroupedBatch<'a> {
    /// Returns the requests in call order.
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// Groups the requests of a batch into calls.
    pub fn new(
        spec: &ModelSpec,
        requests: &'a [Request],
        stacked: &'a [Option<TrackedTensor>],
    ) -> Self {
        let mut pairs = requests.iter().zip(requests.iter().skip(1));
        let mixed = spec.call != CallMode::Request
            && !pairs.all(|(one, two)| can_share_call(spec, one, two, !stacked.is_empty()));
        let order = mixed.then(|| order(spec, requests, !stacked.is_empty()));
        match order.filter(|order| !order.is_sorted()) {
            None => Self {
                requests: Cow::Borrowed(requests),
                stacked,
                order: None,
            },
            Some(order) => Self {
                requests: order.iter().map(|&index| requests[index].clone()).collect(),
                stacked: &[],
                order: Some(order),
            },
        }
    }

    /// Returns the original indexes of `count` requests from `first` on.
    pub(super) fn original_indexes(&self, first: usize, count: usize) -> Arc<[usize]> {
        match &self.order {
            None => (first..first + count).collect(),
            Some(order) => order[first..first + count].into(),
        }
    }

    /// Returns the results in the original order.
    pub fn restore(self, mut executed: Executed) -> Executed {
        restore(self.order, &mut executed);
        executed
    }

    /// Returns a closure that does what [`restore`](Self::restore) does.
    pub fn restorer(&self) -> impl FnOnce(&mut Executed) + Send + use<> {
        let order = self.order.clone();
        move |executed| restore(order, executed)
    }
}

fn restore(order: Option<Vec<usize>>, executed: &mut Executed) {
    let Some(order) = order else { return };
    let mut results: Vec<_> = order.into_iter().zip(take(&mut executed.results)).collect();
    results.sort_by_key(|(index, _)| *index);
    executed.results = results.into_iter().map(|(_, result)| result).collect();
}

/// Returns the call order. Groups are ordered by their first request. Requests with colliding
/// hashes may end up in one group and are then split into several calls.
fn order(spec: &ModelSpec, requests: &[Request], stacked: bool) -> Vec<usize> {
    let random = RandomState::new();
    let mut first = HashMap::new();
    let groups = requests.iter().enumerate().map(|(index, request)| {
        let mut hasher = random.build_hasher();
        if !stacked {
            for (index, input) in request.inputs().iter().enumerate() {
                let dims = input.as_ref().map(|tensor| match spec.is_ragged(index) {
                    true => None,
                    false => tensor.shape().get(1..),
                });
                dims.hash(&mut hasher);
            }
        }
        if spec.by_parameters {
            for (name, value) in request.parameters().iter() {
                name.hash(&mut hasher);
                hash(value, &mut hasher);
            }
        }
        if spec.by_identity() {
            request.identity().hash(&mut hasher);
        }
        *first.entry(hasher.finish()).or_insert(index)
    });
    let groups: Vec<usize> = groups.collect();
    let mut order: Vec<usize> = (0..requests.len()).collect();
    order.sort_by_key(|&index| groups[index]);
    order
}

fn hash(value: &ParameterValue, hasher: &mut impl Hasher) {
    match value {
        ParameterValue::Bool(value) => value.hash(hasher),
        ParameterValue::Int64(value) => value.hash(hasher),
        ParameterValue::Uint64(value) => value.hash(hasher),
        ParameterValue::Double(value) => value.to_bits().hash(hasher),
        ParameterValue::String(value) => value.hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::call::ModelError;
    use crate::call::pipeline::runs;
    use crate::decorators::StepError;
    use crate::error::Error;
    use crate::request::Identity;
    use crate::testing::{IDENTITY, computing, infer_request};

    use super::*;

    /// Creates requests with these values of the parameter `key`, for a model that groups by
    /// parameters.
    fn requests(keys: &[f64]) -> (Arc<ModelSpec>, Vec<Request>) {
        let mut spec = IDENTITY.spec().unwrap();
        spec.by_parameters = true;
        let spec = Arc::new(spec);
        let requests = keys.iter().map(|&key| {
            let mut request = infer_request(1, 0.0);
            request
                .parameters
                .insert("key", ParameterValue::Double(key));
            Request::check(&spec, request).unwrap()
        });
        let requests = requests.collect();
        (spec, requests)
    }

    fn key(request: &Request) -> f64 {
        request.parameters().double("key").unwrap()
    }

    #[test]
    fn grouped_rows_are_adjacent_and_responses_in_order() {
        let table: [(&[f64], &[f64]); 6] = [
            (&[], &[]),
            (&[1.0], &[1.0]),
            (&[1.0, 1.0, 2.0], &[1.0, 1.0, 2.0]),
            (&[2.0, 1.0, 2.0], &[2.0, 2.0, 1.0]),
            (
                &[3.0, 1.0, 2.0, 3.0, 2.0, 1.0],
                &[3.0, 3.0, 1.0, 1.0, 2.0, 2.0],
            ),
            (&[1.0, 2.0, 2.0, 1.0], &[1.0, 1.0, 2.0, 2.0]),
        ];
        for (keys, expected) in table {
            let (spec, requests) = requests(keys);
            let arranged = GroupedBatch::new(&spec, &requests, &[]);
            let stand: Vec<f64> = arranged.requests.iter().map(key).collect();
            assert_eq!(stand, expected);
            let results = stand.iter().map(|key| {
                let error = StepError::of(Error::internal(key.to_string()));
                Err(ModelError::from(error))
            });
            let executed = Executed {
                results: results.collect(),
                ..Executed::default()
            };
            let restored = arranged.restore(executed).results.into_iter();
            let restored: Vec<String> = restored
                .map(|result| result.unwrap_err().to_string())
                .collect();
            let keys: Vec<String> = keys.iter().map(f64::to_string).collect();
            assert_eq!(restored, keys);
        }
    }

    #[test]
    fn requests_of_one_client_are_adjacent_if_the_function_takes_it() {
        let alice = || Identity::default().with_token("alice");
        let bob = || Identity::default().with_token("bob");
        let clients = [alice(), bob(), Identity::ANONYMOUS, alice(), bob()];
        for (call, takes_identity, expected) in [
            (CallMode::Batch, true, &[2, 2, 1][..]),
            (CallMode::Batch, false, &[5]),
            (CallMode::Raw, false, &[5]),
            (CallMode::Request, true, &[1; 5]),
        ] {
            let mut spec = IDENTITY.spec().unwrap();
            (spec.call, spec.takes_identity) = (call, takes_identity);
            let spec = Arc::new(spec);
            let requests = clients.iter().map(|client| {
                let mut request = infer_request(1, 0.0);
                request.identity = client.clone();
                Request::check(&spec, request).unwrap()
            });
            let requests: Vec<_> = requests.collect();
            let batch = GroupedBatch::new(&spec, &requests, &[]);
            let calls = runs(&spec, batch.requests(), false);
            let calls: Vec<_> = calls.collect();
            let sizes: Vec<usize> = calls.iter().map(|call| call.len()).collect();
            assert_eq!(sizes, expected, "{call:?} {takes_identity}");
            for call in calls.iter().filter(|_| takes_identity) {
                assert!(call.iter().all(|one| one.identity() == call[0].identity()));
            }
        }
    }

    #[test]
    fn grouping_takes_linear_time() {
        let keys: Vec<f64> = (0..20_000).map(f64::from).collect();
        let (spec, all) = requests(&keys);
        let nan = vec![f64::NAN; 20_000];
        let (_, nans) = requests(&nan);
        let took = computing(|| {
            assert!(GroupedBatch::new(&spec, &all, &[]).order.is_none());
            assert!(GroupedBatch::new(&spec, &nans, &[]).order.is_none());
        });
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
}
