//! `call` for each number of inputs.

#![expect(clippy::too_many_arguments, reason = "as many as the function has")]

use pytriton_protocol::typed::{Argument, Model, Takes};

use super::{Call, ResponseMode};

macro_rules! calls {
    ($($($input:ident $given:ident)*;)*) => {$(
        impl<M: Model<Responses: ResponseMode<M>>, $($input: Takes),*> Call<M, ($($input,)*)> {
            /// Converts the arguments, and returns a future with the function's result, or a stream
            /// of results for a streaming model. The request is sent when it is first polled.
            pub fn call(
                &self,
                $($given: impl Argument<$input::As>),*
            ) -> <M::Responses as ResponseMode<M>>::Call {
                let bytes = [$($given.converted_bytes()),*];
                M::Responses::start(self.unsent(bytes, || [$($given.into_tensor()),*]))
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
