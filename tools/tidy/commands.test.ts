import { expect, it } from "vitest";
import { readText } from "./repository.js";
import { checkCommands, TEST_COMMAND } from "./rules/commands.js";

const README = `# membus\n\n\`\`\`sh\n${TEST_COMMAND}\n\`\`\`\n`;
const SCRIPT =
  "#!/usr/bin/env bash\nnpm ci\nnpm run check\nnpm run publish:dry-run\nnpm test\nnpm run test:slow\n";

it("README and CI run the same commands", () => {
  expect(checkCommands(readText("README.md"), readText(".ci/run"))).toEqual([]);
});

it("finds a README without the test command on its first screen, and a CI script with other commands", () => {
  expect(checkCommands(README, SCRIPT)).toEqual([]);
  expect(checkCommands("\n".repeat(60) + README, SCRIPT)).toEqual([
    'README.md: the first 60 lines must contain the line "npm ci && npm test"',
  ]);
  expect(checkCommands(README, SCRIPT.replace("npm test", "npm test || true"))).toEqual([
    ".ci/run: runs npm ci, npm run check, npm run publish:dry-run, npm test || true, npm run test:slow; expected npm ci, npm run check, npm run publish:dry-run, npm test, npm run test:slow",
  ]);
  expect(checkCommands(README, SCRIPT.replace("npm run test:slow\n", ""))).toEqual([
    ".ci/run: runs npm ci, npm run check, npm run publish:dry-run, npm test; expected npm ci, npm run check, npm run publish:dry-run, npm test, npm run test:slow",
  ]);
});
