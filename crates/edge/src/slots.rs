//! Slots: places in a page that are filled when it is shown, so that the page itself can be kept for everybody.
//!
//! The page is read once, when it is kept. The reader knows just enough HTML not to be fooled: comments, quoted attributes, and
//! the elements whose text is not markup. Markup it cannot follow stays as it is.

use crate::storefront::{Slot, Storefront, Visitor};
use bytes::{Bytes, BytesMut};

/// A page in pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(Bytes),
    Slot(Slot),
}

/// How many slots of one page are filled; further ones keep their fallback.
const SLOTS_MAX: usize = 256;
const OPEN: &[u8] = b"<parlor-slot";
const CLOSE: &[u8] = b"</parlor-slot";
/// Elements whose content is text, whatever it looks like.
const RAW: [&[u8]; 8] = [b"script", b"style", b"textarea", b"title", b"xmp", b"iframe", b"noembed", b"noframes"];

/// The page's pieces; `None` when it has no slots.
pub fn read(page: &Bytes) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut kept = 0; // Everything before it is in `pieces`.
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &page[at..]) {
        at += found;
        let rest = &page[at..];
        if rest.starts_with(b"<!--") {
            at += 4 + end_of_comment(&rest[4..]);
        } else if let Some(raw) = RAW.iter().find(|name| opens(rest, name)) {
            let Some(inside) = end_of_tag(rest) else { break };
            at += inside + end_of_raw(&rest[inside..], raw);
        } else if starts_with_name(rest, OPEN) {
            let Some(inside) = end_of_tag(rest) else { break };
            let Some((close, after)) = closing(&page[at + inside..]) else { break };
            let slot = slot(&rest[OPEN.len()..inside - 1], page.slice(at + inside..at + inside + close));
            if let Some(slot) = slot.filter(|_| pieces.len() / 2 < SLOTS_MAX) {
                pieces.push(Piece::Text(page.slice(kept..at)));
                pieces.push(Piece::Slot(slot));
                kept = at + inside + after;
            }
            at += inside + after;
        } else if rest.get(1).is_some_and(|next| next.is_ascii_alphabetic() || *next == b'/') {
            // An attribute may hold anything in its quotes, a `<parlor-slot` too.
            let Some(after) = end_of_tag(rest) else { break };
            at += after;
        } else {
            at += 1;
        }
    }
    if pieces.is_empty() {
        return None;
    }
    pieces.push(Piece::Text(page.slice(kept..)));
    Some(pieces)
}

/// The page for this visitor, and whether any slot was filled from what the shop knows.
pub fn fill(pieces: &[Piece], shop: &dyn Storefront, visitor: &Visitor, size: usize) -> Bytes {
    let mut page = BytesMut::with_capacity(size + 256);
    for piece in pieces {
        match piece {
            Piece::Text(text) => page.extend_from_slice(text),
            Piece::Slot(slot) => match shop.fill(visitor, slot) {
                Some(filled) => page.extend_from_slice(&filled),
                None => page.extend_from_slice(&slot.fallback),
            },
        }
    }
    page.freeze()
}

fn starts_with_name(rest: &[u8], name: &[u8]) -> bool {
    rest.len() > name.len()
        && rest[..name.len()].eq_ignore_ascii_case(name)
        && (rest[name.len()].is_ascii_whitespace() || matches!(rest[name.len()], b'>' | b'/'))
}

fn opens(rest: &[u8], element: &[u8]) -> bool {
    rest.len() > element.len() + 1
        && rest[1..=element.len()].eq_ignore_ascii_case(element)
        && (rest[element.len() + 1].is_ascii_whitespace() || matches!(rest[element.len() + 1], b'>' | b'/'))
}

fn end_of_comment(inside: &[u8]) -> usize {
    // `<!-->` and `<!--->` are whole comments.
    if inside.starts_with(b">") {
        return 1;
    }
    if inside.starts_with(b"->") {
        return 2;
    }
    let plain = memchr::memmem::find(inside, b"-->").map(|at| at + 3);
    let odd = memchr::memmem::find(inside, b"--!>").map(|at| at + 4);
    plain.into_iter().chain(odd).min().unwrap_or(inside.len())
}

/// Where the tag that begins here ends: after its `>` outside quotes.
fn end_of_tag(tag: &[u8]) -> Option<usize> {
    let mut quote = None;
    let mut before = 0;
    for (at, byte) in tag.iter().enumerate() {
        match (quote, *byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            // A quote opens a value only right after `=`; elsewhere it is part of a name.
            (None, quoted @ (b'"' | b'\'')) if before == b'=' => quote = Some(quoted),
            (None, b'>') => return Some(at + 1),
            (None, _) => {}
        }
        if !byte.is_ascii_whitespace() {
            before = *byte;
        }
    }
    None
}

fn end_of_raw(inside: &[u8], element: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = memchr::memmem::find(&inside[at..], b"</") {
        at += found;
        let rest = &inside[at + 1..]; // At the slash, so that `opens` sees `/name`.
        if opens(rest, element) {
            return at;
        }
        at += 2;
    }
    inside.len()
}

/// Where a slot's fallback ends, and where its closing tag ends. A slot inside a slot is none.
fn closing(inside: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &inside[at..]) {
        at += found;
        let rest = &inside[at..];
        if starts_with_name(rest, CLOSE) {
            return Some((at, at + end_of_tag(rest)?));
        }
        if starts_with_name(rest, OPEN) {
            return None;
        }
        at += 1;
    }
    None
}

/// The slot that these attributes describe; without a name there is none.
fn slot(attributes: &[u8], fallback: Bytes) -> Option<Slot> {
    let text = std::str::from_utf8(attributes).ok()?;
    let mut name: Option<Box<str>> = None;
    let (mut row, mut field) = (None, None);
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|it: char| it == '=' || it.is_whitespace()).unwrap_or(rest.len());
        let attribute = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start();
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            (value, rest) = match after.chars().next() {
                Some(quote @ ('"' | '\'')) => after[1..].split_once(quote)?,
                _ => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
            };
            rest = rest.trim_start();
        } else if end == 0 {
            return None;
        }
        let place = match attribute.as_str() {
            "name" => &mut name,
            "row" => &mut row,
            "field" => &mut field,
            _ => continue,
        };
        // Of two attributes with one name HTML takes the first.
        place.get_or_insert(value.into());
    }
    Some(Slot { name: name.filter(|it| !it.is_empty())?, row, field, fallback })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(page: &str) -> String {
        let Some(pieces) = read(&Bytes::copy_from_slice(page.as_bytes())) else { return "-".to_owned() };
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => String::from_utf8_lossy(text).into_owned(),
            Piece::Slot(slot) => {
                let part = |it: &Option<Box<str>>| it.as_deref().map(|it| format!(" {it}")).unwrap_or_default();
                format!("[{}{}{}|{}]", slot.name, part(&slot.row), part(&slot.field), String::from_utf8_lossy(&slot.fallback))
            }
        };
        pieces.iter().map(piece).collect()
    }

    #[test]
    fn slots_are_found_where_a_browser_would_see_an_element() {
        let table = [
            ("<p>no slots</p>", "-"),
            (r#"a<parlor-slot name="cart-count">0</parlor-slot>b"#, "a[cart-count|0]b"),
            (r#"<PARLOR-SLOT NAME='row' row=237 field="price">?</Parlor-Slot >"#, "[row 237 price|?]"),
            (r#"<parlor-slot name="a"></parlor-slot><parlor-slot name=b>x</parlor-slot>"#, "[a|][b|x]"),
            (r#"<parlor-slot name="v"><ul><li>none</li></ul></parlor-slot>."#, "[v|<ul><li>none</li></ul>]."),
            (r#"<parlor-slot name="a>b">x</parlor-slot>"#, "[a>b|x]"),
            (r#"<parlor-slot name="a" name="b">x</parlor-slot>"#, "[a|x]"),
            (r#"<!-- <parlor-slot name="a">x</parlor-slot> -->"#, "-"),
            (r#"<!--><parlor-slot name="a">x</parlor-slot>"#, "<!-->[a|x]"),
            (r#"<script>"<parlor-slot name='a'>x</parlor-slot>"</script>"#, "-"),
            (r#"<script>1</script ><parlor-slot name="a">x</parlor-slot>"#, "<script>1</script >[a|x]"),
            (r#"<scripts><parlor-slot name="a">x</parlor-slot>"#, "<scripts>[a|x]"),
            (r#"<style><parlor-slot name="a">x</parlor-slot></style>"#, "-"),
            (r#"<textarea><parlor-slot name="a">x</parlor-slot></textarea>"#, "-"),
            (r#"<a title="<parlor-slot name='a'>x</parlor-slot>">"#, "-"),
            (r#"<parlor-slots name="a">x</parlor-slots>"#, "-"),
            (r#"<parlor-slot>x</parlor-slot>"#, "-"),
            (r#"<parlor-slot name="a">never closed"#, "-"),
            (r#"<parlor-slot name="a"#, "-"),
            ("1 < 2 <parlor-slot name=a>x</parlor-slot>", "1 < 2 [a|x]"),
            ("<", "-"),
            ("<parlor-slot name=\"a\"><parlor-slot name=\"b\">x</parlor-slot></parlor-slot>", "-"),
        ];
        for (page, wanted) in table {
            assert_eq!(shown(page), wanted, "{page}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_of_a_page_is_lost(page in r#"(<parlor-slot name="a">|</parlor-slot>|<!--|-->|<script>|</script>|["'<>=/a -]){0,40}"#) {
            let page = Bytes::from(page);
            if let Some(pieces) = read(&page) {
                let nobody = fill(&pieces, &crate::storefront::NoShop, &Visitor::default(), page.len());
                let plain = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(r#"<parlor-slot name="a">"#, "").replace("</parlor-slot>", "");
                proptest::prop_assert_eq!(plain(&nobody), plain(&page));
            }
        }
    }
}
