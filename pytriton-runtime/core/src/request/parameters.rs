use std::collections::BTreeMap;

use pytriton_protocol::ParameterValue;

/// The parameters of a request, including forwarded headers.
///
/// # Examples
///
/// ```
/// # use pytriton_core::request::Parameters;
/// let mut parameters = Parameters::default();
/// parameters.insert("beams", 4);
/// assert_eq!(parameters.int("beams"), Some(4));
/// assert_eq!(parameters.str("beams"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters(Option<Box<Map>>);

/// Most requests and responses have no parameters, so that an empty map is never created: its drop
/// would cost more than the rest of its life.
type Map = BTreeMap<String, ParameterValue>;

impl Parameters {
    /// Returns the value of a parameter.
    pub fn get(&self, name: &str) -> Option<&ParameterValue> {
        self.0.as_ref()?.get(name)
    }

    /// Returns the value of a boolean parameter.
    pub fn bool(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            ParameterValue::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the value of an integer parameter, if it fits.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            ParameterValue::Int64(value) => Some(*value),
            ParameterValue::Uint64(value) => i64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// Returns the value of a floating-point parameter, or of an integer that an `f64` represents
    /// exactly.
    ///
    /// Many clients encode `1.0` as `1`.
    ///
    /// ```
    /// # use pytriton_core::request::Parameters;
    /// let mut parameters = Parameters::default();
    /// parameters.insert("temperature", 1);
    /// parameters.insert("seed", i64::MAX);
    /// assert_eq!(parameters.double("temperature"), Some(1.0));
    /// assert_eq!(parameters.double("seed"), None);
    /// ```
    pub fn double(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            ParameterValue::Double(value) => Some(*value),
            ParameterValue::Int64(value) => exact(*value < 0, value.unsigned_abs()),
            ParameterValue::Uint64(value) => exact(false, *value),
            _ => None,
        }
    }

    /// Returns the value of a string parameter or a forwarded header.
    pub fn str(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            ParameterValue::String(value) => Some(value),
            _ => None,
        }
    }

    /// Sets a parameter and returns its previous value.
    pub fn insert(
        &mut self,
        name: impl Into<String>,
        value: impl Into<ParameterValue>,
    ) -> Option<ParameterValue> {
        let map = self.0.get_or_insert_default();
        map.insert(name.into(), value.into())
    }

    pub(super) fn remove(&mut self, name: &str) {
        if let Some(map) = &mut self.0 {
            map.remove(name);
            self.0 = self.0.take().filter(|map| !map.is_empty());
        }
    }

    /// Sets all parameters of `others`.
    pub fn extend(&mut self, others: Self) {
        match (&mut self.0, others.0) {
            (Some(map), Some(others)) => map.extend(*others),
            (_, None) => {}
            (None, others) => self.0 = others,
        }
    }

    /// Returns the parameters in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ParameterValue)> {
        let parameters = self.0.iter().flat_map(|map| map.iter());
        parameters.map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the approximate memory of the parameters in bytes.
    pub fn bytes(&self) -> usize {
        let texts = self.iter().map(|(name, value)| {
            let value = match value {
                ParameterValue::String(value) => value.len(),
                _ => 0,
            };
            name.len() + value + size_of::<(String, ParameterValue)>()
        });
        texts.sum()
    }

    /// Returns the number of parameters.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |map| map.len())
    }

    /// Returns whether there are no parameters.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// Converts an integer to an `f64` with the same value, if possible.
fn exact(negative: bool, magnitude: u64) -> Option<f64> {
    let low = u32::try_from(magnitude & u64::from(u32::MAX)).ok()?;
    let high = u32::try_from(magnitude >> 32).ok()?;
    let digits = u64::BITS - magnitude.leading_zeros() - magnitude.trailing_zeros() % u64::BITS;
    if digits > f64::MANTISSA_DIGITS {
        return None;
    }
    let value = f64::from(high).mul_add(4_294_967_296.0, f64::from(low));
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_without_the_last_are_empty() {
        let mut parameters = Parameters::default();
        parameters.insert("a", 1);
        let mut others = Parameters::default();
        others.extend(parameters.clone());
        others.insert("b", 2);
        assert_eq!((others.len(), others.is_empty()), (2, false));
        others.remove("b");
        assert_eq!(others, parameters);
        others.extend(Parameters::default());
        others.remove("a");
        assert_eq!((others.len(), others.is_empty()), (0, true));
        assert_eq!(others, Parameters::default());
        others.extend(parameters.clone());
        assert_eq!(others, parameters);
    }

    #[test]
    fn integers_convert_to_double_if_lossless() {
        let table = [
            (ParameterValue::Double(0.5), Some(0.5)),
            (ParameterValue::Int64(0), Some(0.0)),
            (ParameterValue::Int64(-3), Some(-3.0)),
            (
                ParameterValue::Int64(9_007_199_254_740_992),
                Some(9_007_199_254_740_992.0),
            ),
            (ParameterValue::Int64(9_007_199_254_740_993), None),
            (
                ParameterValue::Int64(i64::MIN),
                Some(-9_223_372_036_854_775_808.0),
            ),
            (ParameterValue::Int64(i64::MAX), None),
            (
                ParameterValue::Uint64(1 << 63),
                Some(9_223_372_036_854_775_808.0),
            ),
            (ParameterValue::Uint64(u64::MAX), None),
            (ParameterValue::Bool(true), None),
            (ParameterValue::String("1".to_owned()), None),
        ];
        for (value, expected) in table {
            let mut parameters = Parameters::default();
            parameters.insert("x", value.clone());
            assert_eq!(parameters.double("x"), expected, "{value:?}");
        }
    }
}
