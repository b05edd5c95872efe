//! java.lang.Math.
use crate::memory::Memory;
use crate::reason::Reason;

type Answer = Result<u64, Reason>;

fn ints(args: &[u64]) -> (i32, i32) {
    (args[0] as i32, args[1] as i32)
}

fn doubles(args: &[u64]) -> (f64, f64) {
    (f64::from_bits(args[0]), f64::from_bits(args[1]))
}

pub(crate) fn min_int(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (a, b) = ints(args);
    Ok(a.min(b) as u32 as u64)
}

pub(crate) fn max_int(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (a, b) = ints(args);
    Ok(a.max(b) as u32 as u64)
}

pub(crate) fn min_long(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok((args[0] as i64).min(args[1] as i64) as u64)
}

pub(crate) fn max_long(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok((args[0] as i64).max(args[1] as i64) as u64)
}

/// NaN if one is NaN; -0.0 is less than 0.0.
pub(crate) fn min_double(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (a, b) = doubles(args);
    Ok(match a.partial_cmp(&b) {
        None => f64::NAN.to_bits(),
        // The sign of either of two zeros.
        Some(std::cmp::Ordering::Equal) => args[0] | args[1],
        Some(order) => args[usize::from(order.is_gt())],
    })
}

/// NaN if one is NaN; 0.0 is more than -0.0.
pub(crate) fn max_double(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    let (a, b) = doubles(args);
    Ok(match a.partial_cmp(&b) {
        None => f64::NAN.to_bits(),
        Some(std::cmp::Ordering::Equal) => args[0] & args[1],
        Some(order) => args[usize::from(order.is_lt())],
    })
}

pub(super) fn abs_double(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(f64::from_bits(args[0]).abs().to_bits())
}

pub(super) fn floor(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(f64::from_bits(args[0]).floor().to_bits())
}

pub(super) fn ceil(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(f64::from_bits(args[0]).ceil().to_bits())
}

/// Math.round: the floor of the value plus a half taken exactly; saturates, NaN is 0.
pub(crate) fn round(value: f64) -> i64 {
    let floor = value.floor();
    // The difference is exact, where adding a half could round up to the next integer.
    (if value - floor >= 0.5 { floor + 1.0 } else { floor }) as i64
}

pub(super) fn round_slot(_: &mut Memory<'_>, args: &[u64]) -> Answer {
    Ok(round(f64::from_bits(args[0])) as u64)
}

#[cfg(test)]
mod tests {
    use crate::builtin::testing::call;

    fn double(name: &str, args: &[f64]) -> u64 {
        let bits: Vec<u64> = args.iter().map(|arg| arg.to_bits()).collect();
        call(name, &[], &bits).unwrap().0
    }

    #[test]
    fn round_as_java() {
        for (value, rounded) in [
            (0.5, 1),
            (-0.5, 0),
            (1.5, 2),
            (-1.5, -1),
            (2.5, 3),
            (0.499_999_999_999_999_94, 0),
            (4_503_599_627_370_497.5, 4_503_599_627_370_498),
            (9_007_199_254_740_993.0, 9_007_199_254_740_992),
            (1e300, i64::MAX),
            (f64::NEG_INFINITY, i64::MIN),
            (f64::NAN, 0),
        ] {
            assert_eq!(double("double.round", &[value]) as i64, rounded, "{value}");
        }
    }

    #[test]
    fn zeros_and_nan_of_min_and_max() {
        assert_eq!(double("double.min", &[0.0, -0.0]), (-0.0f64).to_bits());
        assert_eq!(double("double.max", &[-0.0, 0.0]), 0.0f64.to_bits());
        assert_eq!(double("double.min", &[1.0, 2.0]), 1.0f64.to_bits());
        assert_eq!(double("double.max", &[1.0, 2.0]), 2.0f64.to_bits());
        assert_eq!(double("double.min", &[2.0, 1.0]), 1.0f64.to_bits());
        assert_eq!(double("double.max", &[2.0, 1.0]), 2.0f64.to_bits());
        assert!(f64::from_bits(double("double.min", &[f64::NAN, 1.0])).is_nan());
        assert!(f64::from_bits(double("double.max", &[1.0, f64::NAN])).is_nan());
    }
}
