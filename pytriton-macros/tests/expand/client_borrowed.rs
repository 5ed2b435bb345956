pub fn borrowed<'a>(
    x: ArrayView2<'a, f32>,
    p: &'a Parameters,
) -> Result<Lent<'a>, &str> {
    f()
}
///The model `Borrowed`, for its callers.
#[derive(Debug)]
pub enum Borrowed {}
const _: () = {
    use ::pytriton::__private;
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Borrowed",
        ..__private::ModelOptions::DEFAULT
    };
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <ArrayView2<'_, f32> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("x"),
            ),
            __private::Argument::new(
                <&'_ Parameters as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("p"),
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
        __private::ReturnCheck::<__RAW>::error::<&str>();
        __private::ReturnCheck::<__RAW>::outputs::<Lent<'_>>();
        __private::Returns::<Result<Lent<'_>, &str>, __RAW>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
    };
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let __argument_0 = __private::Reader::<ArrayView2<'_, f32>>::NEW
            .read(__call, __SIGNATURE.inputs_before(0usize))?;
        let __argument_1 = __private::Reader::<&'_ Parameters>::NEW
            .read(__call, __SIGNATURE.inputs_before(1usize))?;
        let __returned = borrowed(__argument_0.argument(), __argument_1.argument());
        let __returned = __call
            .returned(
                (&&&__private::ErrorsOf::new(&__returned)).errors().result(__returned),
            )?;
        let __returned = __call
            .returned(
                (&&&__private::ErrorsOf::new(&__returned)).errors().result(__returned),
            )?;
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
    impl __private::typed::Model for Borrowed {
        type Arguments = (fn(ArrayView2<'_, f32>),);
        type Outputs = Result<Lent<'static>, ()>;
        type Responses = __private::typed::Once;
        fn signature() -> __private::typed::ModelSignature {
            __private::callers_signature(&__OPTIONS, &__SIGNATURE, __OUTPUTS, &[])
        }
    }
};
