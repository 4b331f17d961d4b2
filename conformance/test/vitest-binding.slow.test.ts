import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHECKS } from "../src/index.js";
import { registerConformance, type TestContext, type TestFramework } from "../src/vitest.js";
import { folderWith, SOUND, TOTAL_AFTER_LIMIT } from "./plugin-files.js";

const MODULES = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const OF_PLUGINS = CHECKS.filter(({ routes }) => routes.includes("plugin"));

/** The complete test file of a plugin author. */
const testFile = (options = "") => `import { registerConformance } from "@membus/conformance/vitest";
import { describe, it } from "vitest";
import { createPlugin } from "./plugin.mjs";

registerConformance(
  { describe, it },
  { name: "mine", createPlugin, module: new URL("./plugin.mjs", import.meta.url).href },${options}
);
`;

interface JsonTest {
  readonly title: string;
  readonly ancestorTitles: readonly string[];
  readonly status: "passed" | "failed" | "skipped" | "pending";
  readonly failureMessages: readonly string[];
}

/** Runs vitest in a separate folder with the packages linked as npm does. `flags` may select tests. */
async function runVitest(
  plugin: string,
  test: string,
  ...flags: string[]
): Promise<{ code: number; tests: readonly JsonTest[]; output: string }> {
  const folder = folderWith({
    "plugin.mjs": plugin,
    "plugin.test.js": test,
    "package.json": '{"type":"module"}',
  });
  try {
    mkdirSync(join(folder.path, "node_modules", "@membus"), { recursive: true });
    for (const name of ["vitest", "@membus/conformance"]) {
      symlinkSync(join(MODULES, name), join(folder.path, "node_modules", name));
    }
    const args = ["run", "--reporter=verbose", "--reporter=json", "--outputFile.json=result.json", ...flags];
    const child = spawn(process.execPath, [join(MODULES, "vitest", "vitest.mjs"), ...args], {
      cwd: folder.path,
      env: { ...process.env, TMPDIR: folder.path, NO_COLOR: "1" },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    const [code] = (await once(child, "close")) as [number];
    const { testResults } = JSON.parse(readFileSync(join(folder.path, "result.json"), "utf8"));
    return { code, tests: testResults[0].assertionResults, output };
  } finally {
    folder.remove();
  }
}

// `create-plugin.slow.test.ts` runs all checks of two plugins in this way. Here one area applies, and one does not.
describe("the test file of a correct plugin", () => {
  let run: Awaited<ReturnType<typeof runVitest>>;
  beforeAll(async () => {
    run = await runVitest(SOUND, testFile(), "-t= (store|durability)/");
  });

  it("has one test for each check, and their number in its title", () => {
    const ids = OF_PLUGINS.map(({ id }) => id);
    expect(run.tests.map(({ title }) => title)).toEqual([...ids, "further suites"]);
    expect(run.tests[0]!.ancestorTitles).toEqual([
      `mine: membus conformance 0.1.0, ${OF_PLUGINS.length} checks`,
    ]);
  });

  it("passes, and skips checks that do not apply with the reason", () => {
    const failed = run.tests.filter(({ status }) => status === "failed");
    expect(failed.map(({ title }) => title)).toEqual([]);
    expect(run.code).toBe(0);
    const ofArea = (area: string) => run.tests.filter(({ title }) => title.startsWith(`${area}/`));
    const passed = (area: string) => ofArea(area).filter(({ status }) => status === "passed");
    expect(passed("store").length).toBeGreaterThan(ofArea("store").length / 2);
    expect(ofArea("durability").length).toBeGreaterThan(0);
    expect(passed("durability")).toEqual([]);
    expect(run.output).toContain("durable is not declared");
  });

  it("is about 8 lines", () => {
    expect(testFile().trimEnd().split("\n")).toHaveLength(8);
  });
});

describe("the test file of a plugin that counts the page", () => {
  it("fails with all details that are needed to fix it", async () => {
    const { code, tests } = await runVitest(
      TOTAL_AFTER_LIMIT,
      testFile("\n  { seed: 9 },"),
      "-t=retrieve/limit-is-upper-bound|store/created-then-updated",
    );
    expect(code).toBe(1);
    const failed = tests.find(({ title }) => title === "retrieve/limit-is-upper-bound")!;
    expect(failed.status).toBe("failed");
    const [message] = failed.failureMessages;
    expect(message).toContain("FAIL retrieve/limit-is-upper-bound (MUST)\n  RET-1 MUST Criteria");
    expect(message).toContain(
      "checked   total of a retrieve with limit 3 of 5 entries\n  expected  5\n  got       3\n",
    );
    expect(message).toContain('seed      9\n  rerun     npx vitest run -t "retrieve/limit-is-upper-bound"');
    expect(message).not.toMatch(/^ +at /m);
    expect(tests.find(({ title }) => title === "store/created-then-updated")!.status).toBe("passed");
  });
});

describe("the registered tests", () => {
  const implementation = {
    name: "mine",
    createPlugin: () => {
      throw new Error("never called");
    },
  };
  type Body = (context: TestContext) => Promise<void>;

  /** Registers with a framework that only collects the tests. */
  function register(options?: Parameters<typeof registerConformance>[2]): Map<string, Body> {
    const tests = new Map<string, Body>();
    const describe = (_: string, body: () => void) => body();
    const it = (title: string, body: Body) => void tests.set(title, body);
    registerConformance({ describe, it }, implementation, options);
    return tests;
  }

  it("accepts the functions of vitest by their types", () => {
    const framework: TestFramework = { describe, it };
    expect(Object.keys(framework)).toEqual(["describe", "it"]);
  });

  it("exist before any plugin is created", () => {
    const ids = OF_PLUGINS.map(({ id }) => id);
    expect([...register().keys()]).toEqual([...ids, "further suites"]);
  });

  it("fail if the plugin cannot be created", async () => {
    for (const body of [...register().values()].slice(0, 3)) {
      await expect(body({ skip: () => {} })).rejects.toThrow("never called");
    }
  });

  it("refuses a baseline with an unknown id or without a reason", () => {
    expect(() => register({ baseline: { "store/nothing": "x" } })).toThrow(/unknown check `store\/nothing`/);
    expect(() => register({ baseline: { "store/created-then-updated": "" } })).toThrow(/has no reason/);
  });
});

describe("a baseline", () => {
  const reasons: string[] = [];
  afterAll(() => reasons.splice(0));

  it("skips known failures, and fails if they pass", async () => {
    const folder = folderWith({ "plugin.mjs": TOTAL_AFTER_LIMIT });
    const { createPlugin } = await import(join(folder.path, "plugin.mjs"));
    const tests = new Map<string, (context: TestContext) => Promise<void>>();
    const it = (title: string, body: (context: TestContext) => Promise<void>) => void tests.set(title, body);
    const baseline = {
      "retrieve/limit-is-upper-bound": "counts the page",
      "store/created-then-updated": "was once broken",
    };
    registerConformance({ describe: (_, body) => body(), it }, { name: "mine", createPlugin }, { baseline });
    const skip = (note: string) => void reasons.push(note);
    await tests.get("retrieve/limit-is-upper-bound")!({ skip });
    expect(reasons).toEqual(["known: counts the page"]);
    await expect(tests.get("store/created-then-updated")!({ skip })).rejects.toThrow(
      "store/created-then-updated is not red: remove it from the baseline (was once broken)",
    );
    folder.remove();
  });
});
