// Reports what a visitor downloads, and fails when the scripts outgrow their promise. What the page itself names comes with
// every first visit; everything else comes when it is asked for: the playground, each page of the party game, and the shop's back office.

import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const FIRST_SCRIPT_BYTES_MAX = 80 * 1024;
const LATER_SCRIPT_BYTES_MAX = 116 * 1024;

const dist = new URL("./dist/", import.meta.url);
const page = readFileSync(new URL("index.html", dist), "utf8");
const sizes = { first: { js: 0, css: 0 }, later: { js: 0, css: 0 } };
for (const name of readdirSync(new URL("assets/", dist))) {
  const kind = name.split(".").pop();
  const when = page.includes(name) ? sizes.first : sizes.later;
  if (kind in when) when[kind] += gzipSync(readFileSync(new URL(`assets/${name}`, dist))).length;
}
const { first, later } = sizes;
console.log(`pages: ${first.js} bytes of scripts and ${first.css} bytes of styles, gzipped; scripts at most ${FIRST_SCRIPT_BYTES_MAX}`);
console.log(`later: ${later.js} bytes of scripts and ${later.css} bytes of styles, gzipped; scripts at most ${LATER_SCRIPT_BYTES_MAX}`);
if (first.js > FIRST_SCRIPT_BYTES_MAX || later.js > LATER_SCRIPT_BYTES_MAX) process.exit(1);
