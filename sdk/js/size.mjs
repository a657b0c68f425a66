// The kit must stay small enough to be no reason against it: what a page downloads for `connect` and spaces, as a bundler
// makes it. Tables (`poker`) come on top only where they are used.

import { gzipSync } from "node:zlib";
import { build } from "vite";

const CORE_BYTES_MAX = 12_000;

/** The bytes, gzipped, of a page that imports these. */
async function size(names) {
  const page = `export { ${names} } from "./src/index.ts";`;
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

const core = await size("connect, ParlorError");
const whole = await size("connect, ParlorError, Client, Room, poker");
console.log(`parlor-sdk: ${core} bytes gzipped, at most ${CORE_BYTES_MAX}; with tables ${whole}`);
if (core > CORE_BYTES_MAX) process.exit(1);
