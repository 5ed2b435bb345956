fn batch(x: ndarray::ArrayView3<'_, u8>) -> Array2<u8> {
    f(x)
}
const _: () = {
    use ::pytriton::__private;
    #[batch(__taken)]
    const _: () = ();
    #[output(__taken)]
    const _: () = ();
    #[input(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Batch",
        max_batch_size: 8,
        preferred_batch_size: &[4, 8],
        call_options: {
            let mut __options = __private::CallOptions::DEFAULT;
            __options.max_call_microseconds = 5_000_000;
            __options
        },
        queue_policy: {
            let mut __options = __private::QueuePolicy::DEFAULT;
            __options.timeout_action = __private::timeout_action("delay");
            __options
        },
        ..__private::ModelOptions::DEFAULT
    };
    const _: () = __private::refuse(__OPTIONS.flaw("max_call_microseconds"));
    const _: () = __private::refuse(__OPTIONS.flaw("preferred_batch_size"));
    const _: () = __private::refuse(__private::timeout_action_flaw("delay"));
    const __VALID: bool = __private::all_valid(
        &[
            __OPTIONS.flaw("name"),
            __OPTIONS.flaw("max_batch_size"),
            __OPTIONS.flaw("max_call_microseconds"),
            __OPTIONS.flaw("preferred_batch_size"),
            __OPTIONS.flaw("timeout_action"),
            __private::timeout_action_flaw("delay"),
        ],
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("name")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("max_batch_size")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("max_call_microseconds")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("preferred_batch_size")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.preferred_flaw(0usize)),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.preferred_flaw(1usize)),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("timeout_action")),
    );
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                    <ndarray::ArrayView3<'_, u8> as __private::Parameter>::DECLARED,
                    ::core::option::Option::Some("INPUT_1"),
                )
                .shape(&[-1, 3]),
        ],
        batch: true,
        decorated: true,
        decoupled: false,
        declared: &[],
    };
    const _: () = __private::refuse(__private::dimension_flaw(-1));
    const _: () = __private::refuse(__private::dimension_flaw(3));
    const _: () = __private::refuse(__SIGNATURE.shape_flaw(0usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.given_flaw(0usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.name_flaw(0usize, &__OPTIONS));
    const __OVERRIDES: &[__private::OutputOverride] = &[
        __private::OutputOverride {
            name: ::core::option::Option::Some("y"),
            shape: ::core::option::Option::Some(&[3]),
            labels: "",
        },
    ];
    const _: () = __private::refuse(__private::tensor_name_flaw("y"));
    const _: () = __private::refuse(__private::dimension_flaw(3));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<false>::outputs::<Array2<u8>>();
        __private::Returns::<Array2<u8>, false>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse(__OPTIONS.flaw("max_batch_size"));
        __private::refuse(__OPTIONS.flaw("timeout_action"));
        __private::refuse_outputs(__OUTPUTS, __OVERRIDES, __OPTIONS.batching);
        __private::refuse(__SIGNATURE.plain_flaw(&__OPTIONS))
    };
    const _: () = __private::refuse(
        __private::override_flaw(__OUTPUTS, __OVERRIDES, 0usize, __OPTIONS.batching),
    );
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let __argument_0 = __private::Reader::<ndarray::ArrayView3<'_, u8>>::NEW
            .read(__call, 0usize)?;
        let __returned = batch(__argument_0.argument());
        __private::ReturnValue::<_, false>(__returned).convert(__call)
    }
    __private::inventory::submit! {
        __private::FunctionDeclaration { options : & __OPTIONS, signature : &
        __SIGNATURE, outputs : __OUTPUTS, output_overrides : __OVERRIDES, steps : & [],
        warmups : & [], load :
        __private::Loading::Stateless(__private::Calling::AtOnce(__called)),
        load_parameters : & [], location : __private::Location::here("pytriton-macros"),
        }
    }
};
