fn linear(x: ArrayView2<f32>) -> Result<(Array2<f32>, Array2<i64>), Error> {
    f(x)
}
const _: () = {
    use ::pytriton::__private;
    #[batch(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Linear",
        ..__private::ModelOptions::DEFAULT
    };
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <ArrayView2<f32> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("x"),
            ),
        ],
        batch: true,
        decorated: true,
        decoupled: false,
        declared: &[],
    };
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<false>::error::<Error>();
        __private::ReturnCheck::<false>::element::<Array2<f32>>();
        __private::ReturnCheck::<false>::element::<Array2<i64>>();
        __private::Returns::<
            Result<(Array2<f32>, Array2<i64>), Error>,
            false,
        >::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
        __private::refuse(__SIGNATURE.plain_flaw(&__OPTIONS))
    };
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let __argument_0 = __private::Reader::<ArrayView2<f32>>::NEW
            .read(__call, 0usize)?;
        let __returned = linear(__argument_0.argument());
        let __returned = __call
            .returned(
                (&&&__private::ErrorsOf::new(&__returned)).errors().result(__returned),
            )?;
        __private::ReturnValue::<_, false>(__returned).convert(__call)
    }
    __private::inventory::submit! {
        __private::FunctionDeclaration { options : & __OPTIONS, signature : &
        __SIGNATURE, outputs : __OUTPUTS, output_overrides : & [], steps : & [], warmups
        : & [], load :
        __private::Loading::Stateless(__private::Calling::AtOnce(__called)),
        load_parameters : & [], location : __private::Location::here("pytriton-macros"),
        }
    }
};
