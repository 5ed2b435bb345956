use std::any::Any;

use crate::panic::{discard, panic_message};
use crate::text::for_client;

/// Returns the message of a caught panic, for the client, and drops its payload.
pub fn client_panic_message(panic: Box<dyn Any + Send>) -> String {
    let message = for_client(&panic_message(panic.as_ref()));
    discard(panic);
    message
}
