//! The rules of models whose rows are the texts of OpenAI requests, for functions with macros and
//! for run-time models. The first input receives the texts, and every other input the member with
//! its name.

use crate::tensor::DataType;
use crate::text::equal;

use super::member::{Member, PROMPT_TOKENS};

/// A rule that a model violates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowRule {
    /// The first input is one text per row.
    Texts,
    /// No input has the name of a member that the server handles itself.
    Name,
    /// Every other input has one value per row.
    SingleValues,
    /// The first output is one vector per row.
    Vectors,
    /// The output for the number of tokens is an integer.
    TokenCounts,
    /// A call has one response.
    OneResponse,
    /// A call belongs to no sequence.
    NoSequences,
}

/// An input or output that follows the rules.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowTensor<'a> {
    pub(crate) name: &'a str,
    pub(crate) datatype: DataType,
    /// The dimensions of a row, if they are known.
    pub(crate) dims: Option<&'a [i64]>,
    pub(crate) optional: bool,
}

impl RowTensor<'_> {
    /// Returns the rule that an input violates.
    pub(crate) const fn input_rule(self, is_first: bool, first_value: bool) -> Option<RowRule> {
        let is_single = is_single(self.dims);
        if !is_first {
            return match is_single {
                _ if Member::is_own_of_rows(self.name) => Some(RowRule::Name),
                false => Some(RowRule::SingleValues),
                true => None,
            };
        }
        let is_text = matches!(self.datatype, DataType::Bytes) && is_single;
        match is_text && !self.optional && !first_value {
            false => Some(RowRule::Texts),
            // The texts have the name of their input in the requests to the model.
            true if Member::is_own(self.name) => Some(RowRule::Name),
            true => None,
        }
    }

    /// Returns the rule that an output violates whose rows have this number of dimensions.
    pub(crate) const fn output_rule(self, is_first: bool, rank: usize) -> Option<RowRule> {
        let is_vector = matches!(self.datatype, DataType::Fp32) && rank == 1 && !self.optional;
        if is_first && !is_vector {
            return Some(RowRule::Vectors);
        }
        let is_count = matches!(self.datatype, DataType::Int64) && !self.optional;
        match equal(self.name, PROMPT_TOKENS) && !is_count {
            true => Some(RowRule::TokenCounts),
            false => None,
        }
    }
}

impl RowRule {
    /// Returns the rule that a function violates as a whole.
    pub(crate) const fn of_function(decoupled: bool, sequences: bool) -> Option<Self> {
        match (decoupled, sequences) {
            (true, _) => Some(Self::OneResponse),
            (false, true) => Some(Self::NoSequences),
            (false, false) => None,
        }
    }
}

/// Whether dimensions are those of one element.
const fn is_single(dims: Option<&[i64]>) -> bool {
    let Some(dims) = dims else {
        return false;
    };
    let mut index = 0;
    while index < dims.len() {
        if dims[index] != 1 {
            return false;
        }
        index += 1;
    }
    true
}
