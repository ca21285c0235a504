//! The first difference between two JSON values.

use serde_json::Value;
use std::fmt;

/// Where a run first differs from its golden run.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// The number of the operation, from 1; 0 is the state before the first operation.
    pub operation: usize,
    /// The field, as in `state.nodes.node-1.log[2]`.
    pub field: String,
    /// What the golden run has; null if it has nothing.
    pub expected: Value,
    /// What the model gave; null if it gave nothing.
    pub got: Value,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, field, expected, got } = self;
        write!(f, "operation {operation}, field {field}: expected {expected}, got {got}")
    }
}

/// The first place at which `got` is not `expected`; `None` if they are equal.
pub(super) fn first_difference(
    operation: usize,
    field: &str,
    expected: &Value,
    got: &Value,
) -> Option<Difference> {
    if expected == got {
        return None;
    }
    let inner = match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            let mut names: Vec<_> = expected.keys().chain(got.keys()).collect();
            names.sort();
            names.into_iter().find_map(|name| {
                let field = format!("{field}.{name}");
                let (expected, got) = (expected.get(name), got.get(name));
                first_difference_of_parts(operation, &field, expected, got)
            })
        }
        (Value::Array(expected), Value::Array(got)) => {
            (0..expected.len().max(got.len())).find_map(|index| {
                let field = format!("{field}[{index}]");
                let (expected, got) = (expected.get(index), got.get(index));
                first_difference_of_parts(operation, &field, expected, got)
            })
        }
        _ => None,
    };
    inner.or_else(|| {
        let (expected, got) = (expected.clone(), got.clone());
        Some(Difference { operation, field: field.to_owned(), expected, got })
    })
}

/// A part that is missing differs from one that is null.
fn first_difference_of_parts(
    operation: usize,
    field: &str,
    expected: Option<&Value>,
    got: Option<&Value>,
) -> Option<Difference> {
    match (expected, got) {
        (Some(expected), Some(got)) => first_difference(operation, field, expected, got),
        (None, None) => None,
        (expected, got) => {
            let part = |part: Option<&Value>| part.cloned().unwrap_or(Value::Null);
            let field =
                format!("{field} ({})", if got.is_none() { "missing" } else { "not expected" });
            Some(Difference { operation, field, expected: part(expected), got: part(got) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named_by_its_path() {
        let expected = json!({"a": [1, {"b": "x", "c": null}], "z": 1});
        let cases = [
            (json!({"a": [1, {"b": "y", "c": null}], "z": 2}), "s.a[1].b"),
            (json!({"a": [1, {"b": "x"}], "z": 1}), "s.a[1].c (missing)"),
            (json!({"a": [1, {"b": "x", "c": null}, 3], "z": 1}), "s.a[2] (not expected)"),
            (json!({"a": {}, "z": 1}), "s.a"),
        ];
        for (got, field) in cases {
            assert_eq!(first_difference(3, "s", &expected, &got).unwrap().field, field);
        }
        assert_eq!(first_difference(0, "s", &expected, &expected.clone()), None);
    }
}
