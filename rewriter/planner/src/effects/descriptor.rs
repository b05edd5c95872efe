//! Descriptors of fields and methods (JVM specification 4.3).

/// The parameters and the result of a method.
pub fn method(descriptor: &str) -> (Vec<&str>, &str) {
    let Some((parameters, result)) =
        descriptor.strip_prefix('(').and_then(|rest| rest.split_once(')'))
    else {
        return (Vec::new(), "V");
    };
    let mut rest = parameters;
    let mut list = Vec::new();
    while !rest.is_empty() {
        let (first, behind) = rest.split_at(first_len(rest));
        list.push(first);
        rest = behind;
    }
    (list, result)
}

fn first_len(descriptors: &str) -> usize {
    let dimensions = descriptors.len() - descriptors.trim_start_matches('[').len();
    let base = &descriptors[dimensions..];
    let base_len = match base.as_bytes().first() {
        Some(b'L') => base.find(';').map_or(base.len(), |end| end + 1),
        Some(_) => 1,
        None => 0,
    };
    dimensions + base_len
}

/// Whether its values take two places on the stack.
pub fn is_wide(descriptor: &str) -> bool {
    matches!(descriptor, "J" | "D")
}

/// The class of an object's descriptor; none for primitives and arrays.
pub fn class(descriptor: &str) -> Option<&str> {
    descriptor.strip_prefix('L')?.strip_suffix(';')
}

/// Whether it is a primitive.
pub fn is_primitive(descriptor: &str) -> bool {
    descriptor.len() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_fall_apart_into_parameters() {
        let (parameters, result) = method("(I[[JLa/B;[La/C;D)La/D;");
        assert_eq!(parameters, ["I", "[[J", "La/B;", "[La/C;", "D"]);
        assert_eq!((result, class(result)), ("La/D;", Some("a/D")));
        assert_eq!(method("()V"), (Vec::new(), "V"));
    }
}
