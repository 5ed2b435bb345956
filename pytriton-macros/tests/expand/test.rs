#[::core::prelude::v1::test]
/// Doubles a number.
fn doubles() -> Result<(), CallError> {
    use ::pytriton::__private;
    async fn doubles(double: Call<Double>, loaded: &Loaded) -> Result<(), CallError> {
        Ok(())
    }
    __private::run_async(
        __private::start_paused(|server| server.free_ports()),
        async |__loaded| {
            doubles(
                    <Call<Double> as __private::TestParameter<'_>>::of(__loaded),
                    <&Loaded as __private::TestParameter<'_>>::of(__loaded),
                )
                .await
        },
    )
}
#[::core::prelude::v1::test]
fn waits() {
    use ::pytriton::__private;
    fn waits(x: Call<X>) {}
    __private::run(
        ::core::convert::identity,
        |__loaded| waits(<Call<X> as __private::TestParameter<'_>>::of(__loaded)),
    )
}
