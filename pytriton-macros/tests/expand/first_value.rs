fn linear(
    x: ArrayView2<f32>,
    scale: f32,
    weights: Option<ArrayView2<f32>>,
    parameters: &Parameters,
) -> Array2<f32> {
    f()
}
const _: () = {
    use ::pytriton::__private;
    #[batch(__taken)]
    const _: () = ();
    #[first_value(__taken)]
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
            __private::Argument::new(
                    <f32 as __private::FirstValueParameter>::DECLARED,
                    ::core::option::Option::Some("scale"),
                )
                .first_value(true),
            __private::Argument::new(
                    <Option<
                        ArrayView2<f32>,
                    > as __private::FirstValueParameter>::DECLARED,
                    ::core::option::Option::Some("weights"),
                )
                .first_value(false),
            __private::Argument::new(
                <&Parameters as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("parameters"),
            ),
        ],
        batch: true,
        decorated: true,
        decoupled: false,
        declared: &[],
    };
    const __RAW: bool = __SIGNATURE.raw();
    const _: () = __private::refuse(__SIGNATURE.flaw(0usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.flaw(1usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.flaw(2usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.flaw(3usize, &__OPTIONS));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<__RAW>::outputs::<Array2<f32>>();
        __private::Returns::<Array2<f32>, __RAW>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
    };
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let __argument_0 = __private::Reader::<ArrayView2<f32>>::NEW
            .read(__call, __SIGNATURE.inputs_before(0usize))?;
        let __argument_1 = __private::FirstValueReader::<f32>::NEW
            .read(__call, __SIGNATURE.inputs_before(1usize))?;
        let __argument_2 = __private::FirstValueReader::<Option<ArrayView2<f32>>>::NEW
            .read(__call, __SIGNATURE.inputs_before(2usize))?;
        let __argument_3 = __private::Reader::<&Parameters>::NEW
            .read(__call, __SIGNATURE.inputs_before(3usize))?;
        let __returned = linear(
            __argument_0.argument(),
            __argument_1.argument(),
            __argument_2.argument(),
            __argument_3.argument(),
        );
        __private::ReturnValue::<_, __RAW>(__returned).convert(__call)
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
