import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./tools/tidy/longest-first.js";

const SLOW_TESTS = "**/*.slow.test.ts";
/**
 * Packages with small tests that leave no global state. Their test files share processes, which saves loading
 * time. With the tests of all packages a shared process grows to 3 GB, and the run takes longer.
 */
const SHARED_PROCESS_PACKAGES =
  "{protocol,bus,openai-client,host,agent-client,plugins/disk,plugins/kit,plugins/lru,plugins/embeddings}";

/** Tests of pages in a browser. A browser uses several processes, so few of these run at the same time. */
const BROWSER_TESTS = "gateway/inspector/test/**/*.slow.test.ts";

/** Stops slow tests that hang. A condition may take minutes while several hosts start beside the test. */
const SLOW_LIMITS = {
  testTimeout: 900_000,
  hookTimeout: 900_000,
  expect: { poll: { timeout: 300_000 } },
};

/** Tests that need a separate process, because they change global state such as the clock, or replace a module. */
const SEPARATE_PROCESS_TESTS = "**/*.alone.test.ts";

/** Test suites of other projects, which need `describe` and `it` as globals. */
const FOREIGN_SUITES = "**/*.suite.test.ts";

/** Runs the test files of all other packages in separate processes. */
export default defineConfig({
  resolve: { conditions: ["membus-source"] },
  ssr: { resolve: { conditions: ["membus-source"] } },
  test: {
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
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
          name: "unit",
          include: [`${SHARED_PROCESS_PACKAGES}/test/**/*.test.ts`],
          exclude: [...configDefaults.exclude, SLOW_TESTS, SEPARATE_PROCESS_TESTS],
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "system",
          include: [
            "*/test/**/*.test.ts",
            "{plugins/*,integrations/*,tools/*,gateway/*,conformance/mutants}/test/**/*.test.ts",
          ],
          exclude: [
            ...configDefaults.exclude,
            SLOW_TESTS,
            FOREIGN_SUITES,
            `${SHARED_PROCESS_PACKAGES}/**/!(*.alone).test.ts`,
          ],
          sequence: { groupOrder: 2 },
        },
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
          exclude: [...configDefaults.exclude, BROWSER_TESTS],
          ...SLOW_LIMITS,
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: [BROWSER_TESTS],
          ...SLOW_LIMITS,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
