fn down(from: Option<ArrayView1<i32>>, responses: &Responses<Both>) {
    f()
}
///The model `Down`, for its callers.
#[derive(Debug)]
enum CountDown {}
const _: () = {
    use ::pytriton::__private;
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Down",
        batching: false,
        ..__private::ModelOptions::DEFAULT
    };
    const __VALID: bool = __private::all_valid(
        &[__OPTIONS.flaw("name"), __OPTIONS.flaw("batching")],
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("name")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("batching")),
    );
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <Option<ArrayView1<i32>> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("from"),
            ),
            __private::Argument::new(
                <&Responses<Both> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("responses"),
            ),
        ],
        batch: false,
        decorated: false,
        decoupled: true,
        declared: &[],
    };
    const __RAW: bool = __SIGNATURE.raw();
    const _: () = __private::refuse(__SIGNATURE.flaw(0usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.flaw(1usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.whole_flaw(&__OPTIONS));
    const __OUTPUTS: &[__private::TensorDeclaration] = __SIGNATURE.response_outputs();
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse(__OPTIONS.flaw("batching"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
    };
    fn __called<'a>(
        __state: &'a (),
        __call: &'a __private::Call<'a>,
    ) -> __private::Execution<'a> {
        ::std::boxed::Box::pin(async move {
            let __argument_0 = __private::Reader::<Option<ArrayView1<i32>>>::NEW
                .read(__call, __SIGNATURE.inputs_before(0usize))?;
            let __argument_1 = __private::Reader::<&Responses<Both>>::NEW
                .read(__call, __SIGNATURE.inputs_before(1usize))?;
            let __returned = down(__argument_0.argument(), __argument_1.argument());
            {
                let __returned = (&&&__private::ErrorsOf::new(&__returned))
                    .errors()
                    .result(__returned);
                __private::closed(__call, __private::ended(__call, __returned)).await
            }
        })
    }
    __private::inventory::submit! {
        __private::FunctionDeclaration { options : & __OPTIONS, signature : &
        __SIGNATURE, outputs : __OUTPUTS, output_overrides : & [], steps : & [], warmups
        : & [], load :
        __private::Loading::Stateless(__private::Calling::Awaited(__called)),
        load_parameters : & [], location : __private::Location::here("pytriton-macros"),
        }
    }
    impl __private::typed::Model for CountDown {
        type Arguments = (fn(Option<ArrayView1<i32>>),);
        type Outputs = Both;
        type Responses = __private::typed::Many;
        fn signature() -> __private::typed::ModelSignature {
            __private::callers_signature(&__OPTIONS, &__SIGNATURE, __OUTPUTS, &[])
        }
    }
};
