import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folderWith, pluginSource, SOUND, TOTAL_AFTER_LIMIT } from "./plugin-files.js";
import { resultOf, runSuiteCli, spawnSuite } from "./run-suite-cli.js";

interface JsonReport {
  readonly conformant: boolean;
  readonly complete: boolean;
  readonly seed: number;
  readonly checks: readonly { readonly id: string; readonly level: string; readonly outcome: string }[];
}

const folder = folderWith({
  "sound.mjs": SOUND,
  "total-after-limit.mjs": TOTAL_AFTER_LIMIT,
  "no-factory.mjs": "export const plugin = {};\n",
  "no-code.mjs": "export const = ;\n",
  "shared.mjs": pluginSource(
    `manifest: { ...createLruPlugin().manifest, features: { ...createLruPlugin().manifest.features, shared: true } },`,
  ),
  "no-plugin.mjs": "export function createPlugin() { throw new Error('no settings'); }\n",
  "throws.mjs": pluginSource(
    "async onRetrieve() { return lookUp(20); },",
    "function lookUp(depth) { if (depth > 0) return lookUp(depth - 1); throw new TypeError('no such shelf'); }",
  ),
  "no-manifest.mjs": pluginSource("manifest: { name: 'mine' },"),
  "cannot-open.mjs": pluginSource("open() { throw new Error('the disk is on fire'); },"),
  "timer.mjs": pluginSource("", "setInterval(() => {}, 1_000);"),
  "slow.mjs": pluginSource(
    "async onStore(scope, request) { process.stderr.write('storing\\n'); " +
      "await new Promise((resolve) => setTimeout(resolve, 300)); return this.onStore(scope, request); },",
  ),
});
afterAll(() => folder.remove());

const suite = (...args: string[]) => runSuiteCli(["plugin", ...args], folder.path);
const readReport = (name: string): JsonReport => JSON.parse(readFileSync(join(folder.path, name), "utf8"));
const redOf = ({ checks }: JsonReport) =>
  checks.filter(({ outcome }) => !["pass", "not-applicable"].includes(outcome)).map(({ id }) => id);

describe("a sound plugin", () => {
  it("is conformant: exit code 0, with every report that was asked for", async () => {
    const args = ["--json", "r.json", "--junit", "r.xml", "--html", "r.html"];
    const { code, stdout, stderr } = await suite("./sound.mjs", ...args);
    expect(stdout).toMatch(/\nConformant to agents 1\.0, core 1\.0/);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^\d+ checks, seed \d+\n/);
    const report = readReport("r.json");
    expect(report).toMatchObject({ conformant: true, complete: true });
    expect(redOf(report)).toEqual([]);
    // Literal counts, so that a lost check is noticed. This is the only run of all checks on lru without a host.
    const passed = report.checks.filter(({ outcome }) => outcome === "pass");
    expect([passed.length, report.checks.length - passed.length]).toEqual([376, 59]);
    expect(readFileSync(join(folder.path, "r.xml"), "utf8")).toMatch(/^<\?xml /);
    expect(readFileSync(join(folder.path, "r.html"), "utf8")).toMatch(/^<!doctype html>/);
  });

  it("leaves nothing in the temporary folder", () => {
    expect(readdirSync(folder.path).filter((name) => name.startsWith("membus-conformance-"))).toEqual([]);
  });

  it.each([
    ["working", "./sound.mjs"],
    ["semantic", "./shared.mjs"],
  ])("is tested as what its manifest fits: %s", async (tier, module) => {
    const { stdout } = await suite(module, "--only", "store/created-then-updated");
    expect(stdout).toContain(`\ntier           ${tier}: `);
  });

  it("is tested by a selection of areas and ids", async () => {
    const { code, stdout } = await suite(
      "./sound.mjs",
      "--only",
      "store,retrieve/limit-is-upper-bound",
      "--json",
      "-",
    );
    expect(code).toBe(0);
    const { checks, complete, conformant } = JSON.parse(stdout) as JsonReport;
    const areas = new Set(checks.map(({ id }) => id.split("/")[0]));
    expect([...areas].sort()).toEqual(["retrieve", "store"]);
    expect(checks.filter(({ id }) => id.startsWith("retrieve/"))).toHaveLength(1);
    expect({ complete, conformant }).toEqual({ complete: false, conformant: false });
  });

  it("gets the same numbers by chance for the same seed", async () => {
    const run = () => suite("./sound.mjs", "--only", "store", "--seed", "4294967295", "--json", "-");
    const [first, second] = [await run(), await run()];
    const seeds = ({ stdout }: { stdout: string }) => stdout.match(/"seed": \d+/g);
    expect(seeds(first)).toEqual(seeds(second));
    expect(seeds(first)![0]).toBe('"seed": 4294967295');
  });

  it("may leave a timer behind without keeping the suite", async () => {
    expect((await suite("./timer.mjs", "--only", "store/created-then-updated")).code).toBe(0);
  });
});

describe("a plugin that counts the page", () => {
  it("is not conformant: exit code 1, and the text names the defect and how to see it again", async () => {
    const { code, stdout } = await suite("./total-after-limit.mjs", "--json", "broken.json", "--seed", "3");
    expect(code).toBe(1);
    expect(stdout).toMatch(/\nNot conformant: \d+ MUST failed/);
    expect(stdout).toContain("FAIL retrieve/limit-is-upper-bound (MUST)\n  RET-1 MUST Criteria, `min_score`");
    expect(stdout).toContain(
      "checked   total of a retrieve with limit 3 of 5 entries\n  expected  5\n  got       3\n",
    );
    const rerun = "plugin ./total-after-limit.mjs --only retrieve/limit-is-upper-bound --seed 3";
    expect(stdout).toContain(`\n  rerun     npx membus-conformance ${rerun}\n`);
    expect(readReport("broken.json")).toMatchObject({ conformant: false, seed: 3 });
    const again = await runSuiteCli(rerun.split(" "), folder.path);
    expect(again.code).toBe(1);
    expect(again.stdout).toContain("1 selected checks: 1 MUST failed.");
  });

  it("ends with 0 if a baseline lists every red check, but is not conformant", async () => {
    const red = redOf(readReport("broken.json"));
    const lines = red.map((id) => `${id}: counts the page, fixed in 2.0\n`);
    writeFileSync(join(folder.path, "known.yaml"), lines.join(""));
    // The run above has shown that the other checks are not red.
    const args = ["--only", [...red, "store"].join(","), "--baseline", "known.yaml", "--json", "known.json"];
    const { code, stdout } = await suite("./total-after-limit.mjs", ...args);
    expect(stdout).toMatch(/ selected checks: \d+ MUST failed, .*\d+ of these in the baseline\. Only /);
    expect(readReport("known.json").conformant).toBe(false);
    expect(code).toBe(0);
  });

  it("ends with 1 if the baseline is stale", async () => {
    const lines = "store/created-then-updated: was once broken\n";
    writeFileSync(join(folder.path, "stale.yaml"), lines);
    const { code, stdout } = await suite("./sound.mjs", "--only", "store", "--baseline", "stale.yaml");
    expect(stdout).toContain("remove them\n  store/created-then-updated\n");
    expect(code).toBe(1);
  });
});

describe("a plugin that throws an unexpected error", () => {
  it("is reported with name, message and the first frames, as text and as JSON", async () => {
    const args = ["./throws.mjs", "--only", "retrieve/limit-is-upper-bound", "--json", "thrown.json"];
    const { code, stdout } = await suite(...args);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /onRetrieve threw TypeError: no such shelf.*\n {12}at lookUp \(.*throws\.mjs:\d+:\d+\)\n/,
    );
    expect(stdout.match(/^ {12}at /gm)).toHaveLength(8);
    const { checks } = JSON.parse(readFileSync(join(folder.path, "thrown.json"), "utf8"));
    const { got, stack } = checks[0].cases[0].calls.at(-1);
    expect(got).toContain("TypeError: no such shelf");
    expect(stack).toHaveLength(8);
    expect(stack[0]).toMatch(/^at lookUp \(.*throws\.mjs:\d+:\d+\)$/);
  });
});

describe("an invalid command line", () => {
  it.each([
    [
      "an unknown check",
      ["./sound.mjs", "--only", "retrieve/limit-is-uper-bound"],
      /did you mean `retrieve\/limit-is-upper-bound`/,
    ],
    ["a check of hosts", ["./sound.mjs", "--only", "discovery"], /`discovery` does not apply to a plugin/],
    ["no file", ["./nowhere.mjs"], /plugin not found: no file .*nowhere\.mjs and no package/],
    ["without a module", [], /missing plugin module/],
    ["a module without `createPlugin`", ["./no-factory.mjs"], /does not export a function `createPlugin`/],
    ["a module with a syntax error", ["./no-code.mjs"], /cannot load \.\/no-code\.mjs: /],
    [
      "an unknown tier",
      ["./sound.mjs", "--tier", "eternal"],
      /Allowed choices are working, episodic, semantic/,
    ],
    ["an invalid seed", ["./sound.mjs", "--seed", "-1"], /must be an integer of 0\.\.4294967295/],
    ["an unknown option", ["./sound.mjs", "--onyl", "store"], /unknown option '--onyl'/],
    ["a missing folder", ["./sound.mjs", "--json", "no/where.json"], /cannot write .*no\/where\.json/],
    ["two reports for one output", ["./sound.mjs", "--json", "-", "--html", "-"], /only one report/],
    ["a baseline that is not there", ["./sound.mjs", "--baseline", "none.yaml"], /cannot read the baseline/],
    [
      "a baseline with an unknown id",
      ["./sound.mjs", "--baseline", "unknown.yaml"],
      /unknown check `store\/nothing`/,
    ],
    ["a baseline without a reason", ["./sound.mjs", "--baseline", "silent.yaml"], /has no reason/],
  ])("is %s: exit code 2 and a message", async (_, args, message) => {
    writeFileSync(join(folder.path, "unknown.yaml"), "store/nothing: x\n");
    writeFileSync(join(folder.path, "silent.yaml"), "store/created-then-updated:\n");
    const { code, stdout, stderr } = await suite(...args);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^membus-conformance: /);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  it.each([
    [
      "no manifest",
      "./no-manifest.mjs",
      /the plugin's manifest, field contract: expected contract, name, version/,
    ],
    ["a `createPlugin` that throws", "./no-plugin.mjs", /expected a plugin, got it threw Error: no settings/],
    ["an `open` that fails", "./cannot-open.mjs", /expected an open plugin, got .*the disk is on fire/],
  ])("is a plugin with %s: not conformant, exit code 1", async (_, module, message) => {
    const { code, stderr } = await suite(module);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
  });
});

describe("a signal", () => {
  it("ends the run after the check under way, and cleans up", async () => {
    const child = spawnSuite(["plugin", "./slow.mjs"], folder.path);
    const started = new Promise<void>((resolve) => {
      child.stderr.on("data", (chunk: Buffer) => {
        if (chunk.toString().includes("storing")) resolve();
      });
    });
    const ended = resultOf(child);
    await started;
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect(stderr).toContain("stopping after the running checks");
    expect(code).toBe(130);
    expect(stdout).toBe("");
    expect(readdirSync(folder.path).filter((name) => name.startsWith("membus-conformance-"))).toEqual([]);
  });
});

describe("without a run", () => {
  it("--list names every check of the route with its level and clauses", async () => {
    const { code, stdout } = await suite("--list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^retrieve\/limit-is-upper-bound +MUST +RET-1 RET-3 +basic core$/m);
    expect(stdout).not.toMatch(/^discovery\//m);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.at(-1)).toBe(`${lines.length - 1} checks`);
  });

  it.each([[["--help"]], [["plugin", "--help"]], [["host", "--help"]]])(
    "%j shows an example",
    async (args) => {
      const { code, stdout } = await runSuiteCli(args, folder.path);
      expect(code).toBe(0);
      expect(stdout).toMatch(/Example:\n {2}npx membus-conformance /);
    },
  );

  it("explains its exit codes, and takes no command for a mistake", async () => {
    const { stdout } = await runSuiteCli(["--help"], folder.path);
    expect(stdout).toMatch(/Exit codes:\n {2}0 {2}conformant,.*\n {2}1 .*\n {2}2 .*\n {2}3 /);
    expect((await runSuiteCli([], folder.path)).code).toBe(2);
  });
});
