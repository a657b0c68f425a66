//! Tables as text: what spreadsheets and issue trackers write, and what they may safely read.

/// Rows of cells. Cells may be quoted, with newlines and doubled quotes inside; the separator is the one of comma,
/// semicolon and tab that stands most often in the first row. Nothing when a quote is never closed.
pub fn read(text: &str) -> Option<Vec<Vec<String>>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = separator(text);
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            _ if quoted => cell.push(letter),
            // A quote inside a plain cell is a letter like any other.
            '"' if cell.trim().is_empty() => {
                cell.clear();
                quoted = true;
            }
            '\r' | '\n' => {
                if letter == '\r' && letters.peek() == Some(&'\n') {
                    letters.next();
                }
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            _ if letter == separator => row.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    if quoted {
        return None;
    }
    row.push(cell);
    rows.push(row);
    rows.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    Some(rows)
}

fn separator(text: &str) -> char {
    let mut quoted = false;
    let first = text.chars().take_while(|letter| {
        quoted ^= *letter == '"';
        quoted || !matches!(letter, '\r' | '\n')
    });
    let (mut outside, mut counts) = (true, [(',', 0), (';', 0), ('\t', 0)]);
    for letter in first {
        outside ^= letter == '"';
        counts.iter_mut().filter(|(separator, _)| outside && *separator == letter).for_each(|(_, count)| *count += 1);
    }
    // Of equals the last would win, and the comma is the usual one.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(',', |(separator, _)| *separator)
}

/// One row, ended as RFC 4180 ends it.
pub fn write(row: &[&str]) -> String {
    let cells: Vec<String> = row.iter().map(|cell| quoted(&harmless(cell))).collect();
    cells.join(",") + "\r\n"
}

fn quoted(cell: &str) -> String {
    let plain = !cell.contains([',', ';', '\t', '"', '\r', '\n', '\'']) && cell.trim() == cell;
    if plain { cell.to_owned() } else { format!("\"{}\"", cell.replace('"', "\"\"")) }
}

/// A spreadsheet would take such a cell for a formula and run it.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

fn harmless(cell: &str) -> String {
    if cell.starts_with(FORMULA) { format!("'{cell}") } else { cell.to_owned() }
}

/// The cell as it was before `write` made it harmless.
pub fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|rest| rest.starts_with(FORMULA)).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &str) -> String {
        let rows = read(text).unwrap();
        rows.iter().map(|row| row.join("|")).collect::<Vec<_>>().join("/")
    }

    #[test]
    fn tables_as_they_come() {
        for (text, expected) in [
            ("", ""),
            ("a", "a"),
            ("a,b\r\nc,d\r\n", "a|b/c|d"),
            ("a;b\nc;d,e", "a|b/c|d,e"),
            ("a\tb\rc\td", "a|b/c|d"),
            ("\u{feff}a,b", "a|b"),
            ("\u{feff}\"a\",b", "a|b"),
            ("\"a,1\",\"b\nc\",\"d\"\"e\"", "a,1|b\nc|d\"e"),
            ("\"a;b;c\",d", "a;b;c|d"),
            ("a,,\n\n , \nb", "a||/b"),
            ("5\" disk,x", "5\" disk|x"),
            (" \"a\",b", "a|b"),
        ] {
            assert_eq!(rows(text), expected, "{text:?}");
        }
        assert_eq!(read("a,\"b\nc"), None);
    }

    #[test]
    fn no_cell_is_a_formula() {
        for cell in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(\"http://a\",\"b\")"] {
            let row = write(&[cell]);
            let first = row.trim_start_matches('"').chars().next();
            assert_eq!(first, Some('\''), "{row:?}");
            assert_eq!(unguarded(&read(&row).unwrap()[0][0]), cell);
        }
        assert_eq!(write(&["a", "b c", "d,e", "f\"g"]), "a,b c,\"d,e\",\"f\"\"g\"\r\n");
        assert_eq!(unguarded("'tis"), "'tis");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(table in prop::collection::vec(prop::collection::vec("[a=+@,;\t\r\n\"' é-]{0,6}", 3), 1..5)) {
            let text: String = table.iter().map(|row| write(&row.iter().map(String::as_str).collect::<Vec<_>>())).collect();
            let full = |row: &&Vec<String>| row.iter().any(|cell| !harmless(cell).trim().is_empty());
            // With no comma outside of quotes there is one column; three make the comma the likeliest.
            let again = read(&text).unwrap();
            let cells: Vec<Vec<String>> = again.iter().map(|row| row.iter().map(|cell| unguarded(cell).to_owned()).collect()).collect();
            let expected: Vec<Vec<String>> = table.iter().filter(full).cloned().collect();
            // A cell that began with an apostrophe and a sign loses it; no estimate does.
            if !table.iter().flatten().any(|cell| unguarded(cell) != cell) {
                prop_assert_eq!(cells, expected);
            }
        }

        #[test]
        fn any_text_is_a_table_or_refused(text in "[a,;\t\r\n\"\u{feff}é=]{0,60}") {
            let _ = read(&text);
        }
    }
}
