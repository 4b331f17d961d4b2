import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { Svcm } from "@nats-io/services";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { printedProgram } from "./printed-program.js";
import { endChild, lineOf } from "./run-cli.js";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUFFER_BYTES = 2 ** 26;

/** Folder of a plugin that an author has created and set up. Other plugins are created inside it. */
let workshop = "";
/** Output of the command, and the package.json of the plugin before its packages were installed. */
let printed = "";
let manifest = "";
/** Files that the author has packed. */
let packed: string[] = [];
/** Warnings of npm while it installed them. */
let warnings = "";

/** Creates a plugin outside of the repository and follows the printed commands, as its author does. */
beforeAll(async () => {
  workshop = await mkdtemp(join(tmpdir(), "membus-author-"));
  const created = [join(ROOT, "cli/bin/membus.js"), "create-plugin", "installed", "--into", workshop];
  printed = (await run(process.execPath, created)).stdout;
  manifest = await readFile(join(workshop, "package.json"), "utf8");
  await npm(["run", "--silent", "pack", "--", "--pack-destination", workshop], ROOT);
  packed = (await readdir(workshop)).filter((name) => name.endsWith(".tgz")).map((file) => `./${file}`);
  const install = ["install", "--no-save", "--prefer-offline", "--no-audit", "--no-fund", ...packed];
  warnings = (await npm(install, workshop)).stderr;
  // A plugin may be inside another project. Its tests must not use the configuration of that project.
  await writeFile(join(workshop, "vitest.config.ts"), "export default { test: { include: [] } };\n");
});

afterAll(() => rm(workshop, { recursive: true, force: true }));

const npm = (args: string[], cwd: string) => run("npm", args, { cwd, maxBuffer: BUFFER_BYTES });
const npmRun = (script: string, cwd: string) => npm(["run", "--silent", script], cwd);
const membus = (...args: string[]) => run("npx", ["--no-install", "membus", ...args], { cwd: workshop });

/** Creates a plugin and returns its folder. */
async function createPlugin(name: string, ...flags: string[]): Promise<string> {
  await membus("create-plugin", name, ...flags);
  return join(workshop, name);
}

describe("packages installed from their files into an empty folder", () => {
  it("contain no sources, and run without them", async () => {
    expect(packed).toEqual(["./membus-0.1.0.tgz"]);
    const packages = join(workshop, "node_modules/membus/node_modules/@membus");
    expect((await readdir(packages)).sort()).toEqual([
      "agent-client",
      "agentic",
      "bus",
      "cluster",
      "coding-agents",
      "conformance",
      "disk",
      "embeddings",
      "gateway",
      "host",
      "http",
      "integrations",
      "languages",
      "mcp",
      "nats-server",
      "openai-client",
      "plugin-kit",
      "plugin-lancedb",
      "plugin-lru",
      "protocol",
    ]);
    const installed = await readdir(packages);
    const names = installed.filter((name) => name !== "integrations").map((name) => `@membus/${name}`);
    const inner = [
      ...names,
      "@membus/integrations/ai-sdk",
      "@membus/integrations/anthropic",
      "@membus/integrations/openai-agents",
      "@membus/conformance/vitest",
      "@membus/plugin-kit/storage-suite",
    ];
    const outer = ["membus", "membus/conformance", "membus/host", "membus/plugin"];
    for (const [cwd, imported] of [
      [join(packages, ".."), inner],
      [workshop, outer],
    ] as const) {
      const program = imported.map((name) => `await import("${name}");`).join("\n");
      await run(process.execPath, ["--input-type=module", "--eval", program], { cwd });
    }
    expect(await readdir(join(packages, "protocol"))).not.toContain("src");
  });

  it("install LanceDB's native library beside older types of Node, without warnings and without install scripts", async () => {
    expect(JSON.parse(manifest).devDependencies["@types/node"]).toBe("20.19.0");
    expect(warnings).toBe("");
    const native = await readdir(join(workshop, "node_modules/@lancedb"));
    expect(native.length).toBeGreaterThan(0);
    expect(native.filter((name) => !name.startsWith("lancedb-"))).toEqual([]);
    const installed = await readFile(join(workshop, "node_modules/.package-lock.json"), "utf8");
    const { packages } = JSON.parse(installed) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    expect(Object.keys(packages)).toContain("node_modules/membus");
    const scripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripts).toEqual([]);
  });

  it("contain the command line and the conformance suite", async () => {
    expect((await membus("--version")).stdout).toBe("0.1.0\n");
    const listed = await membus("conformance", "plugin", "--list");
    expect(listed.stdout).toContain("retrieve/limit-is-upper-bound");
  });
});

describe.each([
  ["--direct", "working", ["conformance.test.ts"]],
  ["--kit", "episodic", ["conformance.test.ts", "storage.test.ts"]],
])("membus create-plugin %s", (flag, tier, tests) => {
  const name = `made${flag}`.replaceAll("--", "-");

  // Takes about a minute, because the test of a plugin on the kit is the whole suite.
  it("creates a plugin that compiles, and passes the conformance suite as its test", async () => {
    const made = await membus("create-plugin", name, flag, "--json");
    expect(JSON.parse(made.stdout)).toMatchObject({ directory: name, tier });
    const folder = join(workshop, name);
    expect(await readdir(join(folder, ".github/workflows"))).toEqual(["test.yml"]);
    expect((await npmRun("test", folder)).stdout).toMatch(/Tests .*passed/);
    expect(await readdir(join(folder, "test"))).toEqual(tests);
  });

  // The tests of the plugin run the whole suite. Here a part shows that both programs find the plugin.
  it("creates a plugin that the suite's programs test, alone and in a host", async () => {
    const folder = join(workshop, name);
    const part = ["--only", "store"];
    const alone = await npm(["run", "--silent", "conformance", "--", ...part], folder);
    expect(alone.stdout).toMatch(/core 1\.0: MUST \d+/);
    const args = ["conformance", "plugin", "./dist/plugin.js", "--tier", tier, "--through-host", ...part];
    const inHost = await run("npx", ["--no-install", "membus", ...args], { cwd: folder });
    expect(inHost.stdout).toMatch(/host 1\.0: MUST \d+/);
  });

  it("rejects a folder that is not empty", async () => {
    const full = join(workshop, `full${flag}`);
    await mkdir(full);
    await writeFile(join(full, "mine"), "");
    const refused = membus("create-plugin", name, flag, "--into", full);
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining("is not empty") });
    expect(await readdir(full)).toEqual(["mine"]);
  });
});

it("prints how to install unpublished packages without changing package.json", async () => {
  expect(printed).toContain(`npm run pack -- --pack-destination ${workshop}\n`);
  expect(printed).toContain("npm install --no-save ./membus-*.tgz\n");
  expect(await readFile(join(workshop, "package.json"), "utf8")).toBe(manifest);
  await npmRun("build", workshop);
  const doctor = ["doctor", "--json", "--plugin", "episodic=./dist/plugin.js"];
  const { stdout: output } = await membus(...doctor).catch((ended) => ended);
  expect(JSON.parse(output)).toContainEqual({
    check: "plugin episodic",
    state: "ok",
    found: expect.stringMatching(/^installed 0\.1\.0: .*durable/),
  });
});

it("builds a package without files of deleted sources", async () => {
  const folder = await createPlugin("renamed", "--direct");
  await writeFile(join(folder, "src/former.ts"), "export const former = 1;\n");
  await npmRun("build", folder);
  expect(await readdir(join(folder, "dist"))).toContain("former.js");
  await rm(join(folder, "src/former.ts"));
  await npmRun("build", folder);
  expect((await readdir(join(folder, "dist"))).sort()).toEqual(["plugin.d.ts", "plugin.js"]);
});

it("detects and describes an injected bug", async () => {
  const folder = await createPlugin("broken", "--direct");
  const source = join(folder, "src/plugin.ts");
  const sound = await readFile(source, "utf8");
  const broken = sound.replace("total: found.length,", "total: page.length,");
  expect(broken).not.toBe(sound);
  await writeFile(source, broken);
  const tested = npm(["run", "--silent", "conformance", "--", "--only", "retrieve"], folder);
  await expect(tested).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/total of a retrieve with limit 3 of 5 entries\s+expected\s+5\s+got\s+3/),
  });
});

it("rejects an invalid package name", async () => {
  const refused = membus("create-plugin", "Not a name");
  await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining("Not a name") });
});

it("rejects file storage for the working tier", async () => {
  const refused = membus("create-plugin", "kept", "--tier", "working");
  await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining("use --direct") });
});

describe("a plugin in a running host", () => {
  let server: NatsServer;
  let host: ChildProcess | undefined;
  beforeAll(async () => {
    server = await launchNatsServer({ binary: NATS_SERVER });
    await npmRun("build", await createPlugin("rows", "--tier", "semantic"));
  });
  afterAll(async () => {
    await kill();
    await server?.stop();
  });

  /** Starts a process group, so that children of the launcher are killed with it. */
  async function up(): Promise<void> {
    const args = ["up", "--plugin", "semantic=./rows/dist/plugin.js", "--plugin", "working=none"];
    const child = spawn(join(workshop, "node_modules/.bin/membus"), args, {
      cwd: workshop,
      env: { ...process.env, NATS_URL: server.url },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    host = child;
    await lineOf(child, /^membus is listening on/);
  }

  async function kill(): Promise<void> {
    if (host === undefined || host.signalCode !== null || host.exitCode !== null) return;
    const closed = new Promise((resolve) => host!.once("close", resolve));
    process.kill(-host.pid!, "SIGKILL");
    await closed;
  }

  /** Runs a program that uses the installed client, and returns its output. */
  async function agent(program: string): Promise<unknown> {
    const code = `import { MemoryClient } from "membus";
      const memory = await MemoryClient.connect({ servers: "${server.url}", agent: "alice" });
      const tier = "semantic";
      ${program}
      await memory.close();`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", code], {
      cwd: workshop,
    });
    return JSON.parse(stdout);
  }

  it("is discoverable, usable from the client, and keeps acknowledged entries after a kill", async () => {
    await up();
    expect(await pluginsOnBus()).toMatchObject({
      semantic: { name: "rows", version: "0.1.0", features: { durable: true, shared: true } },
      episodic: { name: "lancedb" },
    });
    const receipts = await agent(`
      const entries = ["Earth orbits the Sun", "Bread needs salt"].map((text, n) => ({ key: "fact" + n, content: { text }, tier }));
      console.log(JSON.stringify((await memory.store(entries)).receipts.map(({ outcome }) => outcome)));`);
    expect(receipts).toEqual(["created", "created"]);
    await kill();
    await up();
    const found = await agent(`
      const { entries } = await memory.retrieve({ query: "orbits the sun", tier, limit: 1 });
      console.log(JSON.stringify([entries.map(({ content }) => content.text), (await memory.retrieve({ tier })).total]));`);
    expect(found).toEqual([["Earth orbits the Sun"], 2]);
    expect((await readdir(join(workshop, ".membus"))).sort()).toEqual([
      "control",
      "episodic",
      "semantic-rows",
    ]);
  });

  it("prints a program that runs in a project with the packed file", async () => {
    const args = ["up", "--data", "printed", "--prefix", "printed"];
    const env = { ...process.env, NATS_URL: server.url };
    const child = spawn(join(workshop, "node_modules/.bin/membus"), args, { cwd: workshop, env });
    try {
      const program = `${await printedProgram(child)}\nconsole.log(await memory.recall("user_name"));\nawait memory.close();`;
      const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], {
        cwd: workshop,
      });
      expect(stdout).toBe("Alice\n");
    } finally {
      await endChild(child, "SIGTERM");
    }
  });

  /** Returns the reply to `nats micro info membus`, with the official NATS client. */
  async function pluginsOnBus(): Promise<unknown> {
    const connection = await connect({ servers: server.url });
    try {
      const services = new Svcm(connection as never).client({ strategy: "stall", maxWait: 30_000 });
      const answers = [];
      for await (const info of await services.info("membus")) answers.push(info);
      expect(answers).toHaveLength(1);
      return JSON.parse(answers[0]!.metadata!.plugins!);
    } finally {
      await connection.close();
    }
  }
});
