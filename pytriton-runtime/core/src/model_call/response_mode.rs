use pytriton_protocol::typed::{Many, Model, Once, Returned};

use super::unsent_call::UnsentCall;
use super::{CallResponses, PendingCall};

/// The number of responses to a call, [`Once`] or [`Many`], and the type that it returns.
pub trait ResponseMode<M> {
    /// [`PendingCall`] or [`CallResponses`].
    type Call;

    #[doc(hidden)]
    fn start(call: UnsentCall) -> Self::Call;
}

impl<M: Model<Outputs: Returned>> ResponseMode<M> for Once {
    type Call = PendingCall<<M::Outputs as Returned>::Typed>;

    fn start(call: UnsentCall) -> Self::Call {
        PendingCall::new::<M::Outputs>(call)
    }
}

impl<M: Model<Outputs: Returned>> ResponseMode<M> for Many {
    type Call = CallResponses<M::Outputs>;

    fn start(call: UnsentCall) -> Self::Call {
        CallResponses::new(call)
    }
}
