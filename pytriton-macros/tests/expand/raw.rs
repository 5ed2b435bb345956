fn raw(requests: &[Request]) -> Vec<Array2<f32>> {
    f(requests)
}
const _: () = {
    use ::pytriton::__private;
    #[input(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Raw",
        dynamic_batching: false,
        ..__private::ModelOptions::DEFAULT
    };
    const __VALID: bool = __private::all_valid(
        &[__OPTIONS.flaw("name"), __OPTIONS.flaw("dynamic_batching")],
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("name")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("dynamic_batching")),
    );
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <&[Request] as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("requests"),
            ),
        ],
        batch: false,
        decorated: false,
        decoupled: false,
        declared: &[
            __private::TensorDeclaration {
                name: "x",
                datatype: __private::DataType::Fp32,
                rank: ::core::option::Option::None,
                shape: ::core::option::Option::Some(&[-1]),
                optional: false,
                description: "",
                example: &[],
                labels: "",
            },
            __private::TensorDeclaration {
                name: "label",
                datatype: __private::DataType::Bytes,
                rank: ::core::option::Option::None,
                shape: ::core::option::Option::Some(&[1]),
                optional: true,
                description: "",
                example: &[],
                labels: "",
            },
        ],
    };
    const __RAW: bool = __SIGNATURE.raw();
    const _: () = __private::refuse(__SIGNATURE.flaw(0usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.declared_flaw());
    const _: () = __private::refuse(__private::tensor_name_flaw("x"));
    const _: () = __private::refuse(__private::dimension_flaw(-1));
    const _: () = __private::refuse(__SIGNATURE.declared_shape_flaw(0usize));
    const _: () = __private::refuse(__SIGNATURE.declared_flaw());
    const _: () = __private::refuse(__private::tensor_name_flaw("label"));
    const _: () = __private::refuse(__private::dimension_flaw(1));
    const _: () = __private::refuse(__SIGNATURE.declared_shape_flaw(1usize));
    const _: () = __private::refuse(__SIGNATURE.whole_flaw(&__OPTIONS));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<__RAW>::entry::<Array2<f32>>();
        __private::Returns::<Vec<Array2<f32>>, __RAW>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse(__OPTIONS.flaw("dynamic_batching"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
    };
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let __argument_0 = __private::Reader::<&[Request]>::NEW
            .read(__call, __SIGNATURE.inputs_before(0usize))?;
        let __returned = raw(__argument_0.argument());
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
