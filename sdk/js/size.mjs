// The kit must stay small enough to be no reason against it.

import { gzipSync } from "node:zlib";
import { build } from "vite";

const LIMIT_BYTES = 12 * 1024;

const built = await build({
  configFile: false,
  logLevel: "error",
  build: { write: false, minify: true, lib: { entry: "src/index.ts", formats: ["es"] } },
});
const code = (Array.isArray(built) ? built : [built]).flatMap(({ output }) => output).map(({ code }) => code).join("");
const bytes = gzipSync(code).length;
console.log(`parlor-sdk: ${bytes} bytes gzipped, at most ${LIMIT_BYTES}`);
if (bytes > LIMIT_BYTES) process.exit(1);
