fn embed(tokens: ArrayView2<i64>, mask: ArrayView2<i64>) -> Array2<f32> {
    f(tokens, mask)
}
const _: () = {
    use ::pytriton::__private;
    #[batch(__taken)]
    const _: () = ();
    #[cost(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Embed",
        call_options: {
            let mut __options = __private::CallOptions::DEFAULT;
            __options.max_batch_cost = 16384;
            __options
        },
        cost: ::core::option::Option::Some("tokens"),
        ..__private::ModelOptions::DEFAULT
    };
    const _: () = __private::refuse(__OPTIONS.flaw("max_batch_cost"));
    const __VALID: bool = __private::all_valid(
        &[__OPTIONS.flaw("name"), __OPTIONS.flaw("max_batch_cost")],
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("name")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("max_batch_cost")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("cost")),
    );
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <ArrayView2<i64> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("tokens"),
            ),
            __private::Argument::new(
                <ArrayView2<i64> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("mask"),
            ),
        ],
        batch: true,
        decorated: true,
        decoupled: false,
        declared: &[],
    };
    const _: () = __private::refuse(__SIGNATURE.cost_flaw(&__OPTIONS));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<false>::outputs::<Array2<f32>>();
        __private::Returns::<Array2<f32>, false>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
        __private::refuse(__SIGNATURE.plain_flaw(&__OPTIONS))
    };
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let __argument_0 = __private::Reader::<ArrayView2<i64>>::NEW
            .read(__call, 0usize)?;
        let __argument_1 = __private::Reader::<ArrayView2<i64>>::NEW
            .read(__call, 1usize)?;
        let __returned = embed(__argument_0.argument(), __argument_1.argument());
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
