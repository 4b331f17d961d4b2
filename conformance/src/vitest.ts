import { type Baseline, checkBaseline } from "./catalogue/baseline.js";
import type { Check } from "./catalogue/check.js";
import { CHECKS } from "./checks/index.js";
import type { PluginUnderTest } from "./plugin-route/plugin-under-test.js";
import { createPluginWorld } from "./plugin-route/plugin-world.js";
import { failureText } from "./report/failure-text.js";
import { furtherSuiteText } from "./report/further-suites-text.js";
import { SUITE_VERSION } from "./report/suite-report.js";
import { type CheckResult, isRed } from "./run/outcome.js";
import { LIMITS_MAX } from "./run/run-case.js";
import { runSuite } from "./run/run-suite.js";
import type { World } from "./world.js";

/**
 * Parts of vitest that the suite uses. The test file passes them in, so the suite does not depend on vitest.
 */
export interface TestFramework {
  describe(title: string, body: () => void): unknown;
  it(title: string, body: (context: TestContext) => Promise<void>, timeoutMs: number): unknown;
}

export interface TestContext {
  /** Ends the test as skipped by throwing. */
  skip(note: string): unknown;
}

export interface ConformanceTestOptions {
  /**
   * Seed of the random values of checks.
   * @default 1
   */
  readonly seed?: number;
  /**
   * Time in which a check or one of its calls must end, in milliseconds. A check takes at most ten times as long.
   * @default 30000
   */
  readonly checkTimeoutMs?: number;
  /** Checks that are known to fail, each with the reason. They are skipped, and fail once they pass. */
  readonly baseline?: Readonly<Record<string, string>>;
}

export const CONFORMANCE_TEST_DEFAULTS = Object.freeze({ seed: 1, checkTimeoutMs: 30_000 });

/** Title of the test that is skipped with the names of the suites for parts of the plugin. */
const FURTHER_SUITES_TEST = "further suites";

/** Additional time for opening the plugin. */
const MARGIN_MS = 30_000;

/**
 * Registers one test for each plugin check. Red checks fail with all details that are needed to fix them.
 *
 * Checks that do not apply are skipped with the reason. The title contains the number of checks. The last test
 * is skipped with the names of further suites, if the plugin names any, such as the one for storages of the kit.
 * @throws {UsageError} for a baseline with an unknown id or without a reason.
 */
export function registerConformance(
  { describe, it }: TestFramework,
  implementation: PluginUnderTest,
  options: ConformanceTestOptions = {},
): void {
  const { seed, checkTimeoutMs } = { ...CONFORMANCE_TEST_DEFAULTS, ...options };
  const baseline = checkBaseline(
    options.baseline ?? {},
    CHECKS.map(({ id }) => id),
  );
  const checks = CHECKS.filter(({ routes }) => routes.includes("plugin"));
  let world: Promise<World> | undefined;
  const run = async (check: Check): Promise<CheckResult> => {
    world ??= createPluginWorld(implementation);
    const rerun = (id: string) => `npx vitest run -t "${id}"`;
    const results = await runSuite([check], await world, { seed, checkTimeoutMs, rerun });
    return results[0]!;
  };
  describe(`${implementation.name}: membus conformance ${SUITE_VERSION}, ${checks.length} checks`, () => {
    for (const check of checks) {
      it(
        check.id,
        async (context) => settle({ ...(await run(check)), seed }, baseline, context),
        LIMITS_MAX * checkTimeoutMs + MARGIN_MS,
      );
    }
    it(
      FURTHER_SUITES_TEST,
      async (context) => {
        world ??= createPluginWorld(implementation);
        const { furtherSuites = [] } = await world;
        if (furtherSuites.length > 0)
          context.skip(`run them too: ${furtherSuites.map(furtherSuiteText).join(", ")}`);
      },
      MARGIN_MS,
    );
  });
}

function settle(
  result: CheckResult & { readonly seed: number },
  baseline: Baseline,
  context: TestContext,
): void {
  const known = baseline.get(result.id);
  if (isRed(result.outcome)) {
    if (known === undefined) throw new ConformanceError(failureText(result));
    context.skip(`known: ${known}`);
  } else if (known !== undefined) {
    throw new ConformanceError(`${result.id} is not red: remove it from the baseline (${known})`);
  } else if (result.outcome === "not-applicable") {
    context.skip(result.cases[0]?.reason ?? "not applicable");
  }
}

/** Error without a useful stack, because the stack would only show the suite. */
class ConformanceError extends Error {
  override readonly name = "ConformanceError";

  constructor(text: string) {
    super(text);
    this.stack = text;
  }
}
