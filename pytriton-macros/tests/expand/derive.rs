const _: () = {
    const __FIELD_0: ::pytriton::__private::OutputField<Array2<f32>> = ::pytriton::__private::output_field::<
        Array2<f32>,
    >("sum");
    const __FIELD_1: ::pytriton::__private::OutputField<ndarray::ArrayD<String>> = ::pytriton::__private::output_field::<
        ndarray::ArrayD<String>,
    >("text");
    impl ::pytriton::__private::Outputs for Both {
        const DECLARATIONS: &'static [::pytriton::__private::TensorDeclaration] = &[
            __FIELD_0.declaration(::core::option::Option::None),
            __FIELD_1.declaration(::core::option::Option::Some(&[1])),
        ];
        fn into_tensors(
            self,
            __model: &::pytriton::__private::ModelSpec,
        ) -> ::core::result::Result<
            ::std::vec::Vec<::pytriton::__private::Tensor>,
            ::pytriton::__private::ModelError,
        > {
            ::core::result::Result::Ok(
                ::std::vec![
                    __FIELD_0.convert(self.sum, __model, 0usize) ?, __FIELD_1
                    .convert(self.r#type, __model, 1usize) ?
                ],
            )
        }
    }
};
