//! Where the table is: read from the text of the setting `store`.

use std::fmt;
use std::str::FromStr;

/// `dynamodb://TABLE?region=…&endpoint=…`; who may use it is not said here but found as the service's own tools find it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    pub table: String,
    /// Without one, the one that the environment or the machine names.
    pub region: Option<String>,
    /// Another server that speaks the same, such as `http://localhost:8000`.
    pub endpoint: Option<String>,
}

const SCHEME: &str = "dynamodb://";
const FORM: &str = "it is dynamodb://TABLE, dynamodb://TABLE?region=eu-central-1 or dynamodb://TABLE?endpoint=http://host:port";

impl Address {
    /// Whether a text means one of these at all.
    pub fn is_one(text: &str) -> bool {
        text.starts_with(SCHEME)
    }
}

impl FromStr for Address {
    type Err = String;
    fn from_str(text: &str) -> Result<Address, String> {
        let wrong = |why: &str| format!("{why}; {FORM}");
        let rest = text.strip_prefix(SCHEME).ok_or_else(|| wrong("this is no address of a DynamoDB table"))?;
        let (table, query) = rest.split_once('?').unwrap_or((rest, ""));
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
        if !(3..=255).contains(&table.len()) || !is_name(table) {
            return Err(wrong("a table's name has 3 to 255 letters, digits, _ . and -"));
        }
        let mut address = Address { table: table.into(), region: None, endpoint: None };
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let place = match name {
                "region" if value.is_empty() || !is_name(value) => return Err(wrong("a region is a name like eu-central-1")),
                "endpoint" if !value.starts_with("http://") && !value.starts_with("https://") => {
                    return Err(wrong("an endpoint begins with http:// or https://"));
                }
                "region" => &mut address.region,
                "endpoint" => &mut address.endpoint,
                _ => return Err(wrong("after the ? only region= and endpoint= are known")),
            };
            if place.replace(value.into()).is_some() {
                return Err(wrong("it says one thing twice"));
            }
        }
        Ok(address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}", self.table)?;
        let parts = [("region", &self.region), ("endpoint", &self.endpoint)];
        let said = parts.iter().filter_map(|(name, value)| value.as_ref().map(|value| (name, value)));
        for (index, (name, value)) in said.enumerate() {
            write!(f, "{}{name}={value}", if index == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let texts = [
            "dynamodb://parlor",
            "dynamodb://parlor.rooms_1-x?region=eu-central-1",
            "dynamodb://parlor?endpoint=http://127.0.0.1:8000",
            "dynamodb://parlor?region=us-east-1&endpoint=https://scylla.example/alternator",
        ];
        for text in texts {
            assert_eq!(text.parse::<Address>().expect(text).to_string(), text);
            assert!(Address::is_one(text));
        }
    }

    #[test]
    fn anything_else_gets_a_sentence() {
        let cases = [
            ("redis://x", "no address"),
            ("dynamodb://", "3 to 255"),
            ("dynamodb://ab", "3 to 255"),
            ("dynamodb://a table", "3 to 255"),
            ("dynamodb://parlor?region=", "eu-central-1"),
            ("dynamodb://parlor?region=a/b", "eu-central-1"),
            ("dynamodb://parlor?endpoint=localhost:8000", "http://"),
            ("dynamodb://parlor?key=secret", "only region="),
            ("dynamodb://parlor?region=a&region=b", "twice"),
        ];
        for (text, part) in cases {
            let error = text.parse::<Address>().expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
            assert!(!error.contains("secret"));
        }
    }
}
