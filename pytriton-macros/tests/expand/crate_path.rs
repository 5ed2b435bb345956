fn renamed(x: ArrayView2<f32>) -> Array2<f32> {
    f(x)
}
#[allow(deprecated)]
const _: () = {
    const __INPUT_0: crate::served::pytriton::__private::ArrayInput<
        f32,
        crate::served::pytriton::__private::ndarray::Ix2,
    > = crate::served::pytriton::__private::array_input::<
        f32,
        crate::served::pytriton::__private::ndarray::Ix2,
    >();
    const __RETURNED: crate::served::pytriton::__private::ReturnType<Array2<f32>> = crate::served::pytriton::__private::outputs::<
        Array2<f32>,
    >();
    const _: () = __RETURNED.check(4u32, &[]);
    struct __Instance;
    impl crate::served::pytriton::__private::Instance for __Instance {
        fn execute<'a>(
            &'a self,
            __call: &'a crate::served::pytriton::__private::Call<'a>,
        ) -> crate::served::pytriton::__private::Execution<'a> {
            ::std::boxed::Box::pin(async move {
                let __input_0 = __INPUT_0.read(__call, 0usize)?;
                let __returned = renamed(__input_0.view());
                __RETURNED.convert(__call, __returned)
            })
        }
        fn detached(
            &self,
        ) -> ::core::option::Option<
            ::std::boxed::Box<
                dyn crate::served::pytriton::__private::Instance + ::core::marker::Send + ::core::marker::Sync,
            >,
        > {
            ::core::option::Option::Some(::std::boxed::Box::new(Self))
        }
    }
    const __MODEL: crate::served::pytriton::__private::ModelDeclaration = crate::served::pytriton::__private::ModelDeclaration {
        name: "Renamed",
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
        dynamic_batching: ::core::option::Option::Some(crate::served::pytriton::__private::DynamicBatchingDeclaration {
            preferred_batch_size: &[],
            max_queue_delay_microseconds: 0u64,
            preserve_ordering: false,
            queue_policy: crate::served::pytriton::__private::QueuePolicy {
                timeout_action: crate::served::pytriton::__private::TimeoutAction::Reject,
                default_timeout_microseconds: 0u64,
                allow_timeout_override: false,
                max_queue_size: 0u32,
            },
            priorities: ::core::option::Option::None,
        }),
        response_cache: false,
        parameters: &[],
        call: crate::served::pytriton::__private::CallMode::Batch,
        by_parameters: false,
        first_values: &[],
        steps: &[],
        load: |_| ::core::result::Result::Ok(::std::boxed::Box::new(__Instance)),
        location: crate::served::pytriton::__private::Location {
            package: ::core::env!("CARGO_PKG_NAME"),
            file: ::core::file!(),
            line: ::core::line!(),
        },
    };
    crate::served::pytriton::__private::inventory::submit! {
        __MODEL
    }
};
