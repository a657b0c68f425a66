// The kit must stay small enough to be no reason against it: what a page downloads for all of an entry, as a bundler makes it.

import { gzipSync } from "node:zlib";
import { build } from "vite";

const CORE_BYTES_MAX = 12_000;
/** A shop's page downloads this and nothing else of the kit. */
const SHOP_BYTES_MAX = 4_500;

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
const games = (await size("index", "reels")) - core;
const shop = await size("shop-page");
console.log(`parlor-sdk: ${core} bytes gzipped, at most ${CORE_BYTES_MAX}; parlor-sdk/poker adds ${tables}, parlor-sdk/reels ${games}`);
console.log(`parlor-sdk/shop, alone: ${shop} bytes gzipped, at most ${SHOP_BYTES_MAX}`);
if (core > CORE_BYTES_MAX || shop > SHOP_BYTES_MAX) process.exit(1);
