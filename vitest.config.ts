import { configDefaults, defineConfig } from "vitest/config";

const TESTS = [
  "*/test/**/*.test.ts",
  "{plugins/*,integrations/*,tools/*,gateway/*,conformance/mutants}/test/**/*.test.ts",
];
const SLOW_TESTS = "**/*.slow.test.ts";

/** Tests that need a separate process, because they change global state such as the clock, or replace a module. */
const SEPARATE_PROCESS_TESTS = "**/*.alone.test.ts";

/** Test suites of other projects, which need `describe` and `it` as globals. */
const FOREIGN_SUITES = "**/*.suite.test.ts";

/** Most test files share processes, because loading the packages takes longer than most tests. */
export default defineConfig({
  resolve: { conditions: ["membus-source"] },
  ssr: { resolve: { conditions: ["membus-source"] } },
  test: {
    pool: "forks",
    maxWorkers: 2,
    // Stops tests that hang. Every fast test takes a small part of this time on an idle machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A condition that is awaited comes true within milliseconds, on a busy machine within seconds.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "tidy",
          include: ["tools/tidy/**/*.test.ts"],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "shared",
          include: TESTS,
          exclude: [...configDefaults.exclude, SLOW_TESTS, SEPARATE_PROCESS_TESTS, FOREIGN_SUITES],
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "alone", include: [SEPARATE_PROCESS_TESTS], sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: { name: "suites", include: [FOREIGN_SUITES], globals: true, sequence: { groupOrder: 2 } },
      },
      {
        // Crash and chaos tests run last, because they use all cores and would slow down the other tests. They often
        // wait for other processes, so there are more of them than cores.
        extends: true,
        test: {
          name: "slow",
          include: [SLOW_TESTS],
          testTimeout: 900_000,
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
