import type { Finding } from "../syntax.js";

/** Tests a fresh clone. */
export const TEST_COMMAND = "npm ci && npm test";

const FIRST_SCREEN_LINES = 60;

/** README shows the test command on its first screen. CI runs the checks, this command, then only the slow tests, and packs the packages. */
export function checkCommands(readme: string, ciScript: string): Finding[] {
  const shown = readme.split("\n").slice(0, FIRST_SCREEN_LINES);
  const run = ciScript.split("\n").filter((line) => line.startsWith("npm "));
  const expected = ["npm ci", "npm run check", "npm run publish:dry-run", "npm test", "npm run test:slow"];
  return [
    ...(shown.includes(TEST_COMMAND) ? [] : [`README.md: no line "${TEST_COMMAND}" on the first screen`]),
    ...(run.join() === expected.join()
      ? []
      : [`.ci/run: runs ${run.join(", ")}; expected ${expected.join(", ")}`]),
  ];
}
