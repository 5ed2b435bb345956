/// The sum and the difference.
pub struct Pair;
const _: () = {
    const _: Pair = Pair;
    struct __Network(::std::sync::Arc<::pytriton_onnx::Session>);
    ///The sum and the difference.
    impl __Network {
        fn load() -> ::core::result::Result<Self, ::pytriton_onnx::Error> {
            static FILE: ::pytriton_onnx::Embedded = ::pytriton_onnx::Embedded::new(
                ::core::include_bytes!("HERE/../tests/onnx/files/pair.onnx"),
                true,
            );
            ::core::result::Result::Ok(Self(FILE.session()?))
        }
        fn infer(
            &self,
            input_0: ::pytriton::ndarray::ArrayView2<'_, ::core::primitive::f32>,
            input_1: ::pytriton::ndarray::ArrayView2<'_, ::core::primitive::f32>,
            input_2: ::pytriton::ndarray::ArrayView2<'_, ::core::primitive::i64>,
        ) -> ::core::result::Result<
            (
                ::pytriton::ndarray::Array2<::core::primitive::f32>,
                ::pytriton::ndarray::Array2<::core::primitive::f32>,
                ::pytriton::ndarray::Array2<::core::primitive::i64>,
            ),
            ::pytriton::Error,
        > {
            let outputs = self
                .0
                .run(
                    &[
                        ::core::convert::Into::into(input_0),
                        ::core::convert::Into::into(input_1),
                        ::core::convert::Into::into(input_2),
                    ],
                );
            let outputs = outputs
                .map_err(|error| match error.is_invalid_argument() {
                    true => ::pytriton::Error::invalid_argument(error),
                    false => {
                        error.log("Pair");
                        ::pytriton::Error::internal(error)
                    }
                })?;
            ::core::result::Result::Ok((
                ::pytriton_onnx::array(&outputs[0usize])?,
                ::pytriton_onnx::array(&outputs[1usize])?,
                ::pytriton_onnx::array(&outputs[2usize])?,
            ))
        }
    }
    const _: () = {
        use ::pytriton::__private;
        #[::pytriton::batch(__taken)]
        const _: () = ();
        #[::pytriton::output(__taken)]
        const _: () = ();
        #[::pytriton::input(__taken)]
        const _: () = ();
        #[::pytriton::load(__taken)]
        const _: () = ();
        #[::pytriton::infer(__taken)]
        const _: () = ();
        use __private::methods::*;
        static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
            name: "Pair",
            max_batch_size: 8,
            description: "The sum and the difference.",
            ..__private::ModelOptions::DEFAULT
        };
        static __SIGNATURE: __private::Signature = __private::Signature {
            arguments: &[
                __private::Argument::new(
                        <::pytriton::ndarray::ArrayView2<
                            '_,
                            ::core::primitive::f32,
                        > as __private::Parameter>::DECLARED,
                        ::core::option::Option::Some("left/a:0"),
                    )
                    .shape(&[-1i64]),
                __private::Argument::new(
                        <::pytriton::ndarray::ArrayView2<
                            '_,
                            ::core::primitive::f32,
                        > as __private::Parameter>::DECLARED,
                        ::core::option::Option::Some("right"),
                    )
                    .shape(&[-1i64]),
                __private::Argument::new(
                        <::pytriton::ndarray::ArrayView2<
                            '_,
                            ::core::primitive::i64,
                        > as __private::Parameter>::DECLARED,
                        ::core::option::Option::Some("index"),
                    )
                    .shape(&[1i64]),
            ],
            batch: true,
            decorated: true,
            decoupled: false,
            declared: &[],
        };
        const _: () = __private::refuse(__private::dimension_flaw(-1i64));
        const _: () = __private::refuse(__SIGNATURE.shape_flaw(0usize, &__OPTIONS));
        const _: () = __private::refuse(__SIGNATURE.given_flaw(0usize, &__OPTIONS));
        const _: () = __private::refuse(__SIGNATURE.name_flaw(0usize, &__OPTIONS));
        const _: () = __private::refuse(__private::dimension_flaw(-1i64));
        const _: () = __private::refuse(__SIGNATURE.shape_flaw(1usize, &__OPTIONS));
        const _: () = __private::refuse(__SIGNATURE.given_flaw(1usize, &__OPTIONS));
        const _: () = __private::refuse(__SIGNATURE.name_flaw(1usize, &__OPTIONS));
        const _: () = __private::refuse(__private::dimension_flaw(1i64));
        const _: () = __private::refuse(__SIGNATURE.shape_flaw(2usize, &__OPTIONS));
        const _: () = __private::refuse(__SIGNATURE.given_flaw(2usize, &__OPTIONS));
        const _: () = __private::refuse(__SIGNATURE.name_flaw(2usize, &__OPTIONS));
        const __OVERRIDES: &[__private::OutputOverride] = &[
            __private::OutputOverride {
                name: ::core::option::Option::Some("sum"),
                shape: ::core::option::Option::Some(&[-1i64]),
                labels: "",
            },
            __private::OutputOverride {
                name: ::core::option::Option::Some("difference"),
                shape: ::core::option::Option::Some(&[-1i64]),
                labels: "",
            },
            __private::OutputOverride {
                name: ::core::option::Option::Some("same"),
                shape: ::core::option::Option::Some(&[1i64]),
                labels: "",
            },
        ];
        const _: () = __private::refuse(__private::tensor_name_flaw("sum"));
        const _: () = __private::refuse(__private::dimension_flaw(-1i64));
        const _: () = __private::refuse(__private::tensor_name_flaw("difference"));
        const _: () = __private::refuse(__private::dimension_flaw(-1i64));
        const _: () = __private::refuse(__private::tensor_name_flaw("same"));
        const _: () = __private::refuse(__private::dimension_flaw(1i64));
        const __OUTPUTS: &[__private::TensorDeclaration] = {
            __private::ReturnCheck::<false>::error::<::pytriton::Error>();
            __private::ReturnCheck::<
                false,
            >::element::<::pytriton::ndarray::Array2<::core::primitive::f32>>();
            __private::ReturnCheck::<
                false,
            >::element::<::pytriton::ndarray::Array2<::core::primitive::f32>>();
            __private::ReturnCheck::<
                false,
            >::element::<::pytriton::ndarray::Array2<::core::primitive::i64>>();
            __private::Returns::<
                ::core::result::Result<
                    (
                        ::pytriton::ndarray::Array2<::core::primitive::f32>,
                        ::pytriton::ndarray::Array2<::core::primitive::f32>,
                        ::pytriton::ndarray::Array2<::core::primitive::i64>,
                    ),
                    ::pytriton::Error,
                >,
                false,
            >::DECLARATIONS
        };
        const _: () = {
            __private::refuse(__OPTIONS.flaw("name"));
            __private::refuse(__OPTIONS.flaw("max_batch_size"));
            __private::refuse_outputs(__OUTPUTS, __OVERRIDES, __OPTIONS.batching);
            __private::refuse(__SIGNATURE.plain_flaw(&__OPTIONS))
        };
        const _: () = __private::refuse(
            __private::override_flaw(__OUTPUTS, __OVERRIDES, 0usize, __OPTIONS.batching),
        );
        const _: () = __private::refuse(
            __private::override_flaw(__OUTPUTS, __OVERRIDES, 1usize, __OPTIONS.batching),
        );
        const _: () = __private::refuse(
            __private::override_flaw(__OUTPUTS, __OVERRIDES, 2usize, __OPTIONS.batching),
        );
        fn __called(
            __state: &__Network,
            __call: &__private::Call<'_>,
        ) -> __private::CallResult {
            let __argument_0 = __private::Reader::<
                ::pytriton::ndarray::ArrayView2<'_, ::core::primitive::f32>,
            >::NEW
                .read(__call, 0usize)?;
            let __argument_1 = __private::Reader::<
                ::pytriton::ndarray::ArrayView2<'_, ::core::primitive::f32>,
            >::NEW
                .read(__call, 1usize)?;
            let __argument_2 = __private::Reader::<
                ::pytriton::ndarray::ArrayView2<'_, ::core::primitive::i64>,
            >::NEW
                .read(__call, 2usize)?;
            let __returned = <__Network>::infer(
                __state,
                __argument_0.argument(),
                __argument_1.argument(),
                __argument_2.argument(),
            );
            let __returned = __call
                .returned(
                    (&&&__private::ErrorsOf::new(&__returned))
                        .errors()
                        .result(__returned),
                )?;
            __private::ReturnValue::<_, false>(__returned).convert(__call)
        }
        __private::inventory::submit! {
            __private::FunctionDeclaration { options : & __OPTIONS, signature : &
            __SIGNATURE, outputs : __OUTPUTS, output_overrides : __OVERRIDES, steps : &
            [], warmups : & [], load : __private::Loading::Stated(| __context |
            ::core::result::Result::Ok((& __private::StateKind:: < __Network > ::NEW)
            .instance({ let __constructed = < __Network > ::load(); __private::loaded:: <
            __Network, _ > (__context, (&& & __private::ErrorsOf::new(& __constructed))
            .errors().result(__constructed)) ? },
            __private::Calling::AtOnce(__called)))), load_parameters : & [], location :
            __private::Location::here("pytriton-macros"), }
        }
        impl __private::typed::Model for Pair {
            type Arguments = (
                fn(::pytriton::ndarray::ArrayView2<'_, ::core::primitive::f32>),
                fn(::pytriton::ndarray::ArrayView2<'_, ::core::primitive::f32>),
                fn(::pytriton::ndarray::ArrayView2<'_, ::core::primitive::i64>),
            );
            type Outputs = ::core::result::Result<
                (
                    ::pytriton::ndarray::Array2<::core::primitive::f32>,
                    ::pytriton::ndarray::Array2<::core::primitive::f32>,
                    ::pytriton::ndarray::Array2<::core::primitive::i64>,
                ),
                (),
            >;
            type Responses = __private::typed::Once;
            fn signature() -> __private::typed::ModelSignature {
                __private::callers_signature(
                    &__OPTIONS,
                    &__SIGNATURE,
                    __OUTPUTS,
                    __OVERRIDES,
                )
            }
        }
    };
};
