fn linear(texts: Vec<String>) -> Array2<f32> {
    f(texts)
}
const _: () = {
    use ::pytriton::__private;
    #[openai(__taken)]
    const _: () = ();
    #[cost(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Linear",
        openai: ::core::option::Option::Some(__private::Surface::Embeddings),
        cost: ::core::option::Option::Some("texts"),
        ..__private::ModelOptions::DEFAULT
    };
    const __VALID: bool = __private::all_valid(&[__OPTIONS.flaw("name")]);
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("name")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("cost")),
    );
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <Vec<String> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("texts"),
            ),
        ],
        batch: true,
        decorated: false,
        decoupled: false,
        declared: &[],
    };
    const __RAW: bool = __SIGNATURE.raw();
    const _: () = __private::refuse(__SIGNATURE.flaw(0usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.openai_flaw(&__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.cost_flaw(&__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.whole_flaw(&__OPTIONS));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<__RAW>::outputs::<Array2<f32>>();
        __private::Returns::<Array2<f32>, __RAW>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
    };
    const _: () = __private::refuse(__private::vectors_flaw(__OUTPUTS, &[]));
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let __argument_0 = __private::Reader::<Vec<String>>::NEW
            .read(__call, __SIGNATURE.inputs_before(0usize))?;
        let __returned = linear(__argument_0.argument());
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
