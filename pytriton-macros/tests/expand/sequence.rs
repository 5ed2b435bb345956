fn sum(sum: &mut f32, sequence: &Sequence, x: ArrayView2<f32>) -> Array2<f32> {
    f(sum, x)
}
const _: () = {
    use ::pytriton::__private;
    #[sequence(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Sum",
        sequence_batching: __private::SequenceScheduling::named("oldest"),
        max_sequence_idle_microseconds: 5_000_000,
        max_candidate_sequences: 64,
        ..__private::ModelOptions::DEFAULT
    };
    const _: () = __private::refuse(__OPTIONS.flaw("sequence_batching"));
    const _: () = __private::refuse(__OPTIONS.flaw("max_sequence_idle_microseconds"));
    const __VALID: bool = __private::all_valid(
        &[
            __OPTIONS.flaw("name"),
            __OPTIONS.flaw("sequence_batching"),
            __OPTIONS.flaw("max_sequence_idle_microseconds"),
            __OPTIONS.flaw("max_candidate_sequences"),
        ],
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("name")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("sequence_batching")),
    );
    const _: () = __private::refuse(
        __private::violation_if(
            __VALID,
            __OPTIONS.conflict("max_sequence_idle_microseconds"),
        ),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("max_candidate_sequences")),
    );
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <&mut f32 as __private::SequenceParameter>::DECLARED,
                ::core::option::Option::Some("sum"),
            ),
            __private::Argument::new(
                <&Sequence as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("sequence"),
            ),
            __private::Argument::new(
                <ArrayView2<f32> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("x"),
            ),
        ],
        batch: false,
        decorated: false,
        decoupled: false,
        declared: &[],
    };
    const __RAW: bool = __SIGNATURE.raw();
    const _: () = __private::refuse(__SIGNATURE.flaw(0usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.flaw(1usize, &__OPTIONS));
    const _: () = __private::refuse(__SIGNATURE.flaw(2usize, &__OPTIONS));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<__RAW>::outputs::<Array2<f32>>();
        __private::Returns::<Array2<f32>, __RAW>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse(__OPTIONS.flaw("max_candidate_sequences"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
    };
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let mut __held = __private::SequenceReader::<&mut f32>::NEW
            .read(__call, __SIGNATURE.inputs_before(0usize))?;
        let mut __argument_0 = __held.reborrow();
        let __argument_1 = __private::Reader::<&Sequence>::NEW
            .read(__call, __SIGNATURE.inputs_before(1usize))?;
        let __argument_2 = __private::Reader::<ArrayView2<f32>>::NEW
            .read(__call, __SIGNATURE.inputs_before(2usize))?;
        let __returned = sum(
            __argument_0.argument(),
            __argument_1.argument(),
            __argument_2.argument(),
        );
        __private::ReturnValue::<_, __RAW>(__returned).convert(__call)
    }
    fn __started(__state: &(), __start: &__private::Start<'_>) -> __private::Started {
        __private::made_by_default::<&mut f32>(__start)
    }
    __private::inventory::submit! {
        __private::FunctionDeclaration { options : & __OPTIONS, signature : &
        __SIGNATURE, outputs : __OUTPUTS, output_overrides : & [], steps : & [], warmups
        : & [], load : __private::Loading::Stated(| __context |
        __private::sequenced(__context, (), __private::Calling::AtOnce(__called),
        __started)), load_parameters : & [], location :
        __private::Location::here("pytriton-macros"), }
    }
};
