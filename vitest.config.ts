import { configDefaults, defineConfig } from "vitest/config";

const PROGRAM_TESTS = "{cli,conformance,examples,nats-server}/test/**/*.test.ts";
const UNIT_TESTS = ["*/test/**/*.test.ts", "plugins/*/test/**/*.test.ts"];
const SLOW_TESTS = "**/*.slow.test.ts";
const NOT_SLOW = [...configDefaults.exclude, SLOW_TESTS];

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
          include: UNIT_TESTS,
          exclude: [...NOT_SLOW, PROGRAM_TESTS],
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "programs", include: [PROGRAM_TESTS], exclude: NOT_SLOW, sequence: { groupOrder: 2 } },
      },
      {
        // Crash and chaos tests load both cores, which would slow the others down: they come last.
        extends: true,
        test: { name: "slow", include: [SLOW_TESTS], testTimeout: 900_000, sequence: { groupOrder: 3 } },
      },
    ],
  },
});
