import { svelte } from "@sveltejs/vite-plugin-svelte";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// While developing, a running server answers everything that is not a page of ours.
const server = process.env["PARLOR_SERVER"] ?? "http://127.0.0.1:7007";
const proxy = { "/v1": { target: server, ws: true }, "/openapi.json": server, "/healthz": server };

const sdk = (entry: string) => fileURLToPath(new URL(`../sdk/js/src/${entry}.ts`, import.meta.url));

export default defineConfig({
  plugins: [svelte()],
  // More particular names come first: an alias is also taken for the beginning of a longer one.
  resolve: { alias: { "parlor-sdk/poker": sdk("poker"), "parlor-sdk/reels": sdk("reels"), "parlor-sdk/svelte": sdk("svelte"), "parlor-sdk": sdk("index") } },
  server: { proxy },
  preview: { proxy },
  build: {
    target: ["chrome123", "safari17.5", "firefox125"],
    modulePreload: { polyfill: false },
    // Everything small would become a data: address, which the content security policy refuses for scripts.
    assetsInlineLimit: 0,
  },
});
