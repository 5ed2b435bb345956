use std::marker::PhantomData;

/// An array input with elements `T` and dimension `D`.
#[derive(Debug, Clone, Copy)]
pub struct ArrayOf<T, D>(PhantomData<fn() -> (T, D)>);

/// An optional array input with elements `T` and dimension `D`.
#[derive(Debug, Clone, Copy)]
pub struct OptionalArrayOf<T, D>(PhantomData<fn() -> (T, D)>);

/// An input with one value for all rows.
#[derive(Debug, Clone, Copy)]
pub struct ValueOf<T>(PhantomData<fn() -> T>);

/// An optional input with one value for all rows.
#[derive(Debug, Clone, Copy)]
pub struct OptionalValueOf<T>(PhantomData<fn() -> T>);
