//! `call` for each number of inputs.

#![expect(clippy::too_many_arguments, reason = "as many as the function has")]

use pytriton_protocol::typed::{Argument, Model, Takes};

use super::{AsyncTyped, ResponseMode, Typed};

macro_rules! calls {
    ($($($input:ident $given:ident)*;)*) => {$(
        impl<M: Model<Responses: ResponseMode<M>>, $($input: Takes),*> Typed<M, ($($input,)*)> {
            /// Sends a request and waits for the function's result, or returns an iterator of
            /// results for a streaming model.
            pub fn call(
                &self,
                $($given: impl Argument<$input::As>),*
            ) -> <M::Responses as ResponseMode<M>>::Blocking {
                let request = self.client.request([$($given.into_tensor()),*]);
                M::Responses::blocking(request, &self.executor)
            }
        }

        impl<M: Model<Responses: ResponseMode<M>>, $($input: Takes),*> AsyncTyped<M, ($($input,)*)> {
            /// Sends a request when the returned value is polled. The arguments are converted
            /// before this returns.
            pub fn call(
                &self,
                $($given: impl Argument<$input::As>),*
            ) -> <M::Responses as ResponseMode<M>>::Async {
                let request = self.request([$($given.into_tensor()),*]);
                M::Responses::on_tokio(request)
            }
        }
    )*};
}

calls! {
    ;
    A a;
    A a B b;
    A a B b C c;
    A a B b C c D d;
    A a B b C c D d E e;
    A a B b C c D d E e F f;
    A a B b C c D d E e F f G g;
    A a B b C c D d E e F f G g H h;
    A a B b C c D d E e F f G g H h I i;
    A a B b C c D d E e F f G g H h I i J j;
    A a B b C c D d E e F f G g H h I i J j K k;
    A a B b C c D d E e F f G g H h I i J j K k L l;
    A a B b C c D d E e F f G g H h I i J j K k L l N n;
    A a B b C c D d E e F f G g H h I i J j K k L l N n O o;
    A a B b C c D d E e F f G g H h I i J j K k L l N n O o P p;
    A a B b C c D d E e F f G g H h I i J j K k L l N n O o P p Q q;
}
