//! A side channel for responses. The sender of a request registers a claim, and the request carries
//! its number as a parameter. The instance redeems the claim and sends the responses through it.
//!
//! tritonserver 2.51 notifies its HTTP threads of `generate_stream` responses through a
//! non-blocking socket, and ignores that the socket may be full. Then the head of a response, a
//! part of it or its end is lost. So responses for the OpenAI routes bypass tritonserver.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use pytriton_core::request::{Request, Response};
use pytriton_core::response_channel::{
    ResponseReceiver, ResponseSender, SchedulerError, response_channel,
};
use pytriton_kserve::openai::CLAIM;

/// The claims that have not been redeemed yet.
#[derive(Debug, Default)]
pub struct SideChannel(Mutex<HashMap<String, ResponseSender>>);

/// The responses to one request. Dropping it cancels the request.
#[derive(Debug)]
pub struct SideChannelResponses {
    side_channel: Arc<SideChannel>,
    number: String,
    receiver: ResponseReceiver,
}

impl SideChannel {
    /// Registers a claim on the responses to a request that is about to be sent.
    pub fn claim(self: &Arc<Self>) -> SideChannelResponses {
        let (sink, receiver) = response_channel();
        let number = number();
        self.0.lock().insert(number.clone(), sink);
        SideChannelResponses {
            side_channel: Arc::clone(self),
            number,
            receiver,
        }
    }

    /// Returns the sender for the responses if the request carries a claim. The parameter is
    /// removed, so that the function does not see it.
    pub fn redeem(&self, request: &mut Request) -> Option<ResponseSender> {
        let number = request.parameters().str(CLAIM)?;
        let sink = self.0.lock().remove(number)?;
        request.forget_parameter(CLAIM);
        Some(sink)
    }
}

impl SideChannelResponses {
    /// Returns the number that the request must carry.
    pub fn number(&self) -> &str {
        &self.number
    }

    /// Returns the next response, or `None` after the last one.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses no response.
    pub async fn next(&mut self) -> Option<Result<Response, SchedulerError>> {
        self.receiver.next().await
    }

    /// Returns whether the responses were ended properly, and not because the sender was dropped.
    pub fn is_complete(&self) -> bool {
        self.receiver.is_over()
    }
}

impl Drop for SideChannelResponses {
    fn drop(&mut self) {
        let unanswered = self.side_channel.0.lock().remove(&self.number);
        // Dropping it wakes the task that waits for it, which must not happen under the lock.
        drop(unanswered);
    }
}

/// Returns an unguessable number: a client that knew it could claim the responses of another.
fn number() -> String {
    static KEYS: LazyLock<[RandomState; 2]> = LazyLock::new(Default::default);
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    let [high, low] = &*KEYS;
    format!("{:016x}{:016x}", high.hash_one(next), low.hash_one(next))
}

#[cfg(test)]
mod tests {
    use pytriton_core::request::ParameterValue;
    use pytriton_core::testing::{IDENTITY, infer_request};

    use super::*;

    fn request(number: &str) -> Request {
        let spec = Arc::new(IDENTITY.spec().unwrap());
        let mut request = infer_request(1, 1.0);
        let number = ParameterValue::String(number.to_owned());
        request.parameters.insert(CLAIM, number);
        Request::check(&spec, request).unwrap()
    }

    #[tokio::test]
    async fn number_can_be_redeemed_once() {
        let side_channel = Arc::new(SideChannel::default());
        let (mut one, mut other) = (side_channel.claim(), side_channel.claim());
        assert_ne!(one.number(), other.number());
        let mut unknown = request("0");
        assert!(side_channel.redeem(&mut unknown).is_none());
        assert!(!unknown.parameters().is_empty());
        let mut redeemed = request(other.number());
        let sink = side_channel.redeem(&mut redeemed).unwrap();
        assert!(redeemed.parameters().is_empty());
        assert!(side_channel.redeem(&mut request(other.number())).is_none());
        sink.send(Ok(Response::default())).unwrap();
        sink.end();
        assert_eq!(other.next().await, Some(Ok(Response::default())));
        assert_eq!(other.next().await, None);
        assert!(other.is_complete());
        let lost = side_channel.redeem(&mut request(one.number()));
        drop(lost);
        assert_eq!(one.next().await, None);
        assert!(!one.is_complete());
    }

    #[test]
    fn dropped_receiver_removes_its_number() {
        let side_channel = Arc::new(SideChannel::default());
        let claim = side_channel.claim();
        let mut redeemed = request(claim.number());
        drop(claim);
        assert!(side_channel.redeem(&mut redeemed).is_none());
        assert!(side_channel.0.lock().is_empty());
    }
}
