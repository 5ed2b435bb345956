//! A quota per client: each may call a model three times.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use pytriton::prelude::*;
use pytriton::{Error, ErrorKind, Identity};

#[derive(Default)]
struct Quotas(Mutex<HashMap<String, u32>>);

impl Quotas {
    fn take(&self, client: &str) -> Result<(), Error> {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let used = used.entry(client.to_owned()).or_default();
        if *used == 3 {
            let error =
                Error::resource_exhausted(format!("{client} has used all calls of the day"));
            return Err(error.retry_after(Duration::from_secs(3600)));
        }
        *used += 1;
        Ok(())
    }
}

#[pytriton::model(name = "Limited", client = Limited, max_batch_size = 8)]
fn limited(
    x: ArrayView2<f32>,
    identity: &Identity,
    quotas: &Arc<Quotas>,
) -> Result<Array2<f32>, Error> {
    let client = identity
        .token()
        .ok_or_else(|| Error::not_found("the client is unknown"))?;
    quotas.take(client)?;
    Ok(&x + 1.0)
}

#[pytriton::test(server = |server| server.state(Arc::new(Quotas::default())))]
async fn each_client_has_its_own_quota(limited: Call<Limited>) {
    for client in ["alice", "bob"] {
        let limited = limited.identity(Identity::default().with_token(client));
        let calls = [(); 4].map(|()| limited.call(array![[1.0]]).into_future());
        let (done, refused): (Vec<_>, Vec<_>) =
            join_all(calls).await.into_iter().partition(Result::is_ok);
        assert_eq!((done.len(), refused.len()), (3, 1));
        let error = limited.call(array![[1.0]]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
        assert_eq!(error.retry_time(), Some(Duration::from_secs(3600)));
    }
    let error = limited.call(array![[1.0]]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}
