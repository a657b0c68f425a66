import { expect, test } from "vitest";
import { dice } from "../src/reels/setup/dice.js";
import { repaired } from "../src/reels/setup/mojibake.js";
import { folded, likeness, nameOf, tidy } from "../src/reels/setup/names.js";

/** As the export writes it: each byte a letter. */
const broken = (text: string) => Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");

test.each(["Zoé", "Łukasz", "健太", "ひなた", "Ana", "👩‍👩‍👧 family", "naïve – “quoted”", "Ωμέγα", "", "\u0000é"])("%j is read back from what the export makes of it", (text) => {
  expect(repaired(broken(text))).toBe(text);
});

test("the export's own escapes", () => {
  expect(repaired(JSON.parse('"Ren\\u00c3\\u00a9e \\u00f0\\u009f\\u0098\\u0082"') as string)).toBe("Renée 😂");
});

test.each(["Zoé", "Müller", "健太", "Renée 😂", "Ã", "50 £", "Ana"])("%j, which is not broken, stays as it is", (text) => {
  expect(repaired(text)).toBe(text);
});

test("any text survives, over many of them", () => {
  for (let seed = 0; seed < 200; seed++) {
    const chance = dice(`mojibake ${seed}`);
    const text = String.fromCodePoint(...Array.from({ length: 1 + chance.roll(20) }, () => [0x20 + chance.roll(0x60), 0x80 + chance.roll(0x700), 0x3000 + chance.roll(0x5000), 0x1f300 + chance.roll(0x300)][chance.roll(4)]!));
    expect(repaired(broken(text)), `seed ${seed}`).toBe(text);
  }
});

test.each([
  ["Camille", "camille"], ["Camille", "@camille"], ["Camille Roux", "camille_roux"], ["Camille Roux", "Camille.Roux"], ["camille-roux", "CAMILLE ROUX"],
  ["  Camille  Roux ", "camille roux"], ["Zoe\u0301", "Zoé"], ["ＡＮＡ", "ana"], ["Straße", "STRASSE"], ["ΟΔΟΣ", "οδος"], ["Ana\u200b", "Ana"], ["_._ana_._", "ana"],
])("%j and %j are one person", (one, other) => expect(likeness(one)).toBe(likeness(other)));

test.each([["Camille", "Camilla"], ["Zoé", "Zoe"], ["Ana 1", "Ana 2"], ["Ana B", "Ana"], ["健太", "健"], ["@", "_"], ["...", "-"]])("%j and %j are two people", (one, other) => {
  expect(likeness(one)).not.toBe(likeness(other));
});

test("a name is shown as the server takes it", () => {
  expect(nameOf("  Ana \n Maria\t")).toBe("Ana Maria");
  expect(nameOf("a\u202egnp.exe\u0000")).toBe("agnp.exe");
  expect(nameOf("Zoe\u0301")).toBe("Zoé");
  expect([...nameOf("x".repeat(60))]).toHaveLength(40);
  expect(nameOf(`${"x".repeat(38)}👩‍👩‍👧`)).toBe("x".repeat(38));
  expect([tidy("\u200b\u200d "), tidy("\ud800"), tidy("")]).toEqual(["", "", ""]);
  expect(folded("ANA  Maria")).toBe(folded("ana maria"));
  expect(folded("ana_maria")).not.toBe(folded("ana maria"));
});
