import { access } from "node:fs/promises";
import { join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { findProgram, thisMachine } from "../src/install/machine.js";
import { installMachine } from "./install-machine.js";
import { runCli } from "./run-cli.js";

it("installs with the absolute paths of this installation, and says what to do next", async () => {
  const machine = await installMachine();
  const creds = ["--nats", "nats://10.0.0.1:4222", "--tenant", "it's us", "--creds", "a.creds"];
  const { code, stdout, stderr } = await machine.membus("install", "codex", "--yes", ...creds);
  expect([code, stdout]).toEqual([
    0,
    "Installed in Codex. Restart Codex and approve the hooks with `/hooks`. Codex runs no hook before that.\n",
  ]);
  expect(stderr).toContain("+[mcp_servers.membus]");
  const toml = parseToml(await machine.read("home/.codex/config.toml")) as {
    mcp_servers: { membus: { command: string; args: string[] } };
  };
  const { command, args } = toml.mcp_servers.membus;
  const [program, ...flags] = args;
  expect(command).toBe(process.execPath);
  await access(program!);
  const file = join(machine.project, "a.creds");
  expect(flags).toEqual([
    ...["mcp", "--nats", "nats://10.0.0.1:4222", "--creds", file, "--tenant", "it's us"],
    ...["--agent", "coding-agent"],
  ]);
  const hooks = JSON.parse(await machine.read("home/.codex/hooks.json"));
  expect(hooks.hooks.Stop[0].hooks[0].command).toContain(`${command} ${program} hook codex --nats`);
  expect(hooks.hooks.Stop[0].hooks[0].command).toContain(`--creds '${file}' --tenant 'it'\\''s us' --agent`);
});

it("reports the status as JSON", async () => {
  const machine = await installMachine();
  const run = async (...args: string[]) => JSON.parse((await machine.membus(...args, "--json")).stdout);
  const path = join(machine.home, ".gemini/settings.json");
  expect(await run("install", "gemini", "--yes")).toMatchObject({ status: "installed", files: [path] });
  expect(await run("install", "gemini", "--yes")).toEqual({
    agent: "gemini",
    scope: "user",
    status: "already_installed",
    files: [],
    diff: "",
  });
  expect(await run("uninstall", "gemini", "--yes")).toMatchObject({ status: "uninstalled", files: [path] });
  expect(await run("uninstall", "gemini")).toMatchObject({ status: "not_installed" });
});

it("shows a diff, and writes nothing without a terminal and without --yes", async () => {
  const machine = await installMachine();
  const text = '{\n  "mcpServers": {\n    "git": {}\n  }\n}\n';
  const path = await machine.write("home/.cursor/mcp.json", text);
  const { code, stderr } = await machine.membus("install", "cursor");
  expect(code).toBe(2);
  expect(stderr).toContain(
    `--- ${path}\n+++ ${path}\n@@ -2,3 +2,15 @@\n   "mcpServers": {\n-    "git": {}\n+    "git": {},\n+    "membus": {`,
  );
  expect(stderr).toContain("no terminal to ask for approval: add --yes to write these changes");
  expect(await machine.read("home/.cursor/mcp.json")).toBe(text);
});

const PYTHON = findProgram(thisMachine(), ["python3"]);

describe.skipIf(PYTHON === undefined)("in a terminal (where Python is installed)", () => {
  it.each([
    ["y", "Installed in Cursor."],
    ["n", "Nothing was written."],
  ])("asks, and obeys %s", async (answer, message) => {
    const machine = await installMachine();
    // Python gives the program a terminal and types the answer after the question.
    const script = [
      "import os, pty, sys",
      "typed = False",
      "def read(fd):",
      "    global typed",
      "    data = os.read(fd, 4096)",
      "    if b'[y/N]' in data and not typed:",
      "        typed = True",
      `        os.write(fd, b'${answer}\\n')`,
      "    return data",
      "sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], read)))",
    ].join("\n");
    const wrap = (command: readonly string[]) => [PYTHON!, "-c", script, ...command];
    const cli = { cwd: machine.project, env: { ...machine.env, PATH: process.env.PATH! }, wrap };
    const { code, stdout } = await runCli(["install", "cursor"], cli);
    expect([code, stdout]).toEqual([0, expect.stringContaining(message)]);
    expect((await machine.files()).length).toBe(answer === "y" ? 2 : 0);
  });
});

it("only shows the changes with --dry-run", async () => {
  const machine = await installMachine();
  const { code, stdout } = await machine.membus("install", "hermes", "--dry-run");
  expect(code).toBe(0);
  expect(stdout).toContain("--- /dev/null\n+++ ");
  expect(stdout).toContain("+mcp_servers:\n+  membus:\n");
  expect(stdout.endsWith("Nothing was written.\n")).toBe(true);
  expect(await machine.files()).toEqual([]);
});

it.each([
  [["install"], "name an agent: claude-code, codex, cursor, vscode"],
  [["install", "emacs"], "unknown agent emacs: claude-code, codex"],
  [
    ["install", "hermes", "--scope", "project"],
    "Hermes Agent has no configuration of a project: use --scope user",
  ],
  [["uninstall", "codex", "--scope", "team"], "--scope is team, but must be user or project"],
  [["install", "codex", "--prefix", "x"], "--prefix has no effect on an agent"],
])("refuses %j: %s", async (args, message) => {
  const machine = await installMachine();
  const { code, stderr } = await machine.membus(...args, "--yes");
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(await machine.files()).toEqual([]);
});

it("lists the agents, where they were found, and where membus is installed", async () => {
  const machine = await installMachine();
  await machine.membus("install", "gemini", "--yes");
  await machine.membus("install", "gemini", "--scope", "project", "--yes");
  const broken = await machine.write("home/.cursor/mcp.json", "{");
  const states = JSON.parse((await machine.membus("install", "--list", "--json")).stdout);
  expect(states.find(({ agent }: { agent: string }) => agent === "gemini")).toEqual({
    agent: "gemini",
    title: "Gemini CLI",
    found: join(machine.home, ".gemini"),
    installed: ["user", "project"],
    problems: [],
  });
  const lines = (await machine.membus("install", "--list")).stdout.split("\n");
  expect(lines.slice(0, 3)).toEqual([
    "agent        membus                     found",
    "claude-code  not installed              not found",
    "codex        not installed              not found",
  ]);
  expect(lines).toContain(`gemini       installed (user, project)  ${join(machine.home, ".gemini")}`);
  expect(lines.at(-2)).toBe(`${broken}:1:2: CloseBraceExpected. membus has changed nothing`);
});
