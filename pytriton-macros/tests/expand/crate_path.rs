fn renamed(x: ArrayView2<f32>) -> Array2<f32> {
    f(x)
}
const _: () = {
    use crate::served::pytriton::__private;
    #[crate::served::pytriton::batch(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Renamed",
        ..__private::ModelOptions::DEFAULT
    };
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <ArrayView2<f32> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("x"),
            ),
        ],
        batch: true,
        decorated: true,
        decoupled: false,
        declared: &[],
    };
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
        let __argument_0 = __private::Reader::<ArrayView2<f32>>::NEW
            .read(__call, 0usize)?;
        let __returned = renamed(__argument_0.argument());
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
