//! Times: whole nanoseconds since the start.

/// A millisecond.
pub(crate) const MS: u64 = 1_000_000;

/// No time is later, in nanoseconds: room is left for times to be added to times. (Clocks on walls get there in the year 2116.)
pub(crate) const TIME_MAX: u64 = u64::MAX / 4;

/// A decimal number, exactly, times a scale, to the nearest whole: `12.5` with a scale of 1000 is 12500.
///
/// # Errors
/// If it is no number, below 0, or too large.
pub(crate) fn scaled(text: &str, scale: u64) -> Result<u64, &'static str> {
    rounded(text, scale, |power| power / 2)
}

/// The same, to the next whole: what is less than a time away is then less than it.
pub(crate) fn scaled_up(text: &str, scale: u64) -> Result<u64, &'static str> {
    rounded(text, scale, |power| power - 1)
}

fn rounded(text: &str, scale: u64, more: fn(u128) -> u128) -> Result<u64, &'static str> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, exponent.parse::<i32>().map_err(|_| "its exponent is no number")?)
        }
        None => (text, 0),
    };
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && fraction.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return Err("it is no number");
    }
    // Digits beyond the thirtieth change nothing that is counted here.
    let mut digits: u128 = 0;
    let mut point = exponent;
    let mut taken = 0;
    for (place, byte) in whole.bytes().chain(fraction.bytes()).enumerate() {
        let is_fraction = place >= whole.len();
        if taken < 28 {
            digits = digits * 10 + u128::from(byte - b'0');
            taken += u32::from(digits > 0);
            point = point.saturating_sub(i32::from(is_fraction));
        } else {
            point = point.saturating_add(i32::from(!is_fraction));
        }
    }
    if digits == 0 {
        return Ok(0);
    }
    if sign < 0 {
        return Err("it is below 0");
    }
    let product = digits.checked_mul(u128::from(scale)).ok_or("it is too large")?;
    let value = if point >= 0 {
        let power = 10u128.checked_pow(point.unsigned_abs()).ok_or("it is too large")?;
        product.checked_mul(power).ok_or("it is too large")?
    } else {
        match 10u128.checked_pow(point.unsigned_abs()) {
            Some(power) => product.saturating_add(more(power)) / power,
            // (Next to nothing.)
            None => u128::from(more(4) > 2),
        }
    };
    u64::try_from(value).ok().filter(|value| *value <= TIME_MAX).ok_or("it is too large")
}

/// Nanoseconds as milliseconds, exactly: `12`, `0.5`.
pub fn shown_ms(nanoseconds: u64) -> String {
    shown_in(nanoseconds, MS, 6)
}

/// The same as seconds.
pub(crate) fn shown_s(nanoseconds: u64) -> String {
    shown_in(nanoseconds, 1000 * MS, 9)
}

/// Nanoseconds in a larger unit, of which they are so many digits behind the point.
fn shown_in(nanoseconds: u64, unit: u64, digits: usize) -> String {
    let (whole, rest) = (nanoseconds / unit, nanoseconds % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let fraction = format!("{rest:0digits$}");
    format!("{whole}.{}", fraction.trim_end_matches('0'))
}

/// Nanoseconds as people write them: `500 ms`, `2 s`.
pub(crate) fn shown(nanoseconds: u64) -> String {
    if nanoseconds > 0 && nanoseconds.is_multiple_of(1000 * MS) {
        return format!("{} s", nanoseconds / (1000 * MS));
    }
    format!("{} ms", shown_ms(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        for (text, wanted) in [
            ("40", Ok(40_000_000)),
            ("0.000001", Ok(1)),
            ("0.0000005", Ok(1)),
            ("0.00000049", Ok(0)),
            ("1e3", Ok(1_000_000_000)),
            ("1.5e-3", Ok(1_500)),
            ("9007199254.740993", Ok(9_007_199_254_740_993)),
            ("-0.0", Ok(0)),
            ("-1", Err("it is below 0")),
            ("1e30", Err("it is too large")),
            ("", Err("it is no number")),
            (".", Err("it is no number")),
            ("0e99999", Ok(0)),
        ] {
            assert_eq!(scaled(text, MS), wanted, "{text}");
        }
        for (text, wanted) in
            [("1.0000000001", 1_000_001), ("1", 1_000_000), ("0.0000001", 1), ("1e-99", 1), ("0", 0)]
        {
            assert_eq!(scaled_up(text, MS), Ok(wanted), "{text}");
        }
        assert_eq!(shown_ms(1_500_000), "1.5");
    }
}
