import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "../../tidy/root.js";
import { releasedChangelog } from "../changelog.js";
import { nextVersion } from "../next-version.js";
import { AGENT_PLUGINS, PLACES } from "../places.js";
import { release } from "../release.js";
import { filesBelow, readJson } from "../set-version.js";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const DATE = "2031-02-03";
const { version: CURRENT, workspaces: WORKSPACES = [] } = readJson<Manifest>(ROOT, "package.json");
const MANIFESTS = ["package.json", ...WORKSPACES.map((folder) => `${folder}/package.json`)];
const AGENT_PLUGIN_FILES = filesBelow(ROOT, AGENT_PLUGINS);
const FILES = [
  ...MANIFESTS,
  "package-lock.json",
  ...new Set(PLACES.map(({ path }) => path)),
  ...AGENT_PLUGIN_FILES,
];

describe("a release of a copied tree", () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "membus-release-"));
    for (const path of FILES) cpSync(join(ROOT, path), join(root, path));
    writeFileSync(join(root, "CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n\n- A change.\n");
    git("init", "--quiet");
    git("add", "--all");
    git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--message", "test");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function git(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  }

  it("gives all packages the version, also where they depend on each other", () => {
    expect(release(root, "97.8.9", DATE)).toContain("git tag v97.8.9");
    const manifests = MANIFESTS.map((path) => readJson<Manifest>(root, path));
    expect(new Set(manifests.map(({ version }) => version))).toEqual(new Set(["97.8.9"]));
    const names = new Set(manifests.map(({ name }) => name));
    const inner = manifests.flatMap(({ dependencies, devDependencies }) =>
      Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => names.has(name)),
    );
    expect(inner.length).toBeGreaterThan(50);
    expect(new Set(inner.map(([, version]) => version))).toEqual(new Set(["97.8.9"]));
    expect(readFileSync(join(root, "CHANGELOG.md"), "utf8")).toContain(
      `## [97.8.9] - ${DATE}\n\n- A change.`,
    );
    expect(readFileSync(join(root, "python/pyproject.toml"), "utf8")).toContain('\nversion = "97.8.9"');
    expect(readFileSync(join(root, "deploy/helm/membus/Chart.yaml"), "utf8")).toMatch(
      /^version: 97\.8\.9\nappVersion: 97\.8\.9$/m,
    );
  });

  it("changes only versions, so that npm accepts the lockfile and every place has the new version", () => {
    release(root, "97.8.9", DATE);
    const old = (text: string) => text.replaceAll("97.8.9", CURRENT);
    for (const path of FILES) {
      expect(old(readFileSync(join(root, path), "utf8")), path).toBe(readFileSync(join(ROOT, path), "utf8"));
    }
    for (const { path, text } of PLACES) {
      expect(readFileSync(join(root, path), "utf8")).toContain(text.replace("{}", "97.8.9"));
    }
    const args = ["ls", "--package-lock-only", "--all", "--depth=0"];
    expect(spawnSync("npm", args, { cwd: root, encoding: "utf8" }).stdout).toContain("membus@97.8.9");
  });

  it("refuses uncommitted changes, and then changes nothing", () => {
    writeFileSync(join(root, "new.txt"), "");
    expect(() => release(root, "97.8.9", DATE)).toThrow("commit or remove these changes first:\n?? new.txt");
    expect(git("diff", "--name-only")).toBe("");
  });
});

it("knows every place in the sources with the version of the packages", () => {
  const pattern = new RegExp(`["@]${CURRENT.replaceAll(".", "\\.")}(?!\\d)`);
  // The version of a plugin of the tests.
  const others = new Set(["plugins/kit/src/storage-suite/suite-plugin.ts"]);
  const known = new Set([...PLACES.map(({ path }) => path), ...AGENT_PLUGIN_FILES]);
  const found = WORKSPACES.flatMap((folder) => ["src", "plugins"].map((part) => join(folder, part)))
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) => filesBelow(ROOT, folder))
    .filter((path) => pattern.test(readFileSync(join(ROOT, path), "utf8")));
  expect(found.filter((path) => !known.has(path) && !others.has(path))).toEqual([]);
  expect(found).toContain("cli/src/version.ts");
});

it.each([
  ["patch", "1.2.4"],
  ["minor", "1.3.0"],
  ["major", "2.0.0"],
  ["1.2.3", "1.2.3"],
  ["1.10.0", "1.10.0"],
])("the version after 1.2.3 for %s is %s", (asked, expected) => {
  expect(nextVersion("1.2.3", asked)).toBe(expected);
});

it.each([undefined, "", "v1.3.0", "1.3", "1.3.0-rc.1", "1.2.2", "0.9.9"])(
  "refuses the version %s after 1.2.3",
  (asked) => {
    expect(() => nextVersion("1.2.3", asked)).toThrow(TypeError);
  },
);

it("dates the changes of the next release, and refuses a release without changes", () => {
  const first = "# Changelog\n\n## [0.1.0] - Unreleased\n\nThe first version.\n";
  expect(releasedChangelog(first, "0.1.0", DATE)).toBe(
    "# Changelog\n\n## [0.1.0] - 2031-02-03\n\nThe first version.\n",
  );
  const released = "## [1.0.0] - 2030-01-01\n\n- A change.\n";
  expect(() => releasedChangelog(released, "1.1.0", DATE)).toThrow(TypeError);
  expect(() => releasedChangelog(`## [Unreleased]\n\n${released}`, "1.1.0", DATE)).toThrow(TypeError);
});
