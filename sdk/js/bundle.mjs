// The shop's helper as one file that a page loads without a build: parlor-shop.js, into the folder that is given.

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const [folder = "dist"] = process.argv.slice(2);
const built = await build({
  configFile: false,
  logLevel: "error",
  build: {
    write: false,
    minify: true,
    target: "es2022",
    modulePreload: false,
    rollupOptions: { input: fileURLToPath(new URL("src/shop-page.ts", import.meta.url)), preserveEntrySignatures: "strict" },
  },
});
const output = (Array.isArray(built) ? built : [built]).flatMap(({ output }) => output);
if (output.length !== 1) throw new Error(`one file was wanted, not ${output.map(({ fileName }) => fileName).join(", ")}`);
const path = resolve(folder, "parlor-shop.js");
writeFileSync(path, output[0].code);
console.log(`${path}: ${output[0].code.length} bytes`);
