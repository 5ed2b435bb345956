///The model `1st`, for typed clients.
#[derive(::core::fmt::Debug)]
pub enum First {}
///The model `Linear`, for typed clients.
#[derive(::core::fmt::Debug)]
pub enum Linear {}
const _: () = {
    const _: &str = ::core::include_str!("HERE/tests/lock/models.lock");
    use ::pytriton::__typed;
    impl __typed::Model for First {
        type Arguments = ();
        type Outputs = __typed::Array<::std::vec::Vec<u8>, __typed::Ix1>;
        type Responses = __typed::Many;
        fn signature() -> __typed::ModelSignature {
            __typed::ModelSignature::new("1st", 0u32, true)
                .output(
                    __typed::TensorSignature::new(
                        "text",
                        __typed::DataType::Bytes,
                        &[1i64],
                    ),
                )
        }
    }
    impl __typed::Model for Linear {
        type Arguments = (
            fn(__typed::Array<__typed::bf16, __typed::Ix2>),
            fn(::core::option::Option<f32>),
            fn(__typed::Array<i64, __typed::Ix1>),
        );
        type Outputs = (
            __typed::Array<__typed::bf16, __typed::Ix2>,
            ::core::option::Option<__typed::Array<f64, __typed::Ix3>>,
        );
        type Responses = __typed::Once;
        fn signature() -> __typed::ModelSignature {
            __typed::ModelSignature::new("Linear", 16u32, false)
                .sequences()
                .input(
                    __typed::TensorSignature::new("x", __typed::DataType::Bf16, &[20i64]),
                )
                .input(
                    __typed::TensorSignature::new(
                            "scale",
                            __typed::DataType::Fp32,
                            &[1i64],
                        )
                        .optional()
                        .first_value(),
                )
                .input(
                    __typed::TensorSignature::new(
                            "rows",
                            __typed::DataType::Int64,
                            &[-1i64],
                        )
                        .first_value(),
                )
                .output(
                    __typed::TensorSignature::new(
                        "OUTPUT_1",
                        __typed::DataType::Bf16,
                        &[30i64],
                    ),
                )
                .output(
                    __typed::TensorSignature::new(
                            "norm",
                            __typed::DataType::Fp64,
                            &[1i64, 1i64],
                        )
                        .optional(),
                )
        }
    }
};
