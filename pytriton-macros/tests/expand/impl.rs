impl State {
    fn load(context: &Context) -> Result<Self, Error> {
        f()
    }
    fn infer(&self, x: ArrayView2<f32>) -> Array2<f32> {
        f(x)
    }
    fn other(&self) {}
}
#[allow(deprecated)]
const _: () = {
    const __INPUT_0: ::pytriton::__private::ArrayInput<
        f32,
        ::pytriton::__private::ndarray::Ix2,
    > = ::pytriton::__private::array_input::<f32, ::pytriton::__private::ndarray::Ix2>();
    const __RETURNED: ::pytriton::__private::ReturnType<Array2<f32>> = ::pytriton::__private::outputs::<
        Array2<f32>,
    >();
    const _: () = __RETURNED.check(4u32, &[]);
    struct __Instance(State);
    impl ::pytriton::__private::Instance for __Instance {
        fn execute<'a>(
            &'a self,
            __call: &'a ::pytriton::__private::Call<'a>,
        ) -> ::pytriton::__private::Execution<'a> {
            ::std::boxed::Box::pin(async move {
                let __input_0 = __INPUT_0.read(__call, 0usize)?;
                let __returned = <State>::infer(&self.0, __input_0.view());
                __RETURNED.convert(__call, __returned)
            })
        }
    }
    const __MODEL: ::pytriton::__private::ModelDeclaration = ::pytriton::__private::ModelDeclaration {
        name: "State",
        version: 1u32,
        max_batch_size: 4u32,
        instances: 2u32,
        batches_in_flight: 1u32,
        max_call_microseconds: 0u64,
        inputs: &[
            __INPUT_0
                .declaration(
                    "x",
                    ::core::option::Option::Some(2usize),
                    ::core::option::Option::None,
                    false,
                ),
        ],
        outputs: __RETURNED.declarations,
        output_overrides: &[],
        dynamic_batching: ::core::option::Option::Some(::pytriton::__private::DynamicBatchingDeclaration {
            preferred_batch_size: &[],
            max_queue_delay_microseconds: 0u64,
            preserve_ordering: false,
            queue_policy: ::pytriton::__private::QueuePolicy {
                timeout_action: ::pytriton::__private::TimeoutAction::Reject,
                default_timeout_microseconds: 0u64,
                allow_timeout_override: false,
                max_queue_size: 0u32,
            },
            priorities: ::core::option::Option::None,
        }),
        response_cache: true,
        parameters: &[("weights", "/w"), ("a.b", "")],
        call: ::pytriton::__private::CallMode::Batch,
        by_parameters: false,
        first_values: &[],
        steps: &[],
        load: |__context| ::core::result::Result::Ok(
            ::std::boxed::Box::new(
                __Instance(
                    ::pytriton::__private::loaded(__context, <State>::load(__context))?,
                ),
            ),
        ),
        location: ::pytriton::__private::Location {
            package: ::core::env!("CARGO_PKG_NAME"),
            file: ::core::file!(),
            line: ::core::line!(),
        },
    };
    ::pytriton::__private::inventory::submit! {
        __MODEL
    }
};
