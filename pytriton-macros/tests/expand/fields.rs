fn fields(x: ArrayView2<f32>, sample: Sample<'_>, scale: Scale) -> Array2<f32> {
    f()
}
///The model `Fields`, for its callers.
#[derive(Debug)]
enum Fields {}
const _: () = {
    use ::pytriton::__private;
    #[batch(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Fields",
        ..__private::ModelOptions::DEFAULT
    };
    const __PARAMETERS: &[__private::Argument] = &[
        __private::Argument::new(
            <ArrayView2<f32> as __private::Parameter>::DECLARED,
            ::core::option::Option::Some("x"),
        ),
        __private::Argument::new(
            <Sample<'_> as __private::Parameter>::DECLARED,
            ::core::option::Option::Some("sample"),
        ),
        __private::Argument::new(
            <Scale as __private::Parameter>::DECLARED,
            ::core::option::Option::Some("scale"),
        ),
    ];
    const __INDEXES: [usize; 4usize] = __private::argument_indexes(__PARAMETERS);
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &__private::with_fields::<{ __INDEXES[3usize] }>(__PARAMETERS),
        batch: true,
        decorated: true,
        decoupled: false,
        declared: &[],
    };
    const __RAW: bool = __SIGNATURE.raw();
    const _: () = __private::refuse(__SIGNATURE.flaw(__INDEXES[0usize], &__OPTIONS));
    const _: () = __private::refuse(
        __SIGNATURE.repeated_flaw(__INDEXES[0usize], __INDEXES[0usize]),
    );
    const _: () = __private::refuse_fields(
        &__PARAMETERS[1usize],
        &__SIGNATURE,
        (__INDEXES[1usize], __INDEXES[2usize]),
        &__OPTIONS,
    );
    const _: () = __private::refuse_fields(
        &__PARAMETERS[2usize],
        &__SIGNATURE,
        (__INDEXES[2usize], __INDEXES[3usize]),
        &__OPTIONS,
    );
    const _: () = __private::refuse(__private::client_flaw(__PARAMETERS));
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
            .read(__call, __SIGNATURE.inputs_before(__INDEXES[0usize]))?;
        let __argument_1 = __private::Reader::<Sample<'_>>::NEW
            .read(__call, __SIGNATURE.inputs_before(__INDEXES[1usize]))?;
        let __argument_2 = __private::Reader::<Scale>::NEW
            .read(__call, __SIGNATURE.inputs_before(__INDEXES[2usize]))?;
        let __returned = fields(
            __argument_0.argument(),
            __argument_1.argument(),
            __argument_2.argument(),
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
    impl __private::typed::Model for Fields {
        type Arguments = (fn(ArrayView2<f32>), fn(Sample<'_>), fn(Scale));
        type Outputs = Array2<f32>;
        type Responses = __private::typed::Once;
        fn signature() -> __private::typed::ModelSignature {
            __private::callers_signature(&__OPTIONS, &__SIGNATURE, __OUTPUTS, &[])
        }
    }
};
