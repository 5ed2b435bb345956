/// Doc comments stay.
pub fn plain(x: ArrayView1<f32>, y: Option<Array1<Vec<u8>>>) -> Array1<f32> {
    f(x, y)
}
const _: () = {
    use ::pytriton::__private;
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Plain",
        batching: false,
        description: "Doc comments stay.",
        ..__private::ModelOptions::DEFAULT
    };
    const __VALID: bool = __private::all_valid(
        &[__OPTIONS.flaw("name"), __OPTIONS.flaw("batching")],
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("name")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("batching")),
    );
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <ArrayView1<f32> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("x"),
            ),
            __private::Argument::new(
                <Option<Array1<Vec<u8>>> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("y"),
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
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<__RAW>::outputs::<Array1<f32>>();
        __private::Returns::<Array1<f32>, __RAW>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse(__OPTIONS.flaw("batching"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
    };
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let __argument_0 = __private::Reader::<ArrayView1<f32>>::NEW
            .read(__call, __SIGNATURE.inputs_before(0usize))?;
        let __argument_1 = __private::Reader::<Option<Array1<Vec<u8>>>>::NEW
            .read(__call, __SIGNATURE.inputs_before(1usize))?;
        let __returned = plain(__argument_0.argument(), __argument_1.argument());
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
