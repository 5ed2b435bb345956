use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::CoreError;
use crate::response::ResponseEvent;

use super::in_flight::InFlight;
use super::raw::{RELEASE_ALL, RESPONSE_FINAL, RawRequest, RawResponse};
use super::response::Response;

/// Receives a request that Triton has released. `user` is an `Arc` of its [`InFlight`].
pub(super) unsafe extern "C" fn released(_: *mut RawRequest, flags: u32, user: *mut c_void) {
    if flags & RELEASE_ALL == 0 {
        return;
    }
    // SAFETY: `user` is the `Arc` that `Prepared::send` has passed for this callback. Triton
    // releases a request once, so the `Arc` is used once.
    let in_flight = unsafe { Arc::from_raw(user.cast_const().cast::<InFlight>()) };
    // A panic must not unwind into Triton. The panic hook has reported it.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        in_flight.release();
        drop(in_flight);
    }));
}

/// Receives a response, which may be null at the end. `user` is an `Arc` of the [`InFlight`].
pub(super) unsafe extern "C" fn completed(raw: *mut RawResponse, flags: u32, user: *mut c_void) {
    let is_final = flags & RESPONSE_FINAL != 0;
    // SAFETY: `user` is the `Arc` that `Prepared::send` has passed for this callback. It is live
    // until the final response (invariant 4).
    let in_flight = unsafe { Arc::from_raw(user.cast_const().cast::<InFlight>()) };
    // Only the final response consumes it.
    let in_flight = ManuallyDrop::new(in_flight);
    let completed = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: Triton passes ownership of the response, if there is one.
        let response = unsafe { Response::new(raw, in_flight.library()) };
        let response = response.map(|response| response.read());
        if response.is_some() || is_final {
            in_flight.complete(ResponseEvent { response, is_final });
        }
    }));
    if completed.is_err() {
        let failed = CoreError::Response {
            reason: "reading it panicked".to_owned(),
        };
        let event = ResponseEvent {
            response: Some(Err(failed)),
            is_final,
        };
        let _ = catch_unwind(AssertUnwindSafe(|| in_flight.complete(event)));
    }
    if is_final {
        let in_flight = ManuallyDrop::into_inner(in_flight);
        let _ = catch_unwind(AssertUnwindSafe(|| drop(in_flight)));
    }
}
