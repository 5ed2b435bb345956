impl Counter {
    fn load() -> Self {
        f()
    }
    fn infer(&self, x: ArrayView2<f32>) -> Array2<f32> {
        f(x)
    }
}
const _: () = {
    use ::pytriton::__private;
    #[load(__taken)]
    const _: () = ();
    #[infer(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Counter",
        instances: &[__private::InstanceGroup::cpu(2)],
        call_options: {
            let mut __options = __private::CallOptions::DEFAULT;
            __options.inline = true;
            __options
        },
        ..__private::ModelOptions::DEFAULT
    };
    const __VALID: bool = __private::all_valid(
        &[__OPTIONS.flaw("name"), __OPTIONS.flaw("instances"), __OPTIONS.flaw("inline")],
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("name")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("instances")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("inline")),
    );
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
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
    const _: () = __private::refuse(__SIGNATURE.inline_flaw(false, &__OPTIONS));
    const _: () = __private::inline_state::<Counter>();
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<false>::outputs::<Array2<f32>>();
        __private::Returns::<Array2<f32>, false>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse(__OPTIONS.flaw("instances"));
        __private::refuse(__OPTIONS.flaw("inline"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
        __private::refuse(__SIGNATURE.plain_flaw(&__OPTIONS))
    };
    fn __called(
        __state: &Counter,
        __call: &__private::Call<'_>,
    ) -> __private::CallResult {
        let __argument_0 = __private::Reader::<ArrayView2<f32>>::NEW
            .read(__call, 0usize)?;
        let __returned = <Counter>::infer(__state, __argument_0.argument());
        __private::ReturnValue::<_, false>(__returned).convert(__call)
    }
    __private::inventory::submit! {
        __private::FunctionDeclaration { options : & __OPTIONS, signature : &
        __SIGNATURE, outputs : __OUTPUTS, output_overrides : & [], steps : & [], warmups
        : & [], load : __private::Loading::Stated(| __context |
        ::core::result::Result::Ok((& __private::StateKind:: < Counter > ::NEW)
        .instance({ let __constructed = < Counter > ::load(); __private::loaded:: <
        Counter, _ > (__context, (&& & __private::ErrorsOf::new(& __constructed))
        .errors().result(__constructed)) ? }, __private::Calling::AtOnce(__called)))),
        load_parameters : & [], location : __private::Location::here("pytriton-macros"),
        }
    }
};
