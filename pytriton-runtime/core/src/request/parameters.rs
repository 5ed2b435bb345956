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
pub struct Parameters(BTreeMap<String, ParameterValue>);

impl Parameters {
    /// Returns the value of a parameter.
    pub fn get(&self, name: &str) -> Option<&ParameterValue> {
        self.0.get(name)
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
        self.0.insert(name.into(), value.into())
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Sets all parameters of `others`.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Returns the parameters in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ParameterValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the approximate memory of the parameters in bytes.
    pub fn bytes(&self) -> usize {
        let texts = self.0.iter().map(|(name, value)| {
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
        self.0.len()
    }

    /// Returns whether there are no parameters.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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
