import { defineConfig } from "vitest/config";

const project = (name: string, include: string[]) => ({
  extends: true as const,
  test: { name, include },
});

export default defineConfig({
  resolve: { conditions: ["membus-source"] },
  ssr: { resolve: { conditions: ["membus-source"] } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    projects: [
      project("tidy", ["tidy/**/*.test.ts"]),
      project("unit", ["*/test/**/*.test.ts", "plugins/*/test/**/*.test.ts"]),
    ],
  },
});
