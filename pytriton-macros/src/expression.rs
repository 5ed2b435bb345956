use syn::{Expr, ExprLit, Lit};

/// Returns the literal that an expression is.
pub(crate) fn literal(expression: &Expr) -> Option<&Lit> {
    match peeled(expression) {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        _ => None,
    }
}

/// Returns the expression inside of the groups that `macro_rules!` leaves.
pub(crate) fn peeled(expression: &Expr) -> &Expr {
    match expression {
        Expr::Group(group) => peeled(&group.expr),
        Expr::Paren(paren) => peeled(&paren.expr),
        _ => expression,
    }
}
