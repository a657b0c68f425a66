//! How deep JSON may nest before anyone reads it: values that are only passed on are limited alike for all.

pub const DEPTH_MAX: usize = 30;

/// Whether brackets nest at most `DEPTH_MAX` deep. Only counts; whether it is JSON at all is the parser's business.
pub fn is_shallow(text: &str) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return false;
                }
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_brackets_count() {
        assert!(is_shallow(&format!("{}{}", "[".repeat(30), "]".repeat(30))));
        assert!(!is_shallow(&format!("{}{}", "[".repeat(31), "]".repeat(31))));
        assert!(is_shallow(&format!("\"{}\"", "[".repeat(1000))));
        assert!(is_shallow(&format!("\"\\\"{}\"", "{".repeat(1000))));
        assert!(is_shallow(&"[],".repeat(1000)));
    }
}
