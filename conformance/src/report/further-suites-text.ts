import type { FurtherSuite } from "@membus/protocol/plugin";

/** Title of the suites that test parts of a plugin. */
export const FURTHER_SUITES_TITLE =
  "Further suites: run them too, because defects of these parts can be invisible in this suite";

/** Renders a suite: `npm-package/suite tests the part`. */
export function furtherSuiteText({ module, tests }: FurtherSuite): string {
  return `${module} tests ${tests}`;
}

/** Returns the addition to the verdict. "" if the plugin names no further suite. */
export function furtherSuitesAdvice(suites: readonly FurtherSuite[]): string {
  if (suites.length === 0) return "";
  return ` Also run ${suites.map(({ module }) => module).join(" and ")}, which this suite does not replace.`;
}
