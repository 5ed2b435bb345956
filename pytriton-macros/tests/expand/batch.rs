fn batch(x: ndarray::ArrayView3<'_, u8>) -> Array2<u8> {
    f(x)
}
#[allow(deprecated)]
const _: () = {
    const __INPUT_0: ::pytriton::__private::ArrayInput<
        u8,
        ::pytriton::__private::ndarray::Ix3,
    > = ::pytriton::__private::array_input::<u8, ::pytriton::__private::ndarray::Ix3>();
    const __RETURNED: ::pytriton::__private::ReturnType<Array2<u8>> = ::pytriton::__private::outputs::<
        Array2<u8>,
    >();
    const _: () = __RETURNED
        .check(
            8u32,
            &[
                ::pytriton::__private::OutputOverride {
                    name: ::core::option::Option::Some("y"),
                    shape: ::core::option::Option::Some(&[3]),
                },
            ],
        );
    struct __Instance;
    impl ::pytriton::__private::Instance for __Instance {
        fn execute<'a>(
            &'a self,
            __call: &'a ::pytriton::__private::Call<'a>,
        ) -> ::pytriton::__private::Execution<'a> {
            ::std::boxed::Box::pin(async move {
                let __input_0 = __INPUT_0.read(__call, 0usize)?;
                let __returned = batch(__input_0.view());
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
    }
    const __MODEL: ::pytriton::__private::ModelDeclaration = ::pytriton::__private::ModelDeclaration {
        name: "Batch",
        version: 1u32,
        max_batch_size: 8u32,
        instances: 1u32,
        batches_in_flight: 1u32,
        max_call_microseconds: 5000000u64,
        inputs: &[
            __INPUT_0
                .declaration(
                    "INPUT_1",
                    ::core::option::Option::Some(3usize),
                    ::core::option::Option::Some(&[-1, 3]),
                    false,
                ),
        ],
        outputs: __RETURNED.declarations,
        output_overrides: &[
            ::pytriton::__private::OutputOverride {
                name: ::core::option::Option::Some("y"),
                shape: ::core::option::Option::Some(&[3]),
            },
        ],
        dynamic_batching: ::core::option::Option::Some(::pytriton::__private::DynamicBatchingDeclaration {
            preferred_batch_size: &[4u32, 8u32],
            max_queue_delay_microseconds: 0u64,
            preserve_ordering: false,
            queue_policy: ::pytriton::__private::QueuePolicy {
                timeout_action: ::pytriton::__private::TimeoutAction::Delay,
                default_timeout_microseconds: 0u64,
                allow_timeout_override: false,
                max_queue_size: 0u32,
            },
            priorities: ::core::option::Option::None,
        }),
        response_cache: false,
        parameters: &[],
        call: ::pytriton::__private::CallMode::Batch,
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
