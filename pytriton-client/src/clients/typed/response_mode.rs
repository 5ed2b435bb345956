use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use pytriton_protocol::typed::{Many, Model, Once, Returned};

use crate::clients::responses::ResponseIter;
use crate::clients::{AsyncDecoupledModelClient, AsyncModelClient, Builder};
use crate::{ClientError, Outputs};

use super::typed_request::{BlockingExecutor, TypedRequest};
use super::{TypedResponseIter, TypedResponseStream};

/// A future with a typed response. Dropping it cancels the request.
pub type TypedInference<O> = BoxFuture<'static, Result<O, ClientError>>;

/// The number of responses to a request, [`Once`] or [`Many`], and the result types of a call.
pub trait ResponseMode<M> {
    /// The result of a call of a blocking client.
    type Blocking;
    /// The result of a call of an async client.
    type Async;

    #[doc(hidden)]
    fn client<C>(builder: Builder<C>) -> Result<AsyncModelClient, ClientError>;

    #[doc(hidden)]
    fn blocking(request: TypedRequest, executor: &BlockingExecutor) -> Self::Blocking;

    #[doc(hidden)]
    fn on_tokio(request: TypedRequest) -> Self::Async;
}

impl<M: Model<Outputs: Returned>> ResponseMode<M> for Once {
    type Blocking = Result<<M::Outputs as Returned>::Typed, ClientError>;
    type Async = TypedInference<<M::Outputs as Returned>::Typed>;

    fn client<C>(builder: Builder<C>) -> Result<AsyncModelClient, ClientError> {
        builder.of::<AsyncModelClient>().build()
    }

    fn blocking(request: TypedRequest, executor: &BlockingExecutor) -> Self::Blocking {
        let signature_check = Arc::clone(&request.signature_check);
        let outputs: Outputs = executor.0.run(request.one())??;
        signature_check.read::<M>(&outputs)
    }

    fn on_tokio(request: TypedRequest) -> Self::Async {
        let signature_check = Arc::clone(&request.signature_check);
        let outputs = request.one();
        Box::pin(async move { signature_check.read::<M>(&outputs.await?) })
    }
}

impl<M: Model<Outputs: Returned>> ResponseMode<M> for Many {
    type Blocking = TypedResponseIter<M>;
    type Async = TypedResponseStream<M>;

    fn client<C>(builder: Builder<C>) -> Result<AsyncModelClient, ClientError> {
        Ok(builder.of::<AsyncDecoupledModelClient>().build()?.0)
    }

    fn blocking(request: TypedRequest, executor: &BlockingExecutor) -> Self::Blocking {
        TypedResponseIter {
            signature_check: Arc::clone(&request.signature_check),
            responses: Some(ResponseIter::new(request.many(), Arc::clone(&executor.0))),
            model: PhantomData,
        }
    }

    fn on_tokio(request: TypedRequest) -> Self::Async {
        TypedResponseStream {
            signature_check: Arc::clone(&request.signature_check),
            responses: Some(request.many()),
            model: PhantomData,
        }
    }
}
