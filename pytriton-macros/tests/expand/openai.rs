fn linear(prompt: String, max_tokens: Option<i64>) -> impl Iterator<Item = Piece> {
    f(prompt)
}
const _: () = {
    use ::pytriton::__private;
    #[openai(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Linear",
        openai: ::core::option::Option::Some(__private::Surface::Completions),
        batching: false,
        ..__private::ModelOptions::DEFAULT
    };
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <String as __private::TextParameter>::DECLARED,
                ::core::option::Option::Some("prompt"),
            ),
            __private::Argument::new(
                <Option<i64> as __private::TextParameter>::DECLARED,
                ::core::option::Option::Some("max_tokens"),
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
    const _: () = __private::refuse(__SIGNATURE.openai_flaw(&__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.whole_flaw(&__OPTIONS));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::TextReturnCheck::text::<Piece>();
        <__private::Piece as __private::Outputs>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
    };
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let __argument_0 = __private::TextReader::<String>::NEW
            .read(__call, __SIGNATURE.inputs_before(0usize))?;
        let __argument_1 = __private::TextReader::<Option<i64>>::NEW
            .read(__call, __SIGNATURE.inputs_before(1usize))?;
        let __returned = linear(__argument_0.argument(), __argument_1.argument());
        {
            let __responses = __call
                .returned(
                    (&&&__private::ErrorsOf::new(&__returned))
                        .errors()
                        .result(__returned),
                )?;
            __private::iterate(
                __call,
                __responses,
                |__item| {
                    let __item = __call
                        .returned(
                            (&&&__private::ErrorsOf::new(&__item))
                                .errors()
                                .result(__item),
                        )?;
                    __private::Text(__item).convert(__call)
                },
            )
        }
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
