import type { Finding } from "../syntax.js";

/** Installs and tests a fresh clone. */
export const TEST_COMMAND = "npm ci && npm test";

const FIRST_SCREEN_LINES = 60;

/**
 * Checks that README shows the test command on its first screen. Also checks that CI runs the checks, packs the
 * packages, and runs this command and then the slow tests.
 */
export function checkCommands(readme: string, ciScript: string): Finding[] {
  const shown = readme.split("\n").slice(0, FIRST_SCREEN_LINES);
  const run = ciScript.split("\n").filter((line) => line.startsWith("npm "));
  const expected = ["npm ci", "npm run check", "npm run publish:dry-run", "npm test", "npm run test:slow"];
  return [
    ...(shown.includes(TEST_COMMAND)
      ? []
      : [`README.md: the first ${FIRST_SCREEN_LINES} lines must contain the line "${TEST_COMMAND}"`]),
    ...(run.join() === expected.join()
      ? []
      : [`.ci/run: runs ${run.join(", ")}; expected ${expected.join(", ")}`]),
  ];
}
