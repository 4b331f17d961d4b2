import { spawnSync } from "node:child_process";
import { ROOT } from "./root.js";

/** Programs that write generated files. With --check they report stale files instead. */
const GENERATORS = [
  "protocol/generate/main.ts",
  "conformance/generate/main.ts",
  "plugins/kit/generate/main.ts",
  "python/generate/main.ts",
  "docs/generate/main.ts",
];

const failed = GENERATORS.filter((path) => {
  const args = ["--conditions", "membus-source", "--import", "tsx", path, ...process.argv.slice(2)];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" }).status !== 0;
});
process.exitCode = failed.length === 0 ? 0 : 1;
