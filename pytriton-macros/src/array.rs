use proc_macro2::Ident;
use syn::Type;

use crate::element::check_element;
use crate::errors::Errors;
use crate::types::{last_segment, type_argument, type_text};

/// An array type as the user wrote it: `ArrayView2<'_, f32>`, `ndarray::ArrayD<u8>`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrayType<'ast> {
    pub(crate) view: bool,
    /// The rank; `None` for `ArrayD` and `ArrayViewD`.
    pub(crate) rank: Option<usize>,
    pub(crate) element: &'ast Type,
}

impl<'ast> ArrayType<'ast> {
    /// Parses an array type; `None` for any other type, and for an array without its element type.
    pub(crate) fn parse(ty: &'ast Type) -> Option<Self> {
        let segment = last_segment(ty)?;
        let (view, rank) = kind(&segment.ident)?;
        Some(Self {
            view,
            rank,
            element: type_argument(segment)?,
        })
    }

    /// Returns the corresponding view type.
    pub(crate) fn borrowed(&self) -> String {
        self.named(true, self.rank)
    }

    /// Returns the corresponding owned type.
    pub(crate) fn owned(&self) -> String {
        self.named(false, self.rank)
    }

    fn named(&self, view: bool, rank: Option<usize>) -> String {
        let name = if view { "ArrayView" } else { "Array" };
        let rank = rank.map_or_else(|| "D".to_owned(), |rank| rank.to_string());
        format!("{name}{rank}<{}>", type_text(self.element))
    }

    /// Checks the element of a type with the name of an array. Returns whether the type has such a
    /// name. The compiler itself reports a missing element.
    pub(crate) fn check_element(ty: &'ast Type, errors: &mut Errors) -> bool {
        let is_named = last_segment(ty).is_some_and(|last| kind(&last.ident).is_some());
        match Self::parse(ty) {
            Some(array) => check_element(array.element, errors),
            None if is_named => errors.leave(),
            None => {}
        }
        is_named
    }
}

/// Whether it is a view, and the rank.
type Kind = (bool, Option<usize>);

fn kind(name: &Ident) -> Option<Kind> {
    let name = name.to_string();
    let rest = name.strip_prefix("Array")?;
    let (view, rest) = match rest.strip_prefix("View") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    match rest {
        "D" => Some((view, None)),
        "0" | "1" | "2" | "3" | "4" | "5" | "6" => Some((view, Some(rest.parse().ok()?))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn arrays_are_recognized_under_any_path() {
        let table: [(Type, Option<Kind>); 8] = [
            (parse_quote!(ArrayView2<f32>), Some((true, Some(2)))),
            (
                parse_quote!(ndarray::ArrayView3<'_, f32>),
                Some((true, Some(3))),
            ),
            (
                parse_quote!(::pytriton::ndarray::Array1<Vec<u8>>),
                Some((false, Some(1))),
            ),
            (parse_quote!((ArrayD<bool>)), Some((false, None))),
            (parse_quote!(ArrayViewD<'a, bool>), Some((true, None))),
            (parse_quote!(ArrayViewMut2<f32>), None),
            (parse_quote!(ArrayView7<f32>), None),
            (parse_quote!(Array2), None),
        ];
        for (ty, expected) in table {
            let array = ArrayType::parse(&ty);
            assert_eq!(
                array.map(|array| (array.view, array.rank)),
                expected,
                "{}",
                type_text(&ty)
            );
        }
    }
}
