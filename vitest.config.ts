import { configDefaults, defineConfig } from "vitest/config";

const TESTS = ["*/test/**/*.test.ts", "plugins/*/test/**/*.test.ts"];
const SLOW_TESTS = "**/*.slow.test.ts";

/** Each file has a process of its own, except where nothing is kept from one to the next. */
export default defineConfig({
  resolve: { conditions: ["membus-source"] },
  ssr: { resolve: { conditions: ["membus-source"] } },
  test: {
    pool: "forks",
    maxWorkers: 2,
    // Against tests that hang: many times what any takes on an idle machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        test: { name: "tidy", include: ["tidy/**/*.test.ts"], isolate: false, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: "unit",
          include: TESTS,
          exclude: [...configDefaults.exclude, SLOW_TESTS],
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Crash and chaos tests load both cores, which would slow the others down: they come last.
        extends: true,
        test: { name: "slow", include: [SLOW_TESTS], testTimeout: 900_000, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
