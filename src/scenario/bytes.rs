//! Byte strings in JSON: text where they are UTF-8, `{"hex": "..."}` where they are not.

use serde::{Deserialize, Deserializer, de};
use serde_json::{Value, json};
use std::fmt::Write;

/// A key or a value, as files spell it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    /// The JSON spelling of `bytes`.
    pub fn to_json(bytes: &[u8]) -> Value {
        match std::str::from_utf8(bytes) {
            Ok(text) => json!(text),
            Err(_) => json!({ "hex": hex(bytes) }),
        }
    }

    /// `bytes` for people: text, or hexadecimal digits after `0x`.
    pub fn to_text(bytes: &[u8]) -> String {
        std::str::from_utf8(bytes).map_or_else(|_| format!("0x{}", hex(bytes)), printable)
    }
}

/// `text` as it can be printed in a line: what would move the cursor, turn the direction of writing
/// or not be seen at all is escaped.
pub(crate) fn printable(text: &str) -> String {
    let is_hidden = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if text.is_empty() {
        return "\"\"".into();
    }
    let escaped = text.chars().map(|letter| {
        if is_hidden(letter) { letter.escape_default().to_string() } else { letter.to_string() }
    });
    escaped.collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        // Writing to a String cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |pair: &[u8]| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8);
    digits.chunks(2).map(byte).collect()
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BytesVisitor)
    }
}

struct BytesVisitor;

impl<'de> de::Visitor<'de> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text or {\"hex\": \"...\"}")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
        Ok(Bytes(text.as_bytes().to_vec()))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Bytes, A::Error> {
        let mut bytes = None;
        while let Some(field) = map.next_key::<String>()? {
            if field != "hex" {
                return Err(de::Error::unknown_field(&field, &["hex"]));
            }
            let digits: String = map.next_value()?;
            let parsed = from_hex(&digits).ok_or_else(|| {
                de::Error::custom("hex needs an even number of hexadecimal digits")
            })?;
            if bytes.replace(parsed).is_some() {
                return Err(de::Error::duplicate_field("hex"));
            }
        }
        bytes.map(Bytes).ok_or_else(|| de::Error::missing_field("hex"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_the_way_to_json_and_back() {
        for bytes in [b"".as_slice(), b"k0", "\u{fc}\n".as_bytes(), b"\xff\x00", b"{\"hex\""] {
            let json = Bytes::to_json(bytes);
            assert_eq!(serde_json::from_value::<Bytes>(json).unwrap().0, bytes);
        }
    }

    #[test]
    fn what_would_spoil_a_line_is_escaped_and_nothing_is_lost() {
        assert_eq!(
            Bytes::to_text("k\r\n\u{1b}[31m\u{202e}ü".as_bytes()),
            r"k\r\n\u{1b}[31m\u{202e}ü"
        );
        assert_eq!(Bytes::to_text(b""), "\"\"");
        assert_eq!(Bytes::to_text(b"\xff"), "0xff");
    }

    #[test]
    fn what_is_not_hexadecimal_is_refused() {
        for bad in [
            r#"{"hex":"0"}"#,
            r#"{"hex":"0g"}"#,
            r#"{"hex":"é"}"#,
            "{}",
            "7",
            r#"{"hex":"00","hex":"00"}"#,
        ] {
            assert!(serde_json::from_str::<Bytes>(bad).is_err(), "{bad}");
        }
    }
}
