// Reports what a visitor downloads, and fails when the scripts outgrow their promise.

import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const SCRIPT_BYTES_MAX = 80 * 1024;

const folder = new URL("./dist/assets/", import.meta.url);
const sizes = { js: 0, css: 0 };
for (const name of readdirSync(folder)) {
  const kind = name.split(".").pop();
  if (kind in sizes) sizes[kind] += gzipSync(readFileSync(new URL(name, folder))).length;
}
console.log(`pages: ${sizes.js} bytes of scripts and ${sizes.css} bytes of styles, gzipped; scripts at most ${SCRIPT_BYTES_MAX}`);
if (sizes.js > SCRIPT_BYTES_MAX) process.exit(1);
