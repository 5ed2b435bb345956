use std::marker::PhantomData;

/// An array input with elements `T` and dimension `D`.
#[derive(Debug, Clone, Copy)]
pub struct ArrayOf<T, D>(PhantomData<fn() -> (T, D)>);

/// The same, optional.
#[derive(Debug, Clone, Copy)]
pub struct OptionalArrayOf<T, D>(PhantomData<fn() -> (T, D)>);

/// An input with one value for all rows.
#[derive(Debug, Clone, Copy)]
pub struct ValueOf<T>(PhantomData<fn() -> T>);

/// The same, optional.
#[derive(Debug, Clone, Copy)]
pub struct OptionalValueOf<T>(PhantomData<fn() -> T>);
