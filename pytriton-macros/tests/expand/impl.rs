impl State {
    fn load(context: &Context) -> Result<Self, Error> {
        f()
    }
    fn infer(&self, x: ArrayView2<f32>) -> Array2<f32> {
        f(x)
    }
    fn other(&self) {}
}
const _: () = {
    use ::pytriton::__private;
    #[batch(__taken)]
    const _: () = ();
    #[load(__taken)]
    const _: () = ();
    #[infer(__taken)]
    const _: () = ();
    use __private::methods::*;
    const __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "State",
        instances: &[
            __private::InstanceGroup {
                device: __private::Device::Cpu,
                count: 2,
            },
        ],
        response_cache: true,
        parameters: &[("weights", "/w"), ("a.b", "")],
        ..__private::ModelOptions::DEFAULT
    };
    const _: () = __private::refuse(__OPTIONS.flaw("name"));
    const _: () = __private::refuse(__OPTIONS.flaw("instances"));
    const _: () = __private::refuse(__OPTIONS.flaw("response_cache"));
    const __SOUND: bool = __private::sound(
        &[
            __OPTIONS.flaw("name"),
            __OPTIONS.flaw("instances"),
            __OPTIONS.flaw("response_cache"),
        ],
    );
    const _: () = __private::refuse(
        __private::flaw_if(__SOUND, __OPTIONS.conflict("name")),
    );
    const _: () = __private::refuse(
        __private::flaw_if(__SOUND, __OPTIONS.conflict("instances")),
    );
    const _: () = __private::refuse(
        __private::flaw_if(__SOUND, __OPTIONS.conflict("response_cache")),
    );
    const __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                    <ArrayView2<f32> as __private::Parameter>::DECLARED,
                    ::core::option::Option::Some("x"),
                )
                .described("What comes\nback."),
        ],
        batch: true,
        decorated: true,
        decoupled: false,
        declared: &[],
    };
    const __RAW: bool = __SIGNATURE.raw();
    const _: () = __private::refuse(__SIGNATURE.flaw(0usize, &__OPTIONS));
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::Asked::<__RAW>::whole::<Array2<f32>>();
        __private::Returns::<Array2<f32>, __RAW>::DECLARATIONS
    };
    const __OVERRIDES: &[__private::OutputOverride] = &[];
    const _: () = __private::refuse_outputs(__OUTPUTS, __OVERRIDES, __OPTIONS.batching);
    struct __Instance(::std::sync::Arc<State>);
    impl __private::Instance for __Instance {
        fn execute<'a>(
            &'a self,
            __call: &'a __private::Call<'a>,
        ) -> __private::Execution<'a> {
            let __answer = || -> __private::Answered {
                let __argument_0 = (&__private::Reader::<ArrayView2<f32>>::NEW)
                    .read(__call, __SIGNATURE.inputs_before(0usize))?;
                let __returned = <State>::infer(&self.0, __argument_0.argument());
                __private::Answer::<_, __RAW>(__returned).convert(__call)
            };
            __private::executed(__answer())
        }
        fn detached(&self) -> __private::Detached {
            (&__private::Shared(&self.0)).share(Self)
        }
    }
    __private::inventory::submit! {
        __private::FunctionDeclaration { options : __OPTIONS, signature : __SIGNATURE,
        outputs : __OUTPUTS, output_overrides : __OVERRIDES, steps : & [], warmups : &
        [], load : | __context | {
        __private::instance(__Instance(::std::sync::Arc::new(__private::loaded:: < State,
        _ > (__context, < State > ::load(__private::loading:: < & Context > (__context)))
        ?))) }, location : __private::Location { package :
        ::core::env!("CARGO_PKG_NAME"), file : ::core::file!(), line : ::core::line!(),
        }, }
    }
};
