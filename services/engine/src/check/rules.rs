//! Which instructions take and give which types.
use crate::ir::{Binary, Unary};
use crate::ty::Ty;
use crate::typed::Expr;

/// Whether a step may throw an exception. `ty` is its result's.
pub(super) fn throws(expr: &Expr, ty: Option<&Ty>) -> bool {
    match expr {
        Expr::Unary(op, _) => matches!(
            op,
            Unary::Unwrap
                | Unary::AsString
                | Unary::Nullable
                | Unary::UnboxInt
                | Unary::UnboxLong
                | Unary::UnboxFloat
                | Unary::UnboxDouble
                | Unary::UnboxBool
                | Unary::ArrayLength
        ),
        Expr::Binary(op, ..) => {
            matches!(op, Binary::Div | Binary::Rem) && matches!(ty, Some(Ty::Int | Ty::Long))
        }
        Expr::Call(builtin, _) => builtin.throws,
        Expr::Library(method, _) => method.throws,
        Expr::Cast(..)
        | Expr::Load(..)
        | Expr::Store(..)
        | Expr::Array(..)
        | Expr::ArrayGet(..)
        | Expr::ArraySet(..) => true,
        _ => false,
    }
}

/// The type that an instruction makes of its operand's.
pub(super) fn unary(op: Unary, ty: &Ty) -> Option<Ty> {
    match (op, ty) {
        (Unary::Copy, ty) => Some(ty.clone()),
        (Unary::Neg, ty) if ty.is_number() => Some(ty.clone()),
        (Unary::Not, Ty::Bool) => Some(Ty::Bool),
        (Unary::ToInt, Ty::Bool) => Some(Ty::Int),
        (Unary::ToInt, ty) if ty.is_number() => Some(Ty::Int),
        (Unary::ToLong, ty) if ty.is_number() => Some(Ty::Long),
        (Unary::ToFloat, ty) if ty.is_number() => Some(Ty::Float),
        (Unary::ToDouble, ty) if ty.is_number() => Some(Ty::Double),
        (Unary::Some, Ty::Nullable(_) | Ty::Ref) => None,
        (Unary::Some, ty) => Some(Ty::Nullable(Box::new(ty.clone()))),
        (Unary::IsNull, Ty::Nullable(_) | Ty::Ref) => Some(Ty::Bool),
        (Unary::Unwrap, Ty::Nullable(inner)) => Some((**inner).clone()),
        (Unary::Ref, Ty::String | Ty::Ref) => Some(Ty::Ref),
        (Unary::Ref, Ty::Nullable(inner)) if **inner == Ty::String || is_primitive(inner) => {
            Some(Ty::Ref)
        }
        (Unary::AsString, Ty::Ref) => Some(Ty::String),
        (Unary::Nullable, Ty::Ref) => Some(Ty::Nullable(Box::new(Ty::String))),
        (Unary::UnboxInt | Unary::ArrayLength, Ty::Ref) => Some(Ty::Int),
        (Unary::UnboxLong, Ty::Ref) => Some(Ty::Long),
        (Unary::UnboxFloat, Ty::Ref) => Some(Ty::Float),
        (Unary::UnboxDouble, Ty::Ref) => Some(Ty::Double),
        (Unary::UnboxBool, Ty::Ref) => Some(Ty::Bool),
        _ => None,
    }
}

/// Whether Java boxes it.
pub(super) fn is_primitive(ty: &Ty) -> bool {
    ty.is_number() || *ty == Ty::Bool
}

/// The type that an instruction makes of its operands'.
pub(super) fn binary(op: Binary, a: &Ty, b: &Ty) -> Option<Ty> {
    use Binary::{
        Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Same, Shl, Shr, Sub, Ushr, Xor,
    };
    let integer = matches!(a, Ty::Int | Ty::Long);
    match op {
        Shl | Shr | Ushr => (integer && *b == Ty::Int).then(|| a.clone()),
        _ if a != b => None,
        Add | Sub | Mul | Div | Rem => a.is_number().then(|| a.clone()),
        And | Or | Xor => (integer || *a == Ty::Bool).then(|| a.clone()),
        Eq | Ne => (a.is_number() || *a == Ty::Bool).then_some(Ty::Bool),
        Lt | Le | Gt | Ge => a.is_number().then_some(Ty::Bool),
        Same => (*a == Ty::Ref).then_some(Ty::Bool),
    }
}
