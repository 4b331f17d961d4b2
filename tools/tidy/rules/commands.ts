import type { Finding } from "../syntax.js";

/** How anyone tests a fresh clone. */
export const TEST_COMMAND = "npm ci && npm test";

const FIRST_SCREEN_LINES = 60;

/** README tells on its first screen how to run the tests, and CI runs exactly that after the other checks, then what takes long. */
export function checkCommands(readme: string, ciScript: string): Finding[] {
  const shown = readme.split("\n").slice(0, FIRST_SCREEN_LINES);
  const run = ciScript.split("\n").filter((line) => line.startsWith("npm "));
  const expected = ["npm ci", "npm run check", "npm test", "npm run test:all"];
  return [
    ...(shown.includes(TEST_COMMAND) ? [] : [`README.md: no line "${TEST_COMMAND}" on the first screen`]),
    ...(run.join() === expected.join()
      ? []
      : [`.ci/run: runs ${run.join(", ")}; expected ${expected.join(", ")}`]),
  ];
}
