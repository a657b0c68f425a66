// The kit must stay small enough to be no reason against it: what a page downloads for all of an entry, as a bundler makes it.

import { gzipSync } from "node:zlib";
import { build } from "vite";

const CORE_BYTES_MAX = 12_000;

/** The bytes, gzipped, of a page that imports everything of these entries. */
async function size(...entries) {
  const page = entries.map((entry) => `export * from "./src/${entry}.ts";`).join("\n");
  const built = await build({
    configFile: false,
    logLevel: "error",
    plugins: [{
      name: "page",
      resolveId: (id) => (id === "page.js" ? new URL("page.js", import.meta.url).pathname : null),
      load: (id) => (id.endsWith("/page.js") ? page : null),
    }],
    build: { write: false, minify: true, modulePreload: false, rollupOptions: { input: "page.js", preserveEntrySignatures: "strict" } },
  });
  const code = (Array.isArray(built) ? built : [built]).flatMap(({ output }) => output).map(({ code }) => code).join("");
  return gzipSync(code).length;
}

const core = await size("index");
const tables = (await size("index", "poker")) - core;
console.log(`parlor-sdk: ${core} bytes gzipped, at most ${CORE_BYTES_MAX}; parlor-sdk/poker adds ${tables}`);
if (core > CORE_BYTES_MAX) process.exit(1);
