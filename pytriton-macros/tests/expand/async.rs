async fn linear(x: ArrayView2<'_, f32>, context: &Context) -> Array2<f32> {
    f(x).await
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
    struct __Instance;
    impl ::pytriton::__private::Instance for __Instance {
        fn execute<'a>(
            &'a self,
            __call: &'a ::pytriton::__private::Call<'a>,
        ) -> ::pytriton::__private::Execution<'a> {
            ::std::boxed::Box::pin(async move {
                let __input_0 = __INPUT_0.read(__call, 0usize)?;
                let __returned = linear(__input_0.view(), __call.context()).await;
                __RETURNED.convert(__call, __returned)
            })
        }
        fn detached(
            &self,
        ) -> ::core::option::Option<
            ::std::boxed::Box<
                dyn ::pytriton::__private::Instance + ::core::marker::Send + ::core::marker::Sync,
            >,
        > {
            ::core::option::Option::Some(::std::boxed::Box::new(Self))
        }
        fn is_async(&self) -> bool {
            true
        }
    }
    const __MODEL: ::pytriton::__private::ModelDeclaration = ::pytriton::__private::ModelDeclaration {
        name: "Linear",
        version: 1u32,
        max_batch_size: 4u32,
        instances: 1u32,
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
        response_cache: false,
        parameters: &[],
        call: ::pytriton::__private::CallMode::Request,
        by_parameters: false,
        first_values: &[],
        steps: &[],
        load: |_| ::core::result::Result::Ok(::std::boxed::Box::new(__Instance)),
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
