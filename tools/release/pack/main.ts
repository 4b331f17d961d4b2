// Packs one file that a project installs before membus is on npm: `npm run pack -- --pack-destination FOLDER`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../../tidy/root.js";
import { stagePackage } from "./stage-package.js";

const { values } = parseArgs({ options: { "pack-destination": { type: "string", default: "." } } });
const destination = resolve(process.env.INIT_CWD ?? ".", values["pack-destination"]);
const folder = mkdtempSync(join(tmpdir(), "membus-pack-"));
try {
  stagePackage(ROOT, folder);
  const args = ["pack", "--silent", "--pack-destination", destination];
  const file = execFileSync("npm", args, { cwd: folder, encoding: "utf8" }).trim();
  console.log(join(destination, file));
} finally {
  rmSync(folder, { recursive: true });
}
