import { describe, expect, it } from "vitest";
import { type InstallMachine, installMachine } from "./install-machine.js";
import { runCli } from "./run-cli.js";

const CONFIG = "model: small\n";
const RECORDS = "membus/coding-agents/install";

/** A user of Hermes Agent, with only a configuration. */
async function hermesUser(): Promise<InstallMachine> {
  const machine = await installMachine();
  await machine.write("home/.hermes/config.yaml", CONFIG);
  return machine;
}

/** Runs a command that is killed after an operation, see `kill-after.js`. */
async function runKilled(
  machine: InstallMachine,
  command: string,
  point: string,
  args: readonly string[] = ["hermes"],
): Promise<void> {
  const preload = new URL("kill-after.js", import.meta.url).href;
  const env = { ...machine.env, NODE_OPTIONS: `--import ${preload}`, MEMBUS_TEST_KILL_AFTER: point };
  const { code, stdout } = await runCli([command, ...args, "--yes"], {
    cwd: machine.project,
    env,
  });
  expect([code, stdout]).toEqual([null, ""]);
}

async function expectNothingLeft(machine: InstallMachine): Promise<void> {
  expect(await machine.files()).toEqual(["home/.hermes", "home/.hermes/config.yaml"]);
  expect(await machine.read("home/.hermes/config.yaml")).toBe(CONFIG);
  expect(await machine.records()).toEqual([]);
  expect(await machine.uninstall("hermes")).toEqual([]);
}

async function recordName(machine: InstallMachine): Promise<string> {
  const [name] = await machine.records();
  return name!;
}

describe("uninstall removes everything", () => {
  it.each([
    "open coding-agents/install",
    "rename coding-agents/install",
    "open .hermes/.config.yaml.",
    "rename .hermes/config.yaml",
    "mkdir plugins/membus",
    "open plugins/membus/.__init__.py.",
    "rename plugins/membus/__init__.py",
  ])("after an installation that was killed after %s", async (point) => {
    const machine = await hermesUser();
    await runKilled(machine, "install", point);
    await machine.uninstall("hermes");
    await expectNothingLeft(machine);
  });

  it.each([
    "open .hermes/.config.yaml.",
    "rename .hermes/config.yaml",
    "rm plugins/membus/__pycache__",
    "rm plugins/membus/__init__.py",
    "rmdir plugins/membus",
    "rm coding-agents/install",
  ])("after an uninstallation that was killed after %s", async (point) => {
    const machine = await hermesUser();
    await machine.install("hermes");
    await machine.write("home/.hermes/plugins/membus/__pycache__/__init__.cpython-311.pyc", "compiled");
    await runKilled(machine, "uninstall", point);
    await machine.uninstall("hermes");
    await expectNothingLeft(machine);
  });
});

it("names the leftovers before it deletes them", async () => {
  const machine = await hermesUser();
  await machine.install("hermes");
  await runKilled(machine, "uninstall", "rm plugins/membus/__init__.py");
  const { stdout } = await machine.membus("uninstall", "hermes", "--dry-run");
  const paths = ["config.yaml", "plugins/membus/__init__.py"].map(
    (path) => `${machine.home}/.hermes/${path}`,
  );
  expect(stdout.split("\n")).toEqual([
    ...paths.map((path) => `leftovers of an interrupted change of ${path}`),
    "Nothing was written.",
    "",
  ]);
});

it("names the temporary files before it deletes them together with a change", async () => {
  const machine = await hermesUser();
  await runKilled(machine, "install", "open .hermes/.config.yaml.");
  await machine.write(`state/${RECORDS}/${await recordName(machine)}.new`, "{");
  const name = (await machine.files()).find((path) => path.endsWith(".tmp"))!;
  const { stdout } = await machine.membus("install", "hermes", "--dry-run");
  const lines = stdout.split("\n");
  expect(lines).toContain(`+++ ${machine.home}/.hermes/config.yaml`);
  expect(lines.filter((line) => line.startsWith("leftover"))).toEqual([
    `leftover of an interrupted change: ${machine.home}/${name.slice("home/".length)}`,
    `leftover of an interrupted change: ${machine.env.XDG_STATE_HOME}/${RECORDS}/${await recordName(machine)}.new`,
  ]);
});

describe.each(["{}", '{"a":1,\n\n}'])("uninstall restores %j", (text) => {
  it.each([
    "open coding-agents/install",
    "rename coding-agents/install",
    "open .gemini/.settings.json.",
    "rename .gemini/settings.json",
  ])("after a second and a third installation that were killed after %s", async (point) => {
    const machine = await installMachine();
    await machine.write("home/.gemini/settings.json", text);
    await machine.install("gemini");
    for (const url of ["nats://10.0.0.1:4222", "nats://10.0.0.2:4222"])
      await runKilled(machine, "install", point, ["gemini", "--nats", url]);
    await machine.uninstall("gemini");
    expect(await machine.files()).toEqual(["home/.gemini", "home/.gemini/settings.json"]);
    expect(await machine.read("home/.gemini/settings.json")).toBe(text);
    expect(await machine.records()).toEqual([]);
  });
});

it("an installation after one that was killed is removed completely too", async () => {
  const machine = await hermesUser();
  await runKilled(machine, "install", "open plugins/membus/.__init__.py.");
  await machine.install("hermes");
  await machine.uninstall("hermes");
  await expectNothingLeft(machine);
});
