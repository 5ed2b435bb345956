use crate::change::NONE;
use crate::tensor_changes::{Tensors, Way, of};
use crate::{Change, ModelSignature, TensorSignature};

impl ModelSignature {
    /// Returns the differences between `found` and what callers of this model expect, in the order
    /// of this model's tensors.
    ///
    /// A change is compatible if `found` accepts every request that this model accepts, and returns
    /// no other outputs than this model.
    pub fn changes(&self, found: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut differs = |what: &str, expected: String, found: String, breaking| {
            if expected != found {
                let what = what.to_owned();
                changes.push(Change {
                    what,
                    expected,
                    found,
                    breaking,
                });
            }
        };
        let fewer = match (self.max_batch_size, found.max_batch_size) {
            (0, _) | (_, 0) => true,
            (expected, found) => found < expected,
        };
        differs("batching", self.rows(), found.rows(), fewer);
        differs("responses", self.responses(), found.responses(), true);
        differs(
            "requests",
            self.requests(),
            found.requests(),
            found.sequences,
        );
        let inputs = Tensors {
            way: Way::In,
            expected: &self.inputs,
            expected_model: self,
            found: &found.inputs,
            found_model: found,
        };
        let outputs = Tensors {
            way: Way::Out,
            expected: &self.outputs,
            found: &found.outputs,
            ..inputs
        };
        changes.extend(inputs.changes());
        changes.extend(outputs.changes());
        changes
    }

    fn rows(&self) -> String {
        match self.max_batch_size {
            0 => NONE.to_owned(),
            1 => "1 row".to_owned(),
            most => format!("up to {most} rows"),
        }
    }

    fn responses(&self) -> String {
        match self.decoupled {
            true => "any number".to_owned(),
            false => "one".to_owned(),
        }
    }

    fn requests(&self) -> String {
        match self.sequences {
            true => "in sequences".to_owned(),
            false => "independent".to_owned(),
        }
    }

    /// Returns the differences in the order of the common tensors, which matters to callers that
    /// pass them by position.
    pub(crate) fn moves(&self, found: &Self) -> Vec<Change> {
        let ways = [
            ("inputs", &self.inputs, &found.inputs),
            ("outputs", &self.outputs, &found.outputs),
        ];
        let changes = ways.into_iter().filter_map(|(way, old, new)| {
            let (expected, found) = (order(old, new), order(new, old));
            (expected != found).then(|| Change {
                what: format!("order of {way}"),
                expected,
                found,
                breaking: true,
            })
        });
        changes.collect()
    }

    /// Formats a tensor as callers see it, including the batch axis.
    pub(crate) fn text(&self, tensor: &TensorSignature) -> String {
        let batch = self.batching().then_some(-1);
        let dims = batch.iter().chain(&tensor.dims).map(i64::to_string);
        let dims: Vec<String> = dims.collect();
        let optional = if tensor.optional { ", optional" } else { "" };
        format!("{} [{}]{optional}", tensor.datatype, dims.join(","))
    }
}

/// Returns the names of the tensors that also exist in `others`.
fn order(tensors: &[TensorSignature], others: &[TensorSignature]) -> String {
    let common = tensors.iter().filter(|one| of(others, one).is_some());
    let names: Vec<String> = common.map(|one| format!("`{}`", one.name)).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataType::{Fp32, Fp64, Int64};

    fn linear() -> ModelSignature {
        ModelSignature::new("Linear", 16, false)
            .input(TensorSignature::new("x", Fp32, &[20]))
            .input(TensorSignature::new("scale", Fp32, &[1]).first_value())
            .input(TensorSignature::new("bias", Fp32, &[-1]).optional())
            .output(TensorSignature::new("y", Fp32, &[30]))
            .output(TensorSignature::new("norm", Fp32, &[1]).optional())
    }

    fn changed(change: impl FnOnce(&mut ModelSignature)) -> ModelSignature {
        let mut model = linear();
        change(&mut model);
        model
    }

    /// Scenarios, with the reported lines and whether they break callers.
    #[test]
    fn every_change_is_reported_with_its_compatibility() {
        let (breaking, compatible) = (true, false);
        let table: Vec<(ModelSignature, &str, bool)> = vec![
            (
                changed(|model| drop(model.inputs.remove(0))),
                "input `x`: expected FP32 [-1,20], found none",
                breaking,
            ),
            (
                changed(|model| model.inputs[0].name = "X".to_owned()),
                "input `x`: expected FP32 [-1,20], found FP32 [-1,20] named `X`",
                breaking,
            ),
            (
                linear().input(TensorSignature::new("new", Int64, &[3])),
                "input `new`: expected none, found INT64 [-1,3]",
                breaking,
            ),
            (
                linear().input(TensorSignature::new("new", Int64, &[3]).optional()),
                "input `new`: expected none, found INT64 [-1,3], optional",
                compatible,
            ),
            (
                changed(|model| model.inputs[0].datatype = Fp64),
                "input `x`: expected FP32 [-1,20], found FP64 [-1,20]",
                breaking,
            ),
            (
                changed(|model| model.outputs[0].datatype = Fp64),
                "output `y`: expected FP32 [-1,30], found FP64 [-1,30]",
                breaking,
            ),
            (
                changed(|model| model.inputs[0].dims = vec![21]),
                "input `x`: expected FP32 [-1,20], found FP32 [-1,21]",
                breaking,
            ),
            (
                changed(|model| model.inputs[0].dims = vec![20, 1]),
                "input `x`: expected FP32 [-1,20], found FP32 [-1,20,1]",
                breaking,
            ),
            (
                changed(|model| model.inputs[0].dims = vec![-1]),
                "input `x`: expected FP32 [-1,20], found FP32 [-1,-1]",
                compatible,
            ),
            (
                changed(|model| model.inputs[2].dims = vec![4]),
                "input `bias`: expected FP32 [-1,-1], optional, found FP32 [-1,4], optional",
                breaking,
            ),
            (
                changed(|model| model.outputs[0].dims = vec![-1]),
                "output `y`: expected FP32 [-1,30], found FP32 [-1,-1]",
                breaking,
            ),
            (
                changed(|model| model.inputs[2].optional = false),
                "input `bias`: expected FP32 [-1,-1], optional, found FP32 [-1,-1]",
                breaking,
            ),
            (
                changed(|model| model.inputs[0].optional = true),
                "input `x`: expected FP32 [-1,20], found FP32 [-1,20], optional",
                compatible,
            ),
            (
                changed(|model| model.inputs[0].first_value = true),
                "input `x`: expected FP32 [-1,20], found FP32 [-1,20], one value for all rows",
                breaking,
            ),
            (
                changed(|model| drop(model.outputs.remove(0))),
                "output `y`: expected FP32 [-1,30], found none",
                breaking,
            ),
            (
                changed(|model| model.outputs[0].optional = true),
                "output `y`: expected FP32 [-1,30], found FP32 [-1,30], optional",
                breaking,
            ),
            (
                changed(|model| model.outputs[1].optional = false),
                "output `norm`: expected FP32 [-1,1], optional, found FP32 [-1,1]",
                compatible,
            ),
            (
                linear().output(TensorSignature::new("z", Int64, &[1])),
                "output `z`: expected none, found INT64 [-1,1]",
                compatible,
            ),
            (
                changed(|model| model.max_batch_size = 0),
                "batching: expected up to 16 rows, found none",
                breaking,
            ),
            (
                changed(|model| model.max_batch_size = 8),
                "batching: expected up to 16 rows, found up to 8 rows",
                breaking,
            ),
            (
                changed(|model| model.max_batch_size = 32),
                "batching: expected up to 16 rows, found up to 32 rows",
                compatible,
            ),
            (
                changed(|model| model.decoupled = true),
                "responses: expected one, found any number",
                breaking,
            ),
            (
                linear().sequences(),
                "requests: expected independent, found in sequences",
                breaking,
            ),
        ];
        for (found, line, breaking) in table {
            let changes = linear().changes(&found);
            let lines: Vec<String> = changes.iter().map(Change::to_string).collect();
            assert_eq!(lines, [line]);
            assert_eq!(changes[0].breaking, breaking, "{line}");
        }
        assert_eq!(linear().changes(&linear()), []);
        let as_served = changed(|model| model.inputs[1].first_value = false);
        assert_eq!(linear().changes(&as_served), []);
        let changes = linear().sequences().changes(&linear());
        assert!(changes.len() == 1 && !changes[0].breaking, "{changes:?}");
    }

    #[test]
    fn a_tensor_is_renamed_only_if_nothing_else_of_it_changes() {
        let replaced = |tensor: TensorSignature| changed(|model| model.inputs[0] = tensor);
        let table = [
            (TensorSignature::new("X", Fp32, &[20]), 1),
            (TensorSignature::new("X", Fp64, &[20]), 2),
            (TensorSignature::new("X", Fp32, &[21]), 2),
            (TensorSignature::new("X", Fp32, &[20]).optional(), 2),
        ];
        for (tensor, lines) in table {
            let changes = linear().changes(&replaced(tensor));
            assert_eq!(changes.len(), lines, "{changes:?}");
        }
    }

    #[test]
    fn shapes_are_named_without_a_batch_axis_if_there_is_none() {
        let unbatched = |dims: &[i64]| {
            let input = TensorSignature::new("x", Fp32, dims);
            ModelSignature::new("m", 0, false).input(input)
        };
        let changes = unbatched(&[20]).changes(&unbatched(&[21]));
        let expected = "input `x`: expected FP32 [20], found FP32 [21]";
        assert_eq!(changes[0].to_string(), expected);
    }

    #[test]
    fn changed_order_is_reported() {
        let swapped = changed(|model| model.inputs.swap(0, 1));
        assert_eq!(linear().changes(&swapped), []);
        let changes = linear().moves(&swapped);
        let lines: Vec<String> = changes.iter().map(Change::to_string).collect();
        assert_eq!(
            lines,
            ["order of inputs: expected `x` `scale` `bias`, found `scale` `x` `bias`"]
        );
        assert!(changes[0].breaking);
        let other = changed(|model| {
            model.inputs[0].name = "X".to_owned();
            model
                .inputs
                .insert(0, TensorSignature::new("new", Int64, &[1]));
        });
        assert_eq!(linear().moves(&other), []);
    }

    #[test]
    fn added_batch_axis_is_incompatible() {
        let (without, with) = (
            ModelSignature::new("m", 0, false),
            ModelSignature::new("m", 1, false),
        );
        let changes = without.changes(&with);
        assert_eq!(
            changes[0].to_string(),
            "batching: expected none, found 1 row"
        );
        assert!(changes[0].breaking);
    }
}
