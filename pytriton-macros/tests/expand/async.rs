async fn linear(x: ArrayView2<'_, f32>, context: &Context) -> Array2<f32> {
    f(x).await
}
const _: () = {
    use ::pytriton::__private;
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
            __private::Argument::new(
                <&Context as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("context"),
            ),
        ],
        batch: false,
        decorated: false,
        decoupled: false,
        declared: &[],
    };
    const __RAW: bool = __SIGNATURE.raw();
    const _: () = __private::refuse(__SIGNATURE.flaw(0usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.flaw(1usize, &__OPTIONS));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<__RAW>::outputs::<Array2<f32>>();
        __private::Returns::<Array2<f32>, __RAW>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
    };
    fn __called<'a>(
        __state: &'a (),
        __call: &'a __private::Call<'a>,
    ) -> __private::Execution<'a> {
        ::std::boxed::Box::pin(async move {
            let __argument_0 = __private::Reader::<ArrayView2<f32>>::NEW
                .read(__call, __SIGNATURE.inputs_before(0usize))?;
            let __argument_1 = __private::Reader::<&Context>::NEW
                .read(__call, __SIGNATURE.inputs_before(1usize))?;
            let __returned = linear(__argument_0.argument(), __argument_1.argument())
                .await;
            __private::ReturnValue::<_, __RAW>(__returned).convert(__call)
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
};
