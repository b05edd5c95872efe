//! Arithmetic on slots with Java's semantics, an operation for each type.
use crate::ir;
use crate::reason::Reason;
use crate::ty::Ty;

/// An operation of one slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    NegInt,
    NegLong,
    NegFloat,
    NegDouble,
    Not,
    IntToLong,
    IntToFloat,
    IntToDouble,
    LongToInt,
    LongToFloat,
    LongToDouble,
    FloatToInt,
    FloatToLong,
    FloatToDouble,
    DoubleToInt,
    DoubleToLong,
    DoubleToFloat,
}

/// An operation of two slots; the suffix says of which type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    AddInt,
    SubInt,
    MulInt,
    DivInt,
    RemInt,
    ShlInt,
    ShrInt,
    UshrInt,
    LtInt,
    LeInt,
    AddLong,
    SubLong,
    MulLong,
    DivLong,
    RemLong,
    ShlLong,
    ShrLong,
    UshrLong,
    LtLong,
    LeLong,
    AddFloat,
    SubFloat,
    MulFloat,
    DivFloat,
    RemFloat,
    EqFloat,
    NeFloat,
    LtFloat,
    LeFloat,
    AddDouble,
    SubDouble,
    MulDouble,
    DivDouble,
    RemDouble,
    EqDouble,
    NeDouble,
    LtDouble,
    LeDouble,
    /// Of any type whose bits decide: bool, int, long.
    And,
    Or,
    Xor,
    Eq,
    Ne,
}

/// The operation of an instruction on an operand of `ty`; none where it changes nothing.
pub(crate) fn unary(op: ir::Unary, ty: &Ty) -> Option<Unary> {
    use Unary::*;
    Some(match (op, ty) {
        (ir::Unary::Neg, Ty::Int) => NegInt,
        (ir::Unary::Neg, Ty::Long) => NegLong,
        (ir::Unary::Neg, Ty::Float) => NegFloat,
        (ir::Unary::Neg, Ty::Double) => NegDouble,
        (ir::Unary::Not, _) => Not,
        (ir::Unary::ToInt, Ty::Long) => LongToInt,
        (ir::Unary::ToInt, Ty::Float) => FloatToInt,
        (ir::Unary::ToInt, Ty::Double) => DoubleToInt,
        (ir::Unary::ToLong, Ty::Int) => IntToLong,
        (ir::Unary::ToLong, Ty::Float) => FloatToLong,
        (ir::Unary::ToLong, Ty::Double) => DoubleToLong,
        (ir::Unary::ToFloat, Ty::Int) => IntToFloat,
        (ir::Unary::ToFloat, Ty::Long) => LongToFloat,
        (ir::Unary::ToFloat, Ty::Double) => DoubleToFloat,
        (ir::Unary::ToDouble, Ty::Int) => IntToDouble,
        (ir::Unary::ToDouble, Ty::Long) => LongToDouble,
        (ir::Unary::ToDouble, Ty::Float) => FloatToDouble,
        _ => return None,
    })
}

/// The operation of an instruction on operands of `ty` (the first's), and whether the operands change places.
pub(crate) fn binary(op: ir::Binary, ty: &Ty) -> (Binary, bool) {
    use Binary::*;
    let by_type = |int, long, float, double| match ty {
        Ty::Long => long,
        Ty::Float => float,
        Ty::Double => double,
        _ => int,
    };
    match op {
        ir::Binary::Add => (by_type(AddInt, AddLong, AddFloat, AddDouble), false),
        ir::Binary::Sub => (by_type(SubInt, SubLong, SubFloat, SubDouble), false),
        ir::Binary::Mul => (by_type(MulInt, MulLong, MulFloat, MulDouble), false),
        ir::Binary::Div => (by_type(DivInt, DivLong, DivFloat, DivDouble), false),
        ir::Binary::Rem => (by_type(RemInt, RemLong, RemFloat, RemDouble), false),
        ir::Binary::And => (And, false),
        ir::Binary::Or => (Or, false),
        ir::Binary::Xor => (Xor, false),
        ir::Binary::Shl => (by_type(ShlInt, ShlLong, ShlInt, ShlInt), false),
        ir::Binary::Shr => (by_type(ShrInt, ShrLong, ShrInt, ShrInt), false),
        ir::Binary::Ushr => (by_type(UshrInt, UshrLong, UshrInt, UshrInt), false),
        ir::Binary::Same => (Eq, false),
        ir::Binary::Eq => (by_type(Eq, Eq, EqFloat, EqDouble), false),
        ir::Binary::Ne => (by_type(Ne, Ne, NeFloat, NeDouble), false),
        ir::Binary::Lt => (by_type(LtInt, LtLong, LtFloat, LtDouble), false),
        ir::Binary::Le => (by_type(LeInt, LeLong, LeFloat, LeDouble), false),
        ir::Binary::Gt => (by_type(LtInt, LtLong, LtFloat, LtDouble), true),
        ir::Binary::Ge => (by_type(LeInt, LeLong, LeFloat, LeDouble), true),
    }
}

fn int(slot: u64) -> i32 {
    slot as i32
}

fn long(slot: u64) -> i64 {
    slot as i64
}

fn float(slot: u64) -> f32 {
    f32::from_bits(slot as u32)
}

fn double(slot: u64) -> f64 {
    f64::from_bits(slot)
}

fn of_int(value: i32) -> u64 {
    u64::from(value as u32)
}

fn of_float(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// The slot of a literal that is no text.
pub(crate) fn of_literal(literal: &ir::Literal) -> u64 {
    match literal {
        ir::Literal::Bool(value) => u64::from(*value),
        ir::Literal::Int(value) => of_int(*value),
        ir::Literal::Long(value) => *value as u64,
        ir::Literal::Float(value) => of_float(*value),
        ir::Literal::Double(value) => value.to_bits(),
        ir::Literal::Text(_) => 0,
    }
}

/// What an operation makes of a slot.
#[inline]
pub(crate) fn apply_unary(op: Unary, a: u64) -> u64 {
    match op {
        Unary::NegInt => of_int(int(a).wrapping_neg()),
        Unary::NegLong => long(a).wrapping_neg() as u64,
        Unary::NegFloat => of_float(-float(a)),
        Unary::NegDouble => (-double(a)).to_bits(),
        Unary::Not => a ^ 1,
        Unary::IntToLong => i64::from(int(a)) as u64,
        Unary::IntToFloat => of_float(int(a) as f32),
        Unary::IntToDouble => f64::from(int(a)).to_bits(),
        Unary::LongToInt => of_int(long(a) as i32),
        Unary::LongToFloat => of_float(long(a) as f32),
        Unary::LongToDouble => (long(a) as f64).to_bits(),
        // Rust's casts from floating point saturate and take NaN for 0, as Java's do.
        Unary::FloatToInt => of_int(float(a) as i32),
        Unary::FloatToLong => (float(a) as i64) as u64,
        Unary::FloatToDouble => f64::from(float(a)).to_bits(),
        Unary::DoubleToInt => of_int(double(a) as i32),
        Unary::DoubleToLong => (double(a) as i64) as u64,
        Unary::DoubleToFloat => of_float(double(a) as f32),
    }
}

/// What an operation makes of two slots; an exception where an integer is divided by zero.
#[inline]
pub(crate) fn apply_binary(op: Binary, a: u64, b: u64) -> Result<u64, Reason> {
    Ok(match op {
        Binary::AddInt => of_int(int(a).wrapping_add(int(b))),
        Binary::SubInt => of_int(int(a).wrapping_sub(int(b))),
        Binary::MulInt => of_int(int(a).wrapping_mul(int(b))),
        Binary::DivInt if int(b) == 0 => return Err(Reason::DivisionByZero),
        Binary::DivInt => of_int(int(a).wrapping_div(int(b))),
        Binary::RemInt if int(b) == 0 => return Err(Reason::DivisionByZero),
        Binary::RemInt => of_int(int(a).wrapping_rem(int(b))),
        // Rust's wrapping shifts take the low five or six bits of the distance, as Java's do.
        Binary::ShlInt => of_int(int(a).wrapping_shl(b as u32)),
        Binary::ShrInt => of_int(int(a).wrapping_shr(b as u32)),
        Binary::UshrInt => u64::from((a as u32).wrapping_shr(b as u32)),
        Binary::LtInt => u64::from(int(a) < int(b)),
        Binary::LeInt => u64::from(int(a) <= int(b)),
        Binary::AddLong => a.wrapping_add(b),
        Binary::SubLong => a.wrapping_sub(b),
        Binary::MulLong => a.wrapping_mul(b),
        Binary::DivLong if b == 0 => return Err(Reason::DivisionByZero),
        Binary::DivLong => long(a).wrapping_div(long(b)) as u64,
        Binary::RemLong if b == 0 => return Err(Reason::DivisionByZero),
        Binary::RemLong => long(a).wrapping_rem(long(b)) as u64,
        Binary::ShlLong => a.wrapping_shl(b as u32),
        Binary::ShrLong => long(a).wrapping_shr(b as u32) as u64,
        Binary::UshrLong => a.wrapping_shr(b as u32),
        Binary::LtLong => u64::from(long(a) < long(b)),
        Binary::LeLong => u64::from(long(a) <= long(b)),
        Binary::AddFloat => of_float(float(a) + float(b)),
        Binary::SubFloat => of_float(float(a) - float(b)),
        Binary::MulFloat => of_float(float(a) * float(b)),
        Binary::DivFloat => of_float(float(a) / float(b)),
        Binary::RemFloat => of_float(float(a) % float(b)),
        Binary::EqFloat => u64::from(float(a) == float(b)),
        Binary::NeFloat => u64::from(float(a) != float(b)),
        Binary::LtFloat => u64::from(float(a) < float(b)),
        Binary::LeFloat => u64::from(float(a) <= float(b)),
        Binary::AddDouble => (double(a) + double(b)).to_bits(),
        Binary::SubDouble => (double(a) - double(b)).to_bits(),
        Binary::MulDouble => (double(a) * double(b)).to_bits(),
        Binary::DivDouble => (double(a) / double(b)).to_bits(),
        Binary::RemDouble => (double(a) % double(b)).to_bits(),
        Binary::EqDouble => u64::from(double(a) == double(b)),
        Binary::NeDouble => u64::from(double(a) != double(b)),
        Binary::LtDouble => u64::from(double(a) < double(b)),
        Binary::LeDouble => u64::from(double(a) <= double(b)),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Eq => u64::from(a == b),
        Binary::Ne => u64::from(a != b),
    })
}

/// Whether an operation may throw.
pub(crate) fn throws(op: Binary) -> bool {
    use Binary::{DivInt, DivLong, RemInt, RemLong};
    matches!(op, DivInt | DivLong | RemInt | RemLong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(op: Binary, a: i32, b: i32) -> i32 {
        apply_binary(op, of_int(a), of_int(b)).unwrap() as i32
    }

    fn longs(op: Binary, a: i64, b: i64) -> i64 {
        apply_binary(op, a as u64, b as u64).unwrap() as i64
    }

    fn doubles(op: Binary, a: f64, b: f64) -> u64 {
        apply_binary(op, a.to_bits(), b.to_bits()).unwrap()
    }

    #[test]
    fn integers_wrap() {
        assert_eq!(ints(Binary::AddInt, i32::MAX, 1), i32::MIN);
        assert_eq!(ints(Binary::SubInt, i32::MIN, 1), i32::MAX);
        assert_eq!(ints(Binary::MulInt, 65_536, 65_536), 0);
        assert_eq!(ints(Binary::DivInt, i32::MIN, -1), i32::MIN);
        assert_eq!(ints(Binary::RemInt, i32::MIN, -1), 0);
        assert_eq!(ints(Binary::DivInt, -7, 2), -3);
        assert_eq!(ints(Binary::RemInt, -7, 2), -1);
        assert_eq!(longs(Binary::DivLong, i64::MIN, -1), i64::MIN);
        assert_eq!(longs(Binary::AddLong, i64::MAX, 1), i64::MIN);
        assert_eq!(apply_unary(Unary::NegInt, of_int(i32::MIN)), of_int(i32::MIN));
        assert_eq!(apply_unary(Unary::NegLong, i64::MIN as u64), i64::MIN as u64);
    }

    #[test]
    fn division_by_zero_is_an_exception_for_integers_only() {
        for op in [Binary::DivInt, Binary::RemInt, Binary::DivLong, Binary::RemLong] {
            assert_eq!(apply_binary(op, 1, 0), Err(Reason::DivisionByZero));
            assert!(throws(op));
        }
        assert_eq!(doubles(Binary::DivDouble, 1.0, -0.0), f64::NEG_INFINITY.to_bits());
        assert!(double(doubles(Binary::RemDouble, 1.0, 0.0)).is_nan());
    }

    #[test]
    fn shifts_take_the_low_bits_of_the_distance() {
        assert_eq!(ints(Binary::ShlInt, 1, 33), 2);
        assert_eq!(ints(Binary::ShrInt, -8, 1), -4);
        assert_eq!(ints(Binary::UshrInt, -8, 1), 0x7FFF_FFFC);
        assert_eq!(ints(Binary::UshrInt, -1, -1), 1);
        assert_eq!(longs(Binary::ShlLong, 1, 65), 2);
        assert_eq!(longs(Binary::ShrLong, -8, 1), -4);
        assert_eq!(longs(Binary::UshrLong, -1, 63), 1);
    }

    #[test]
    fn casts_saturate_from_floating_point_and_wrap_from_long() {
        let to_int = |value: f64| apply_unary(Unary::DoubleToInt, value.to_bits()) as i32;
        let to_long = |value: f64| apply_unary(Unary::DoubleToLong, value.to_bits()) as i64;
        assert_eq!(to_int(-1.9), -1);
        assert_eq!(to_int(1e10), i32::MAX);
        assert_eq!(to_int(f64::NEG_INFINITY), i32::MIN);
        assert_eq!(to_int(f64::NAN), 0);
        assert_eq!(to_long(1e30), i64::MAX);
        assert_eq!(apply_unary(Unary::LongToInt, (1u64 << 32) + 5), 5);
        assert_eq!(apply_unary(Unary::IntToLong, of_int(-1)), u64::MAX);
    }

    #[test]
    fn nan_compares_as_in_java() {
        for op in [Binary::EqDouble, Binary::LtDouble, Binary::LeDouble] {
            assert_eq!(doubles(op, f64::NAN, f64::NAN), 0);
        }
        assert_eq!(doubles(Binary::NeDouble, f64::NAN, f64::NAN), 1);
        assert_eq!(doubles(Binary::EqDouble, 0.0, -0.0), 1);
        assert_eq!(doubles(Binary::RemDouble, -5.5, 2.0), (-1.5f64).to_bits());
    }
}
