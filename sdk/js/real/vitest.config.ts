import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["real/*.real.ts"], testTimeout: 20_000, hookTimeout: 60_000 } });
