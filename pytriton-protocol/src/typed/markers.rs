use std::marker::PhantomData;

/// An input that is an array of elements `T` in dimension `D`.
#[derive(Debug, Clone, Copy)]
pub struct ArrayOf<T, D>(PhantomData<fn() -> (T, D)>);

/// The same that a request may leave out.
#[derive(Debug, Clone, Copy)]
pub struct OptionalArrayOf<T, D>(PhantomData<fn() -> (T, D)>);

/// An input that is one value for all rows.
#[derive(Debug, Clone, Copy)]
pub struct ValueOf<T>(PhantomData<fn() -> T>);

/// The same that a request may leave out.
#[derive(Debug, Clone, Copy)]
pub struct OptionalValueOf<T>(PhantomData<fn() -> T>);
