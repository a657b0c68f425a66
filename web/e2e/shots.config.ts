import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  test: { include: ["shots.ts", "playground-shots.ts", "reels-shots.ts", "shop-shots.ts"], testTimeout: 180_000, hookTimeout: 90_000 },
});
