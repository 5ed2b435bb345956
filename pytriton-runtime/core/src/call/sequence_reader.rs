use std::fmt;
use std::marker::PhantomData;

use super::shim::{Nothing, nothing};
use super::{Call, ModelError, Read, ReadNothing, SequenceParameter};

/// Reads the argument for a parameter of this type with `#[sequence]`.
pub struct SequenceReader<P: ?Sized>(PhantomData<fn(&P)>);

impl<P: ?Sized> SequenceReader<P> {
    /// The reader.
    pub const NEW: Self = Self(PhantomData);
}

impl<P: SequenceParameter> Read for SequenceReader<P> {
    type Storage<'c> = P::Storage<'c>;

    fn read<'c>(self, call: &'c Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        P::read(call)
    }
}

impl<P: ?Sized> ReadNothing for &SequenceReader<P> {
    fn read(self, call: &Call<'_>, _: usize) -> Result<Nothing, ModelError> {
        Err(nothing(call.context()))
    }
}

impl<P: ?Sized> fmt::Debug for SequenceReader<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SequenceReader")
    }
}
