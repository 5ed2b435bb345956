use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The JSON header of a response; unknown members are skipped.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) model_name: Value,
    pub(super) model_version: Value,
    pub(super) id: Value,
    pub(super) parameters: Option<Map<String, Value>>,
    pub(super) outputs: Vec<Output>,
}

/// An output in the header.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) name: Option<String>,
    pub(super) datatype: Value,
    pub(super) shape: Option<Vec<usize>>,
    pub(super) binary: Option<Binary>,
    pub(super) data: Value,
}

/// The number of bytes of an output after the header.
#[derive(Debug, Default)]
pub(super) struct Binary {
    pub(super) size: Option<usize>,
}

/// An object with known members.
trait Object: Default {
    const MEMBERS: &'static [&'static str];

    /// Reads the value of a member.
    fn take<'de, A: MapAccess<'de>>(&mut self, member: usize, map: &mut A) -> Result<(), A::Error>;
}

impl Object for Header {
    const MEMBERS: &'static [&'static str] =
        &["model_name", "model_version", "id", "parameters", "outputs"];

    fn take<'de, A: MapAccess<'de>>(&mut self, member: usize, map: &mut A) -> Result<(), A::Error> {
        match member {
            0 => self.model_name = map.next_value()?,
            1 => self.model_version = map.next_value()?,
            2 => self.id = map.next_value()?,
            3 => self.parameters = map.next_value()?,
            _ => self.outputs = map.next_value()?,
        }
        Ok(())
    }
}

impl Object for Output {
    const MEMBERS: &'static [&'static str] = &["name", "datatype", "shape", "parameters", "data"];

    fn take<'de, A: MapAccess<'de>>(&mut self, member: usize, map: &mut A) -> Result<(), A::Error> {
        match member {
            0 => self.name = map.next_value()?,
            1 => self.datatype = map.next_value()?,
            2 => self.shape = map.next_value()?,
            3 => self.binary = map.next_value()?,
            _ => self.data = map.next_value()?,
        }
        Ok(())
    }
}

impl Object for Binary {
    const MEMBERS: &'static [&'static str] = &["binary_data_size"];

    fn take<'de, A: MapAccess<'de>>(&mut self, _: usize, map: &mut A) -> Result<(), A::Error> {
        self.size = map.next_value()?;
        Ok(())
    }
}

/// Deserializes such an object.
struct Reader<O>(PhantomData<O>);

impl<'de, O: Object> Visitor<'de> for Reader<O> {
    type Value = O;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with {}", O::MEMBERS.join(", "))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<O, A::Error> {
        let mut object = O::default();
        while let Some(member) = map.next_key_seed(Key(O::MEMBERS))? {
            match member {
                Some(member) => object.take(member, &mut map)?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(object)
    }
}

/// Matches a member name against a list.
struct Key(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| *known == name))
    }
}

macro_rules! deserialize {
    ($($object:ty),*) => {$(
        impl<'de> Deserialize<'de> for $object {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_map(Reader(PhantomData))
            }
        }
    )*};
}

deserialize!(Header, Output, Binary);
