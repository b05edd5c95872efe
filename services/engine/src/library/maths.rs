//! java.lang.Math, but for what a JVM may compute otherwise.
use super::LibTy::{Double, Float, Int, Long};
use super::strings::int;
use super::{Method, pure, throwing};
use crate::builtin::maths::{max_double, max_int, max_long, min_double, min_int, min_long, round};
use crate::memory::Memory;
use crate::reason::Reason;

type Answer = Result<u64, Reason>;

fn double(slot: u64) -> f64 {
    f64::from_bits(slot)
}

fn float(slot: u64) -> f32 {
    f32::from_bits(slot as u32)
}

fn of_float(value: f32) -> Answer {
    Ok(u64::from(value.to_bits()))
}

fn overflow(what: &str) -> Reason {
    Reason::exception("java/lang/ArithmeticException", Some(format!("{what} overflow")))
}

fn exact_int(value: Option<i32>) -> Answer {
    value.map(int).ok_or_else(|| overflow("integer"))
}

fn exact_long(value: Option<i64>) -> Answer {
    value.map(|value| value as u64).ok_or_else(|| overflow("long"))
}

fn max_float(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let [a, b] = [args[0], args[1]].map(|slot| f64::from(float(slot)).to_bits());
    of_float(double(max_double(memory, &[a, b])?) as f32)
}

fn min_float(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let [a, b] = [args[0], args[1]].map(|slot| f64::from(float(slot)).to_bits());
    of_float(double(min_double(memory, &[a, b])?) as f32)
}

fn round_float(value: f32) -> i32 {
    let floor = value.floor();
    let up = value - floor >= 0.5;
    (if up { floor + 1.0 } else { floor }) as i32
}

/// `Math.rint`.
fn rint(value: f64) -> f64 {
    value.round_ties_even()
}

fn signum(value: f64) -> f64 {
    if value == 0.0 || value.is_nan() { value } else { value.signum() }
}

macro_rules! of_double {
    ($name:literal, $run:expr) => {
        pure(concat!("java/lang/Math.", $name, "(D)D"), &[Double], Double, |_, args| {
            let run: fn(f64) -> f64 = $run;
            Ok(run(double(args[0])).to_bits())
        })
    };
}

pub(super) static METHODS: &[Method] = &[
    pure("java/lang/Math.max(II)I", &[Int, Int], Int, max_int),
    pure("java/lang/Math.min(II)I", &[Int, Int], Int, min_int),
    pure("java/lang/Math.max(JJ)J", &[Long, Long], Long, max_long),
    pure("java/lang/Math.min(JJ)J", &[Long, Long], Long, min_long),
    pure("java/lang/Math.max(DD)D", &[Double, Double], Double, max_double),
    pure("java/lang/Math.min(DD)D", &[Double, Double], Double, min_double),
    pure("java/lang/Math.max(FF)F", &[Float, Float], Float, max_float),
    pure("java/lang/Math.min(FF)F", &[Float, Float], Float, min_float),
    pure("java/lang/Math.abs(I)I", &[Int], Int, |_, args| Ok(int((args[0] as i32).wrapping_abs()))),
    pure("java/lang/Math.abs(J)J", &[Long], Long, |_, args| {
        Ok((args[0] as i64).wrapping_abs() as u64)
    }),
    of_double!("abs", f64::abs),
    pure("java/lang/Math.abs(F)F", &[Float], Float, |_, args| of_float(float(args[0]).abs())),
    of_double!("floor", f64::floor),
    of_double!("ceil", f64::ceil),
    of_double!("rint", rint),
    of_double!("sqrt", f64::sqrt),
    of_double!("signum", signum),
    // Both are a single multiplication and division in Java 17.
    of_double!("toRadians", |degrees| degrees * 0.017_453_292_519_943_295),
    of_double!("toDegrees", |radians| radians * 57.295_779_513_082_32),
    pure("java/lang/Math.round(D)J", &[Double], Long, |_, args| Ok(round(double(args[0])) as u64)),
    pure("java/lang/Math.round(F)I", &[Float], Int, |_, args| Ok(int(round_float(float(args[0]))))),
    throwing("java/lang/Math.floorDiv(II)I", &[Int, Int], Int, |_, args| {
        let (a, b) = (args[0] as i32, args[1] as i32);
        let quotient = a.checked_rem(b).map(|rest| i32::from(rest != 0 && (rest < 0) != (b < 0)));
        match (b, quotient) {
            (0, _) => Err(Reason::DivisionByZero),
            (_, down) => Ok(int(a.wrapping_div(b) - down.unwrap_or_default())),
        }
    }),
    throwing("java/lang/Math.floorMod(II)I", &[Int, Int], Int, |_, args| match args[1] as i32 {
        0 => Err(Reason::DivisionByZero),
        b => Ok(int(floor_mod(i64::from(args[0] as i32), i64::from(b)) as i32)),
    }),
    throwing("java/lang/Math.floorDiv(JJ)J", &[Long, Long], Long, |_, args| floor_div(args)),
    throwing("java/lang/Math.floorDiv(JI)J", &[Long, Int], Long, |_, args| {
        floor_div(&[args[0], i64::from(args[1] as i32) as u64])
    }),
    throwing("java/lang/Math.floorMod(JJ)J", &[Long, Long], Long, |_, args| match args[1] as i64 {
        0 => Err(Reason::DivisionByZero),
        b => Ok(floor_mod(args[0] as i64, b) as u64),
    }),
    throwing("java/lang/Math.floorMod(JI)I", &[Long, Int], Int, |_, args| match args[1] as i32 {
        0 => Err(Reason::DivisionByZero),
        b => Ok(int(floor_mod(args[0] as i64, i64::from(b)) as i32)),
    }),
    throwing("java/lang/Math.addExact(II)I", &[Int, Int], Int, |_, args| {
        exact_int((args[0] as i32).checked_add(args[1] as i32))
    }),
    throwing("java/lang/Math.subtractExact(II)I", &[Int, Int], Int, |_, args| {
        exact_int((args[0] as i32).checked_sub(args[1] as i32))
    }),
    throwing("java/lang/Math.multiplyExact(II)I", &[Int, Int], Int, |_, args| {
        exact_int((args[0] as i32).checked_mul(args[1] as i32))
    }),
    throwing("java/lang/Math.negateExact(I)I", &[Int], Int, |_, args| {
        exact_int((args[0] as i32).checked_neg())
    }),
    throwing("java/lang/Math.incrementExact(I)I", &[Int], Int, |_, args| {
        exact_int((args[0] as i32).checked_add(1))
    }),
    throwing("java/lang/Math.toIntExact(J)I", &[Long], Int, |_, args| {
        exact_int(i32::try_from(args[0] as i64).ok())
    }),
    throwing("java/lang/Math.addExact(JJ)J", &[Long, Long], Long, |_, args| {
        exact_long((args[0] as i64).checked_add(args[1] as i64))
    }),
    throwing("java/lang/Math.subtractExact(JJ)J", &[Long, Long], Long, |_, args| {
        exact_long((args[0] as i64).checked_sub(args[1] as i64))
    }),
    throwing("java/lang/Math.multiplyExact(JJ)J", &[Long, Long], Long, |_, args| {
        exact_long((args[0] as i64).checked_mul(args[1] as i64))
    }),
    throwing("java/lang/Math.negateExact(J)J", &[Long], Long, |_, args| {
        exact_long((args[0] as i64).checked_neg())
    }),
];

fn floor_div(args: &[u64]) -> Answer {
    let (a, b) = (args[0] as i64, args[1] as i64);
    if b == 0 {
        return Err(Reason::DivisionByZero);
    }
    let rest = a.wrapping_rem(b);
    Ok((a.wrapping_div(b).wrapping_sub(i64::from(rest != 0 && (rest < 0) != (b < 0)))) as u64)
}

fn floor_mod(a: i64, b: i64) -> i64 {
    let rest = a.wrapping_rem(b);
    if rest != 0 && (rest < 0) != (b < 0) { rest.wrapping_add(b) } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_half_up() {
        for (value, expected) in
            [(0.5, 1), (-0.5, 0), (2.5, 3), (-2.5, -2), (0.49999999999999994, 0), (1e30, i64::MAX)]
        {
            assert_eq!(round(value), expected, "{value}");
        }
        assert_eq!(round(f64::NAN), 0);
        assert_eq!(round(4_503_599_627_370_497.0), 4_503_599_627_370_497);
    }

    #[test]
    fn floors() {
        assert_eq!(floor_mod(-7, 3), 2);
        assert_eq!(floor_mod(7, -3), -2);
        assert_eq!(floor_div(&[-7i64 as u64, 3]), Ok(-3i64 as u64));
    }
}
