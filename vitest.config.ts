import { configDefaults, defineConfig } from "vitest/config";

const SLOW_TESTS = "**/*.slow.test.ts";
/** Packages whose tests keep nothing from one file to the next, so that a process that has loaded them runs many. */
const SHARING = "{protocol,bus,host,agent-client,plugins/disk,plugins/kit,plugins/lru,plugins/embeddings}";

/** Of these, tests that leave something behind, such as a clock that is ahead. */
const ALONE = "**/*.alone.test.ts";

/** Suites of other people that find `describe` and `it` as globals. */
const FOREIGN_SUITES = "**/*.suite.test.ts";

/** Each file of the others has a process of its own. */
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
          include: [`${SHARING}/test/**/*.test.ts`],
          exclude: [...configDefaults.exclude, SLOW_TESTS, ALONE],
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
            `${SHARING}/**/!(*.alone).test.ts`,
          ],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { name: "suites", include: [FOREIGN_SUITES], globals: true, sequence: { groupOrder: 2 } },
      },
      {
        // Crash and chaos tests load both cores, which would slow the others down: they come last.
        extends: true,
        test: { name: "slow", include: [SLOW_TESTS], testTimeout: 900_000, sequence: { groupOrder: 3 } },
      },
    ],
  },
});
