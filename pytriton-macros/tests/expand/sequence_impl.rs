impl State {
    fn load() -> Self {
        f()
    }
    fn start(&self, sequence: &Sequence) -> Result<Sums, Error> {
        f(sequence)
    }
    async fn infer(
        &self,
        x: ArrayView2<'_, f32>,
        sums: &mut [&mut Sums],
    ) -> Array2<f32> {
        f(sums, x).await
    }
}
const _: () = {
    use ::pytriton::__private;
    #[batch(__taken)]
    const _: () = ();
    #[sequence(__taken)]
    const _: () = ();
    #[load(__taken)]
    const _: () = ();
    #[infer(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Running",
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
                <ArrayView2<f32> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("x"),
            ),
            __private::Argument::new(
                <&mut [&mut Sums] as __private::SequenceParameter>::DECLARED,
                ::core::option::Option::Some("sums"),
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
    const _: () = __private::refuse(__SIGNATURE.batch_flaw(&__OPTIONS));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<__RAW>::outputs::<Array2<f32>>();
        __private::Returns::<Array2<f32>, __RAW>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
    };
    fn __called<'a>(
        __state: &'a State,
        __call: &'a __private::Call<'a>,
    ) -> __private::Execution<'a> {
        ::std::boxed::Box::pin(async move {
            let __argument_0 = __private::Reader::<ArrayView2<f32>>::NEW
                .read(__call, __SIGNATURE.inputs_before(0usize))?;
            let mut __held = __private::SequenceReader::<&mut [&mut Sums]>::NEW
                .read(__call, __SIGNATURE.inputs_before(1usize))?;
            let mut __argument_1 = __held.reborrow();
            let __returned = <State>::infer(
                    __state,
                    __argument_0.argument(),
                    __argument_1.argument(),
                )
                .await;
            __private::ReturnValue::<_, __RAW>(__returned).convert(__call)
        })
    }
    fn __started(__state: &State, __start: &__private::Start<'_>) -> __private::Started {
        let __constructed = <State>::start(
            __state,
            __private::starting::<&Sequence>(__start),
        );
        __private::made::<
            &mut [&mut Sums],
            _,
        >(
            __start,
            (&&&__private::ErrorsOf::new(&__constructed)).errors().result(__constructed),
        )
    }
    __private::inventory::submit! {
        __private::FunctionDeclaration { options : & __OPTIONS, signature : &
        __SIGNATURE, outputs : __OUTPUTS, output_overrides : & [], steps : & [], warmups
        : & [], load : __private::Loading::Stated(| __context |
        __private::sequenced(__context, { let __constructed = < State > ::load();
        __private::loaded:: < State, _ > (__context, (&& & __private::ErrorsOf::new(&
        __constructed)).errors().result(__constructed)) ? },
        __private::Calling::Awaited(__called), __started)), load_parameters : & [],
        location : __private::Location::here("pytriton-macros"), }
    }
};
