const _: () = {
    use ::pytriton::__private;
    const __FIELD_0: __private::OutputField<Array2<f32>> = __private::output_field::<
        Array2<f32>,
    >("sum");
    const __FIELD_1: __private::OutputField<ndarray::ArrayD<String>> = __private::output_field::<
        ndarray::ArrayD<String>,
    >("type");
    const _: () = __private::refuse(__private::tensor_name_flaw("sum"));
    const _: () = __private::refuse(__private::tensor_name_flaw("type"));
    impl __private::Outputs for Both {
        const DECLARATIONS: &'static [__private::TensorDeclaration] = &[
            __FIELD_0.declaration(::core::option::Option::None),
            __FIELD_1.declaration(::core::option::Option::None),
        ];
        fn into_tensors(
            self,
            __model: &__private::ModelSpec,
        ) -> ::core::result::Result<
            ::std::vec::Vec<__private::Tensor>,
            __private::ModelError,
        > {
            ::core::result::Result::Ok(
                ::std::vec![
                    __FIELD_0.convert(self.sum, __model, 0usize) ?, __FIELD_1
                    .convert(self.r#type, __model, 1usize) ?
                ],
            )
        }
    }
    impl __private::typed::Returned for Both {
        type Typed = Self;
        fn read(
            __tensors: &mut __private::typed::Tensors<'_>,
        ) -> ::core::result::Result<Self, __private::typed::TensorError> {
            ::core::result::Result::Ok(Self {
                sum: __FIELD_0.read(__tensors)?,
                r#type: __FIELD_1.read(__tensors)?,
            })
        }
    }
};
