const _: () = {
    use my::pytriton::__private;
    use __private::methods::*;
    static __FIELDS: __private::Signature = __private::Signature::of_fields(
        &[
            __private::Argument::new(
                    <ArrayView3<'_, u8> as __private::Parameter>::DECLARED,
                    ::core::option::Option::Some("IMAGE"),
                )
                .shape(&[32, 32])
                .described("The pixels."),
            __private::Argument::new(
                <Option<ndarray::ArrayView2<'_, i32>> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("type"),
            ),
            __private::Argument::new(
                    <f32 as __private::FirstValueParameter>::DECLARED,
                    ::core::option::Option::Some("scale"),
                )
                .first_value(false),
        ],
    );
    const _: () = __private::refuse(__FIELDS.field_flaw(0usize));
    const _: () = __private::refuse(__private::tensor_name_flaw("IMAGE"));
    const _: () = __private::refuse(__private::dimension_flaw(32));
    const _: () = __private::refuse(__private::dimension_flaw(32));
    const _: () = __private::refuse(__FIELDS.field_shape_flaw(0usize));
    const _: () = __private::refuse(__FIELDS.field_flaw(1usize));
    const _: () = __private::refuse(__private::tensor_name_flaw("type"));
    const _: () = __private::refuse(__FIELDS.field_flaw(2usize));
    const _: () = __private::refuse(__private::tensor_name_flaw("scale"));
    impl<'a, 'b: 'a> __private::Parameter for Sample<'a, 'b> {
        const DECLARED: __private::Declared = __private::Declared::Fields(
            __FIELDS.arguments,
        );
        type Element = ();
        type Storage<'__call> = __private::ByValue<Sample<'__call, '__call>>;
        fn read<'__call>(
            __call: &'__call __private::Call<'_>,
            __input: usize,
        ) -> ::core::result::Result<Self::Storage<'__call>, __private::ModelError> {
            let __field_0 = __private::Reader::<ArrayView3<'_, u8>>::NEW
                .read(__call, __input + 0usize)?;
            let __field_1 = __private::Reader::<
                Option<ndarray::ArrayView2<'_, i32>>,
            >::NEW
                .read(__call, __input + 1usize)?;
            let __field_2 = __private::FirstValueReader::<f32>::NEW
                .read(__call, __input + 2usize)?;
            ::core::result::Result::Ok(
                __private::ByValue(Sample {
                    image: __field_0.argument(),
                    r#type: __field_1.argument(),
                    scale: __field_2.argument(),
                }),
            )
        }
    }
};
