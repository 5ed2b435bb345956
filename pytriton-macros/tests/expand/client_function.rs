pub(crate) fn linear(
    context: &Context,
    x: ArrayView2<'_, f32>,
    scale: f32,
    bias: ArrayView2<f32>,
) -> Result<Array2<f32>, String> {
    f()
}
///The model `Linear`, for its callers.
#[derive(Debug)]
pub(crate) enum Linear {}
const _: () = {
    use ::pytriton::__private;
    #[fill_optionals(__taken)]
    const _: () = ();
    #[batch(__taken)]
    const _: () = ();
    #[output(__taken)]
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
                <&Context as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("context"),
            ),
            __private::Argument::new(
                <ArrayView2<'_, f32> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("x"),
            ),
            __private::Argument::new(
                    <f32 as __private::FirstValueParameter>::DECLARED,
                    ::core::option::Option::Some("scale"),
                )
                .first_value(true),
            __private::Argument::new(
                    <ArrayView2<f32> as __private::Parameter>::DECLARED,
                    ::core::option::Option::Some("bias"),
                )
                .filled(),
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
    const __OVERRIDES: &[__private::OutputOverride] = &[
        __private::OutputOverride {
            name: ::core::option::Option::Some("y"),
            shape: ::core::option::Option::None,
            labels: "",
        },
    ];
    const _: () = __private::refuse(__private::tensor_name_flaw("y"));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<__RAW>::error::<String>();
        __private::ReturnCheck::<__RAW>::outputs::<Array2<f32>>();
        __private::Returns::<Result<Array2<f32>, String>, __RAW>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse_outputs(__OUTPUTS, __OVERRIDES, __OPTIONS.batching);
    };
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let __argument_0 = __private::Reader::<&Context>::NEW
            .read(__call, __SIGNATURE.inputs_before(0usize))?;
        let __argument_1 = __private::Reader::<ArrayView2<'_, f32>>::NEW
            .read(__call, __SIGNATURE.inputs_before(1usize))?;
        let __argument_2 = __private::FirstValueReader::<f32>::NEW
            .read(__call, __SIGNATURE.inputs_before(2usize))?;
        let __argument_3 = __private::Reader::<ArrayView2<f32>>::NEW
            .read(__call, __SIGNATURE.inputs_before(3usize))?;
        let __returned = linear(
            __argument_0.argument(),
            __argument_1.argument(),
            __argument_2.argument(),
            __argument_3.argument(),
        );
        let __returned = __call
            .returned(
                (&&&__private::ErrorsOf::new(&__returned)).errors().result(__returned),
            )?;
        __private::ReturnValue::<_, __RAW>(__returned).convert(__call)
    }
    __private::inventory::submit! {
        __private::FunctionDeclaration { options : & __OPTIONS, signature : &
        __SIGNATURE, outputs : __OUTPUTS, output_overrides : __OVERRIDES, steps : & [&
        __private::FillOptional:: < < ArrayView2 < f32 > as __private::Parameter >
        ::Element, _ > ::new("bias", 0.0)], warmups : & [], load :
        __private::Loading::Stateless(__private::Calling::AtOnce(__called)),
        load_parameters : & [], location : __private::Location::here("pytriton-macros"),
        }
    }
    impl __private::typed::Model for Linear {
        type Arguments = (
            fn(ArrayView2<'_, f32>),
            fn(f32),
            fn(::core::option::Option<ArrayView2<f32>>),
        );
        type Outputs = Result<Array2<f32>, ()>;
        type Responses = __private::typed::Once;
        fn signature() -> __private::typed::ModelSignature {
            __private::callers_signature(
                &__OPTIONS,
                &__SIGNATURE,
                __OUTPUTS,
                __OVERRIDES,
            )
        }
    }
};
