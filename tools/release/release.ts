import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { releasedChangelog } from "./changelog.js";
import { nextVersion } from "./next-version.js";
import { readJson, setVersion } from "./set-version.js";

/**
 * Sets the version of everything that is published, and the heading of CHANGELOG.md. Returns the steps that remain.
 * @param asked a version, or `major`, `minor` or `patch`.
 * @param date the date of the release, such as `2027-01-31`.
 * @throws {Error} if files differ from the last commit, so that the release contains only committed work.
 */
export function release(root: string, asked: string | undefined, date: string): string {
  const from = readJson<{ version: string }>(root, "package.json").version;
  const to = nextVersion(from, asked);
  const changelog = join(root, "CHANGELOG.md");
  const released = releasedChangelog(readFileSync(changelog, "utf8"), to, date);
  requireCleanTree(root);
  setVersion({ root, from, to });
  writeFileSync(changelog, released);
  return [
    `all packages have version ${to}. Next:`,
    "  npm run check && npm test",
    `  git commit --all --message "chore: release ${to}"`,
    `  git tag v${to} && git push origin HEAD v${to}`,
    "The tag starts .github/workflows/publish.yml.",
  ].join("\n");
}

function requireCleanTree(root: string): void {
  const { stdout, stderr, status } = spawnSync("git", ["status", "--porcelain"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git status failed: ${stderr.trim()}`);
  if (stdout !== "") throw new Error(`commit or remove these changes first:\n${stdout.trimEnd()}`);
}
