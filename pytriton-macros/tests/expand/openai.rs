fn linear(prompt: String, max_tokens: Option<i64>) -> impl Iterator<Item = Piece> {
    f(prompt)
}
const _: () = {
    use ::pytriton::__private;
    #[openai(__taken)]
    const _: () = ();
    use __private::methods::*;
    const __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Linear",
        openai: ::core::option::Option::Some(__private::Surface::Completions),
        batching: false,
        ..__private::ModelOptions::DEFAULT
    };
    const _: () = __private::refuse(__OPTIONS.flaw("name"));
    const __SIGNATURE: __private::Signature = __private::Signature {
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
        __private::TextAsked::text::<Piece>();
        <__private::Piece as __private::Outputs>::DECLARATIONS
    };
    const __OVERRIDES: &[__private::OutputOverride] = &[];
    const _: () = __private::refuse_outputs(__OUTPUTS, __OVERRIDES, __OPTIONS.batching);
    struct __Instance;
    impl __private::Instance for __Instance {
        fn execute<'a>(
            &'a self,
            __call: &'a __private::Call<'a>,
        ) -> __private::Execution<'a> {
            let __answer = || -> __private::Answered {
                let __argument_0 = (&__private::TextReader::<String>::NEW)
                    .read(__call, __SIGNATURE.inputs_before(0usize))?;
                let __argument_1 = (&__private::TextReader::<Option<i64>>::NEW)
                    .read(__call, __SIGNATURE.inputs_before(1usize))?;
                let __returned = linear(
                    __argument_0.argument(),
                    __argument_1.argument(),
                );
                {
                    let __answers = __returned;
                    __private::iterate(
                        __call,
                        __answers,
                        |__item| __private::Text(__item).convert(__call),
                    )
                }
            };
            __private::executed(__answer())
        }
        fn detached(&self) -> __private::Detached {
            __private::detached(Self)
        }
    }
    __private::inventory::submit! {
        __private::FunctionDeclaration { options : __OPTIONS, signature : __SIGNATURE,
        outputs : __OUTPUTS, output_overrides : __OVERRIDES, steps : & [], warmups : &
        [], load : | _ | __private::instance(__Instance), location : __private::Location
        { package : ::core::env!("CARGO_PKG_NAME"), file : ::core::file!(), line :
        ::core::line!(), }, }
    }
};
