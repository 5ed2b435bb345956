/// Doc comments stay.
pub fn plain(x: ArrayView1<f32>, y: Option<Array1<Vec<u8>>>) -> Array1<f32> {
    f(x, y)
}
#[allow(deprecated)]
const _: () = {
    const __INPUT_0: ::pytriton::__private::ArrayInput<
        f32,
        ::pytriton::__private::ndarray::Ix1,
    > = ::pytriton::__private::array_input::<f32, ::pytriton::__private::ndarray::Ix1>();
    const __INPUT_1: ::pytriton::__private::ArrayInput<
        Vec<u8>,
        ::pytriton::__private::ndarray::Ix1,
    > = ::pytriton::__private::array_input::<
        Vec<u8>,
        ::pytriton::__private::ndarray::Ix1,
    >();
    const __RETURNED: ::pytriton::__private::ReturnType<Array1<f32>> = ::pytriton::__private::outputs::<
        Array1<f32>,
    >();
    const _: () = __RETURNED.check(0u32, &[]);
    struct __Instance;
    impl ::pytriton::__private::Instance for __Instance {
        fn execute<'a>(
            &'a self,
            __call: &'a ::pytriton::__private::Call<'a>,
        ) -> ::pytriton::__private::Execution<'a> {
            ::std::boxed::Box::pin(async move {
                let __input_0 = __INPUT_0.read(__call, 0usize)?;
                let __input_1 = __INPUT_1.read_optional(__call, 1usize)?;
                let __returned = plain(
                    __input_0.view(),
                    __input_1.map(|__array| __array.into_owned()),
                );
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
        name: "Plain",
        version: 1u32,
        max_batch_size: 0u32,
        instances: 1u32,
        batches_in_flight: 1u32,
        max_call_microseconds: 0u64,
        inputs: &[
            __INPUT_0
                .declaration(
                    "x",
                    ::core::option::Option::Some(1usize),
                    ::core::option::Option::None,
                    false,
                ),
            __INPUT_1
                .declaration(
                    "y",
                    ::core::option::Option::Some(1usize),
                    ::core::option::Option::None,
                    true,
                ),
        ],
        outputs: __RETURNED.declarations,
        output_overrides: &[],
        dynamic_batching: ::core::option::Option::None,
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
