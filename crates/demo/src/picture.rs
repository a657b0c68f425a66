//! Pictures of products, drawn from their numbers: a dark hill, a sky of the product's own colour, and something in the light.

use std::fmt::Write;

/// A picture as an inline SVG; the same number gives the same picture.
pub(crate) fn picture(id: i64, name: &str) -> String {
    let mut dice = Dice(id as u64);
    let hue = dice.below(360);
    let (moon_x, moon_y, moon_r) = (30 + dice.below(140), 25 + dice.below(35), 8 + dice.below(14));
    let mut svg = format!(
        "<svg class=\"picture\" viewBox=\"0 0 200 150\" role=\"img\" aria-label=\"{}\">\
         <rect width=\"200\" height=\"150\" fill=\"hsl({hue} 45% 24%)\"/>\
         <circle cx=\"{moon_x}\" cy=\"{moon_y}\" r=\"{moon_r}\" fill=\"hsl({} 70% 88%)\"/>",
        crate::page::escape(name),
        (hue + 40) % 360
    );
    for _ in 0..8 + dice.below(10) {
        let (x, y, r) = (dice.below(200), dice.below(90), 1 + dice.below(2));
        // Writing to a String cannot fail, here and below.
        let _ = write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"#fff\" opacity=\".{}\"/>", 3 + dice.below(6));
    }
    let (left, top, right) = (90 + dice.below(30), 70 + dice.below(30), 90 + dice.below(30));
    let _ = write!(svg, "<path d=\"M0 {left} Q100 {top} 200 {right} V150 H0Z\" fill=\"hsl({hue} 40% 14%)\"/>");
    let x = 60 + dice.below(80);
    let light = format!("hsl({} 85% 66%)", 35 + dice.below(20));
    let _ = write!(svg, "<circle cx=\"{x}\" cy=\"104\" r=\"26\" fill=\"{light}\" opacity=\".25\"/>");
    let thing = match dice.below(4) {
        0 => format!("<rect x=\"{}\" y=\"88\" width=\"20\" height=\"30\" rx=\"6\" fill=\"{light}\"/>", x - 10),
        1 => format!("<circle cx=\"{x}\" cy=\"104\" r=\"14\" fill=\"{light}\"/>"),
        2 => format!("<path d=\"M{} 118 L{x} 86 L{} 118Z\" fill=\"{light}\"/>", x - 16, x + 16),
        _ => format!("<ellipse cx=\"{x}\" cy=\"106\" rx=\"18\" ry=\"11\" fill=\"{light}\"/>"),
    };
    svg + &thing + "</svg>"
}

/// SplitMix64: the same number, the same falls.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
