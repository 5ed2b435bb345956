struct Fixed;
const _: () = {
    const _: Fixed = Fixed;
    struct __Network(::std::sync::Arc<::pytriton_onnx::Session>);
    impl __Network {
        fn load() -> ::core::result::Result<Self, ::pytriton_onnx::Error> {
            static FILE: ::pytriton_onnx::Embedded = ::pytriton_onnx::Embedded::new(
                ::core::include_bytes!("HERE/../tests/onnx/files/fixed.onnx"),
                false,
            );
            ::core::result::Result::Ok(Self(FILE.session()?))
        }
        fn infer(
            &self,
            input_0: my::pytriton::ndarray::ArrayView2<'_, ::core::primitive::f32>,
        ) -> ::core::result::Result<
            my::pytriton::ndarray::Array2<::core::primitive::f32>,
            my::pytriton::Error,
        > {
            let outputs = self.0.run(&[::core::convert::Into::into(input_0)]);
            let outputs = outputs
                .map_err(|error| match error.is_invalid_argument() {
                    true => my::pytriton::Error::invalid_argument(error),
                    false => {
                        error.log("Fixed");
                        my::pytriton::Error::internal(error)
                    }
                })?;
            ::core::result::Result::Ok(::pytriton_onnx::array(&outputs[0usize])?)
        }
    }
    const _: () = {
        use my::pytriton::__private;
        #[my::pytriton::output(__taken)]
        const _: () = ();
        #[my::pytriton::input(__taken)]
        const _: () = ();
        #[my::pytriton::load(__taken)]
        const _: () = ();
        #[my::pytriton::infer(__taken)]
        const _: () = ();
        use __private::methods::*;
        static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
            name: "Fixed",
            batching: false,
            ..__private::ModelOptions::DEFAULT
        };
        const __VALID: bool = __private::all_valid(
            &[__OPTIONS.flaw("name"), __OPTIONS.flaw("batching")],
        );
        const _: () = __private::refuse(
            __private::violation_if(__VALID, __OPTIONS.conflict("name")),
        );
        const _: () = __private::refuse(
            __private::violation_if(__VALID, __OPTIONS.conflict("batching")),
        );
        static __SIGNATURE: __private::Signature = __private::Signature {
            arguments: &[
                __private::Argument::new(
                        <my::pytriton::ndarray::ArrayView2<
                            '_,
                            ::core::primitive::f32,
                        > as __private::Parameter>::DECLARED,
                        ::core::option::Option::Some("x"),
                    )
                    .shape(&[1i64, 4i64]),
            ],
            batch: false,
            decorated: false,
            decoupled: false,
            declared: &[],
        };
        const _: () = __private::refuse(__private::dimension_flaw(1i64));
        const _: () = __private::refuse(__private::dimension_flaw(4i64));
        const _: () = __private::refuse(__SIGNATURE.shape_flaw(0usize, &__OPTIONS));
        const _: () = __private::refuse(__SIGNATURE.given_flaw(0usize, &__OPTIONS));
        const _: () = __private::refuse(__SIGNATURE.name_flaw(0usize, &__OPTIONS));
        const __OVERRIDES: &[__private::OutputOverride] = &[
            __private::OutputOverride {
                name: ::core::option::Option::Some("y"),
                shape: ::core::option::Option::Some(&[1i64, 4i64]),
                labels: "",
            },
        ];
        const _: () = __private::refuse(__private::tensor_name_flaw("y"));
        const _: () = __private::refuse(__private::dimension_flaw(1i64));
        const _: () = __private::refuse(__private::dimension_flaw(4i64));
        const __OUTPUTS: &[__private::TensorDeclaration] = {
            __private::ReturnCheck::<false>::error::<my::pytriton::Error>();
            __private::ReturnCheck::<
                false,
            >::outputs::<my::pytriton::ndarray::Array2<::core::primitive::f32>>();
            __private::Returns::<
                ::core::result::Result<
                    my::pytriton::ndarray::Array2<::core::primitive::f32>,
                    my::pytriton::Error,
                >,
                false,
            >::DECLARATIONS
        };
        const _: () = {
            __private::refuse(__OPTIONS.flaw("name"));
            __private::refuse(__OPTIONS.flaw("batching"));
            __private::refuse_outputs(__OUTPUTS, __OVERRIDES, __OPTIONS.batching);
            __private::refuse(__SIGNATURE.plain_flaw(&__OPTIONS))
        };
        const _: () = __private::refuse(
            __private::override_flaw(__OUTPUTS, __OVERRIDES, 0usize, __OPTIONS.batching),
        );
        fn __called(
            __state: &__Network,
            __call: &__private::Call<'_>,
        ) -> __private::CallResult {
            let __argument_0 = __private::Reader::<
                my::pytriton::ndarray::ArrayView2<'_, ::core::primitive::f32>,
            >::NEW
                .read(__call, 0usize)?;
            let __returned = <__Network>::infer(__state, __argument_0.argument());
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
        impl __private::typed::Model for Fixed {
            type Arguments = (
                fn(my::pytriton::ndarray::ArrayView2<'_, ::core::primitive::f32>),
            );
            type Outputs = ::core::result::Result<
                my::pytriton::ndarray::Array2<::core::primitive::f32>,
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
