use crate::tensor::{Tensor, element_count};

use super::Request;

impl Request {
    /// Returns the cost of the request: the number of elements of the model's cost input, or the
    /// number of their bytes if its datatype is `BYTES`. It is 0 if the model has no such input or
    /// the request omits it.
    pub fn cost(&self) -> u64 {
        let input = self.0.spec.cost_input;
        let tensor = input.and_then(|input| self.0.inputs[input].as_deref());
        tensor.map_or(0, cost)
    }
}

fn cost(tensor: &Tensor) -> u64 {
    let elements = element_count(tensor.shape()).unwrap_or(usize::MAX);
    let cost = match tensor.datatype().size() {
        Some(_) => elements,
        // A length precedes each element.
        None => {
            let lengths = elements.saturating_mul(size_of::<u32>());
            tensor.data().len().saturating_sub(lengths)
        }
    };
    cost as u64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::testing::{IDENTITY, request};

    use super::*;

    #[test]
    fn elements_are_counted_and_texts_by_their_bytes() {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let text = |shape: Vec<usize>, elements: &[&str]| {
            Tensor::from_elements::<String>(shape, texts(elements)).unwrap()
        };
        let numbers = |shape: Vec<usize>| {
            let count = element_count(&shape).unwrap();
            Tensor::from_elements(shape, vec![0_i64; count]).unwrap()
        };
        let table = [
            (numbers(vec![1, 1]), 1),
            (numbers(vec![3, 5]), 15),
            (numbers(vec![2, 3, 4]), 24),
            (numbers(vec![3, 0, usize::MAX]), 0),
            (text(vec![1, 1], &["abc"]), 3),
            (text(vec![3, 1], &["", "é", "abc"]), 5),
            (text(vec![1, 2], &["", ""]), 0),
        ];
        for (tensor, expected) in table {
            assert_eq!(cost(&tensor), expected, "{tensor:?}");
        }
    }

    #[test]
    fn request_without_a_cost_input_costs_nothing() {
        let mut spec = IDENTITY.spec().unwrap();
        assert_eq!(request(&Arc::new(spec.clone()), 3, 0.0).cost(), 0);
        spec.cost_input = Some(0);
        assert_eq!(request(&Arc::new(spec), 3, 0.0).cost(), 3);
    }
}
