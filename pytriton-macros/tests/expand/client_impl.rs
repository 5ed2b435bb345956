impl State {
    fn load() -> Self {
        f()
    }
    pub fn infer(
        &self,
        sum: &mut i64,
        x: ArrayView2<i64>,
    ) -> impl Iterator<Item = Array2<i64>> {
        f()
    }
}
const _: () = {
    use ::pytriton::__private;
    #[sequence(__taken)]
    const _: () = ();
    #[load(__taken)]
    const _: () = ();
    #[infer(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "State",
        sequence_batching: __private::SequenceScheduling::named("direct"),
        ..__private::ModelOptions::DEFAULT
    };
    const __VALID: bool = __private::all_valid(&[__OPTIONS.flaw("name")]);
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("name")),
    );
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <&mut i64 as __private::SequenceParameter>::DECLARED,
                ::core::option::Option::Some("sum"),
            ),
            __private::Argument::new(
                <ArrayView2<i64> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("x"),
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
    const _: () = __private::refuse(__SIGNATURE.whole_flaw(&__OPTIONS));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<__RAW>::outputs::<Array2<i64>>();
        __private::Returns::<Array2<i64>, __RAW>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
    };
    fn __called(__state: &State, __call: &__private::Call<'_>) -> __private::CallResult {
        let mut __held = __private::SequenceReader::<&mut i64>::NEW
            .read(__call, __SIGNATURE.inputs_before(0usize))?;
        let mut __argument_0 = __held.reborrow();
        let __argument_1 = __private::Reader::<ArrayView2<i64>>::NEW
            .read(__call, __SIGNATURE.inputs_before(1usize))?;
        let __returned = <State>::infer(
            __state,
            __argument_0.argument(),
            __argument_1.argument(),
        );
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
                |__item| { __private::ReturnValue::<_, __RAW>(__item).convert(__call) },
            )
        }
    }
    fn __started(__state: &State, __start: &__private::Start<'_>) -> __private::Started {
        __private::made_by_default::<&mut i64>(__start)
    }
    __private::inventory::submit! {
        __private::FunctionDeclaration { options : & __OPTIONS, signature : &
        __SIGNATURE, outputs : __OUTPUTS, output_overrides : & [], steps : & [], warmups
        : & [], load : __private::Loading::Stated(| __context |
        __private::sequenced(__context, { let __constructed = < State > ::load();
        __private::loaded:: < State, _ > (__context, (&& & __private::ErrorsOf::new(&
        __constructed)).errors().result(__constructed)) ? },
        __private::Calling::AtOnce(__called), __started)), load_parameters : & [],
        location : __private::Location::here("pytriton-macros"), }
    }
    impl __private::typed::Model for State {
        type Arguments = (fn(ArrayView2<i64>),);
        type Outputs = Array2<i64>;
        type Responses = __private::typed::Many;
        fn signature() -> __private::typed::ModelSignature {
            __private::callers_signature(&__OPTIONS, &__SIGNATURE, __OUTPUTS, &[])
        }
    }
};
