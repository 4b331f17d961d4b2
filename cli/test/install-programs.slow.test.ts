import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { projectOf } from "@membus/coding-agents";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findProgram, thisMachine } from "../src/install/machine.js";
import { type InstallMachine, installMachine } from "./install-machine.js";
import { RunningHost } from "./running-host.js";

const run = promisify(execFile);
const MEMBUS = fileURLToPath(new URL("../bin/membus.js", import.meta.url));
const PLUGINS = fileURLToPath(new URL("../../integrations/coding-agents/plugins", import.meta.url));
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

/** The real agents never leave this machine in these tests, as far as they offer a setting. */
const OFFLINE = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  PI_OFFLINE: "1",
  PI_SKIP_VERSION_CHECK: "1",
  GEMINI_TELEMETRY_ENABLED: "false",
  GEMINI_CLI_TRUST_WORKSPACE: "true",
  NO_COLOR: "1",
  // No server of a model answers.
  ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
  ANTHROPIC_API_KEY: "none",
  CLAUDE_CODE_MAX_RETRIES: "0",
};

const PROMPT = "Always use pnpm in this repository.";

const host = new RunningHost();
/** A model that refuses all requests, so that an agent does not try again. */
const model = createServer((_request, response) => response.writeHead(400).end("{}"));
beforeAll(async () => {
  await host.start();
  await once(model.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  model.close();
  await host.stop();
});

function modelUrl(): string {
  return `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
}

/** Returns the notes of the hooks about the project. */
async function notes({ project }: InstallMachine): Promise<string> {
  const { subject } = await projectOf(project);
  const flags = ["--agent", "coding-agent", "--namespace", subject.namespace];
  return (await host.cli(["retrieve", "pnpm", ...flags])).stdout;
}

function installed(program: string): string | undefined {
  return findProgram(thisMachine(), [program]);
}

/** Runs a program of an agent in the project. Returns its output without colours. */
async function output(machine: InstallMachine, path: string, ...args: string[]): Promise<string> {
  const PATH = [dirname(process.execPath), dirname(path), process.env.PATH].join(delimiter);
  const home = { XDG_DATA_HOME: join(machine.home, "data"), XDG_CACHE_HOME: join(machine.home, "cache") };
  const env = { ...machine.env, ...home, ...OFFLINE, PATH };
  for (const name of [
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "HERMES_HOME",
    "GEMINI_CLI_HOME",
    "PI_CODING_AGENT_DIR",
  ]) {
    if (machine.env[name] === "") delete (env as Record<string, string | undefined>)[name];
  }
  const running = run(path, args, { cwd: machine.project, env });
  running.child.stdin?.end();
  // Without an account, a prompt ends with an error after the hooks have run.
  const { stdout, stderr } = await running.catch((error: { stdout: string; stderr: string }) => error);
  return `${stdout}${stderr}`.replaceAll(ESCAPES, "");
}

const CLAUDE = installed("claude");
describe.skipIf(CLAUDE === undefined)("Claude Code (where it is installed)", () => {
  it("connects to the server that membus install adds", async () => {
    const machine = await installMachine();
    expect((await machine.membus("install", "claude-code", "--yes")).code).toBe(0);
    const listed = await output(machine, CLAUDE!, "mcp", "list");
    expect(listed).toContain(`membus: ${process.execPath} ${MEMBUS} mcp --agent coding-agent - ✔ Connected`);
    expect((await machine.membus("uninstall", "claude-code", "--yes")).code).toBe(0);
    expect(await output(machine, CLAUDE!, "mcp", "list")).toContain("No MCP servers configured");
  });

  it("lists the server of a project", async () => {
    const machine = await installMachine();
    await machine.membus("install", "claude-code", "--scope", "project", "--yes");
    expect(await output(machine, CLAUDE!, "mcp", "list")).toMatch(/^membus: .* Pending approval/m);
  });

  it("runs the hooks that membus install adds", async () => {
    const machine = await installMachine();
    await machine.membus("install", "claude-code", "--yes", "--nats", host.url);
    await output(machine, CLAUDE!, "-p", PROMPT);
    expect(await notes(machine)).toContain(PROMPT);
  });

  it("accepts the plugin", async () => {
    const machine = await installMachine();
    for (const path of [PLUGINS, join(PLUGINS, "claude-code")]) {
      expect(await output(machine, CLAUDE!, "plugin", "validate", "--strict", path)).toContain(
        "Validation passed",
      );
    }
    await output(machine, CLAUDE!, "plugin", "marketplace", "add", PLUGINS);
    await output(machine, CLAUDE!, "plugin", "install", "membus@membus");
    const details = await output(machine, CLAUDE!, "plugin", "details", "membus@membus");
    expect(details).toContain("Skills (4)  forget, memory, recall, remember");
    expect(details).toContain(
      "Hooks (7)  SessionStart, UserPromptSubmit, PostToolUse, PostToolUseFailure, PreCompact, Stop, SessionEnd",
    );
    expect(details).toContain("MCP servers (1)  membus");
  });
});

const CODEX = installed("codex");
describe.skipIf(CODEX === undefined)("Codex (where it is installed)", () => {
  it("lists the server that membus install adds", async () => {
    const machine = await installMachine();
    await machine.membus("install", "codex", "--yes");
    const listed = await output(machine, CODEX!, "mcp", "get", "membus", "--json");
    expect(JSON.parse(listed.slice(listed.indexOf("{"), listed.lastIndexOf("}") + 1))).toMatchObject({
      enabled: true,
      transport: {
        type: "stdio",
        command: process.execPath,
        args: [MEMBUS, "mcp", "--agent", "coding-agent"],
      },
    });
  });

  it("reads all hooks that membus install adds", async () => {
    const machine = await installMachine();
    await machine.membus("install", "codex", "--yes");
    const { hooks, warnings } = await hooksOfCodex(machine);
    expect(warnings).toEqual([]);
    expect(hooks.map(({ eventName, timeoutSec }) => [eventName, timeoutSec]).sort()).toEqual([
      ["postToolUse", 10],
      ["preCompact", 10],
      ["sessionEnd", 3],
      ["sessionStart", 10],
      ["stop", 10],
      ["userPromptSubmit", 10],
    ]);
  });

  it("accepts the plugin", async () => {
    const machine = await installMachine();
    await output(machine, CODEX!, "plugin", "marketplace", "add", PLUGINS);
    await output(machine, CODEX!, "plugin", "add", "membus@membus");
    expect(await output(machine, CODEX!, "mcp", "list")).toMatch(/^membus +npx +--yes membus@\S+ mcp/m);
    const { hooks } = await hooksOfCodex(machine);
    expect(hooks.length).toBe(6);
  });
});

interface CodexHooks {
  readonly hooks: readonly { readonly eventName: string; readonly timeoutSec: number }[];
  readonly warnings: readonly string[];
}

/** Queries the app server of Codex for the hooks of the project. */
async function hooksOfCodex(machine: InstallMachine): Promise<CodexHooks> {
  const env = { ...machine.env, CODEX_HOME: join(machine.home, ".codex") };
  const { child } = run(CODEX!, ["app-server"], { cwd: machine.project, env });
  const messages = new Map<number, (value: { result: { data: CodexHooks[] } }) => void>();
  let text = "";
  child.stdout!.on("data", (chunk) => {
    text += chunk;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n")) {
      const message = JSON.parse(text.slice(0, end));
      text = text.slice(end + 1);
      messages.get(message.id)?.(message);
    }
  });
  const request = (id: number, method: string, params: object) =>
    new Promise<{ result: { data: CodexHooks[] } }>((resolve) => {
      messages.set(id, resolve);
      child.stdin!.write(`${JSON.stringify({ id, method, params })}\n`);
    });
  await request(1, "initialize", { clientInfo: { name: "membus-test", version: "1" } });
  child.stdin!.write('{"method":"initialized"}\n');
  const { result } = await request(2, "hooks/list", { cwds: [machine.project] });
  child.stdin!.end();
  await once(child, "close");
  return result.data[0]!;
}

const GEMINI = installed("gemini");
describe.skipIf(GEMINI === undefined)("Gemini CLI (where it is installed)", () => {
  it.each(["user", "project"])("lists the server that membus install adds for a %s", async (scope) => {
    const machine = await installMachine();
    await machine.membus("install", "gemini", "--scope", scope, "--yes");
    expect(await output(machine, GEMINI!, "mcp", "list")).toContain(
      `membus: ${process.execPath} ${MEMBUS} mcp --agent coding-agent (stdio)`,
    );
  });
});

const OPENCODE = installed("opencode");
describe.skipIf(OPENCODE === undefined)("OpenCode (where it is installed)", () => {
  it.each(["user", "project"])("connects to the server that membus install adds for a %s", async (scope) => {
    const machine = await installMachine();
    await machine.membus("install", "opencode", "--scope", scope, "--yes");
    expect(await output(machine, OPENCODE!, "mcp", "list")).toMatch(/✓ membus connected/);
  });

  it("runs the plugin that membus install adds", async () => {
    const machine = await installMachine();
    const provider = {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: modelUrl() },
      models: { m: {} },
    };
    await machine.write("my project/opencode.json", JSON.stringify({ provider: { none: provider } }));
    await machine.membus("install", "opencode", "--yes", "--nats", host.url);
    // OpenCode puts an argument with spaces in quotation marks.
    await output(machine, OPENCODE!, "run", "--model", "none/m", ...PROMPT.split(" "));
    expect(await notes(machine)).toContain(PROMPT);
  });
});

const PI = installed("pi");
describe.skipIf(PI === undefined)("pi (where it is installed)", () => {
  it("lists the server that membus install adds, and runs the extension", async () => {
    const machine = await installMachine();
    const m = { id: "m", name: "m", contextWindow: 100_000, maxTokens: 1_000 };
    const provider = { baseUrl: modelUrl(), api: "openai-completions", apiKey: "none", models: [m] };
    await machine.write("home/.pi/agent/models.json", JSON.stringify({ providers: { none: provider } }));
    await machine.write("home/.pi/agent/settings.json", '{"retry": {"enabled": false}}');
    await machine.membus("install", "pi", "--yes", "--nats", host.url);
    expect(await output(machine, PI!, "mcp", "list")).toContain("membus");
    await output(machine, PI!, "--provider", "none", "--model", "m", "-p", PROMPT);
    expect(await notes(machine)).toContain(PROMPT);
  });
});

const HERMES = installed("hermes");
describe.skipIf(HERMES === undefined)("Hermes Agent (where it is installed)", () => {
  it("lists the server that membus install adds", async () => {
    const machine = await installMachine();
    await machine.write("home/.hermes/config.yaml", "# mine\nmcp_servers:\n  git:\n    command: git\n");
    await machine.membus("install", "hermes", "--yes");
    expect(await output(machine, HERMES!, "mcp", "list")).toMatch(/^ *membus .*enabled$/m);
  });
});

interface OpenClawPluginState {
  readonly plugin: object;
  readonly typedHooks: readonly { readonly name: string }[];
}

const OPENCLAW = installed("openclaw");
describe.skipIf(OPENCLAW === undefined)("OpenClaw (where it is installed)", () => {
  it("loads the plugin that membus install adds into the memory slot", async () => {
    const machine = await installMachine();
    await machine.membus("install", "openclaw", "--yes");
    const inspected = await output(machine, OPENCLAW!, "plugins", "inspect", "membus", "--runtime", "--json");
    const { plugin, typedHooks } = JSON.parse(inspected.slice(inspected.indexOf("{"))) as OpenClawPluginState;
    expect(plugin).toMatchObject({
      status: "loaded",
      kind: "memory",
      memorySlotSelected: true,
      toolNames: ["memory_recall", "memory_store", "memory_forget"],
    });
    expect(typedHooks.map(({ name }) => name)).toEqual([
      "after_compaction",
      "after_tool_call",
      "agent_end",
      "before_compaction",
      "before_prompt_build",
      "session_end",
    ]);
  });
});
