fn raw(requests: &[Request]) -> Vec<Array2<f32>> {
    f(requests)
}
#[allow(deprecated)]
const _: () = {
    const __RETURNED: ::pytriton::__private::ReturnType<Vec<Array2<f32>>> = ::pytriton::__private::responses::<
        Vec<Array2<f32>>,
    >();
    const _: () = __RETURNED.check(4u32, &[]);
    struct __Instance;
    impl ::pytriton::__private::Instance for __Instance {
        fn execute<'a>(
            &'a self,
            __call: &'a ::pytriton::__private::Call<'a>,
        ) -> ::pytriton::__private::Execution<'a> {
            ::std::boxed::Box::pin(async move {
                let __returned = raw(__call.requests());
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
        name: "Raw",
        version: 1u32,
        max_batch_size: 4u32,
        instances: 1u32,
        batches_in_flight: 1u32,
        max_call_microseconds: 0u64,
        inputs: &[
            ::pytriton::__private::TensorDeclaration {
                name: "x",
                datatype: ::pytriton::__private::DataType::Fp32,
                rank: ::core::option::Option::None,
                shape: ::core::option::Option::Some(&[-1]),
                optional: false,
            },
            ::pytriton::__private::TensorDeclaration {
                name: "label",
                datatype: ::pytriton::__private::DataType::Bytes,
                rank: ::core::option::Option::None,
                shape: ::core::option::Option::Some(&[1]),
                optional: true,
            },
        ],
        outputs: __RETURNED.declarations,
        output_overrides: &[],
        dynamic_batching: ::core::option::Option::None,
        response_cache: false,
        parameters: &[],
        call: ::pytriton::__private::CallMode::Raw,
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
