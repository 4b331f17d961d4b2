import { chmod, lstat, mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import type { Scope } from "../src/install/agents.js";
import { installMachine } from "./install-machine.js";

const COMMAND = {
  command: "/usr/bin/node",
  args: ["/opt/membus/bin/membus.js", "mcp", "--agent", "coding-agent"],
};
const SHARED = { ...COMMAND, args: [...COMMAND.args, "--namespace", "default"] };
const CLAUDE_HOOK = {
  type: "command",
  command: "/usr/bin/node",
  args: ["/opt/membus/bin/membus.js", "hook", "claude-code", "--agent", "coding-agent"],
  timeout: 10,
};
const CODEX_HOOK = {
  type: "command",
  command: "/usr/bin/node /opt/membus/bin/membus.js hook codex --agent coding-agent",
  timeout: 10,
};

function hookCommand(agent: string): string[] {
  return ["/usr/bin/node", "/opt/membus/bin/membus.js", "hook", agent, "--agent", "coding-agent"];
}

function hooks(handler: object, lastHandler: object, failures = {}): object {
  return {
    hooks: {
      SessionStart: [{ hooks: [handler] }],
      UserPromptSubmit: [{ hooks: [handler] }],
      PostToolUse: [{ hooks: [handler] }],
      ...failures,
      PreCompact: [{ hooks: [handler] }],
      Stop: [{ hooks: [handler] }],
      SessionEnd: [{ hooks: [lastHandler] }],
    },
  };
}

const CLAUDE_SERVERS = { mcpServers: { membus: { type: "stdio", ...COMMAND } } };
const CODEX_SERVERS = { mcp_servers: { membus: COMMAND } };
const CLAUDE_HOOKS = hooks(CLAUDE_HOOK, CLAUDE_HOOK, { PostToolUseFailure: [{ hooks: [CLAUDE_HOOK] }] });
const CODEX_HOOKS = hooks(CODEX_HOOK, { ...CODEX_HOOK, timeout: 3 });
const CURSOR_SERVERS = { mcpServers: { membus: { type: "stdio", ...SHARED } } };
const OPENCODE_CONFIG = {
  mcp: { membus: { type: "local", command: [COMMAND.command, ...COMMAND.args], enabled: true } },
  plugin: [
    ["file:///opt/membus/coding-agents/plugins/opencode/index.js", { command: hookCommand("opencode") }],
  ],
};
const OPENCLAW_CONFIG = {
  plugins: {
    load: { paths: ["/opt/membus/coding-agents/plugins/openclaw"] },
    slots: { memory: "membus" },
    entries: {
      membus: {
        enabled: true,
        hooks: { allowConversationAccess: true },
        config: { command: hookCommand("openclaw") },
      },
    },
  },
};
const PI_EXTENSION = `// Written by \`membus install pi\`.
import { piExtension } from "file:///opt/membus/coding-agents/plugins/pi/index.js";

export default piExtension(["/usr/bin/node","/opt/membus/bin/membus.js","hook","pi","--agent","coding-agent"]);
`;
const HERMES_PROVIDER = `# Written by \`membus install hermes\`.
from membus.hermes import MembusMemoryProvider


def register(ctx):
    ctx.register_memory_provider(MembusMemoryProvider(["/usr/bin/node","/opt/membus/bin/membus.js","hook","hermes","--agent","coding-agent"]))
`;

/** Files that an installation without any earlier file writes, and their contents. */
const WRITTEN: readonly (readonly [agent: string, scope: Scope, files: Record<string, unknown>])[] = [
  [
    "claude-code",
    "user",
    { "home/.claude.json": CLAUDE_SERVERS, "home/.claude/settings.json": CLAUDE_HOOKS },
  ],
  [
    "claude-code",
    "project",
    { "my project/.mcp.json": CLAUDE_SERVERS, "my project/.claude/settings.local.json": CLAUDE_HOOKS },
  ],
  ["codex", "user", { "home/.codex/config.toml": CODEX_SERVERS, "home/.codex/hooks.json": CODEX_HOOKS }],
  [
    "codex",
    "project",
    { "my project/.codex/config.toml": CODEX_SERVERS, "my project/.codex/hooks.json": CODEX_HOOKS },
  ],
  ["cursor", "user", { "home/.cursor/mcp.json": CURSOR_SERVERS }],
  ["cursor", "project", { "my project/.cursor/mcp.json": CURSOR_SERVERS }],
  [
    "vscode",
    "user",
    { "home/.config/Code/User/mcp.json": { servers: { membus: { type: "stdio", ...SHARED } } } },
  ],
  [
    "vscode",
    "project",
    {
      "my project/.vscode/mcp.json": {
        servers: { membus: { type: "stdio", ...COMMAND, cwd: `\${workspaceFolder}` } },
      },
    },
  ],
  ["gemini", "user", { "home/.gemini/settings.json": { mcpServers: { membus: COMMAND } } }],
  ["gemini", "project", { "my project/.gemini/settings.json": { mcpServers: { membus: COMMAND } } }],
  ["opencode", "user", { "home/.config/opencode/opencode.json": OPENCODE_CONFIG }],
  ["opencode", "project", { "my project/opencode.json": OPENCODE_CONFIG }],
  [
    "pi",
    "user",
    {
      "home/.pi/agent/mcp.json": { mcpServers: { membus: COMMAND } },
      "home/.pi/agent/extensions/membus.js": PI_EXTENSION,
    },
  ],
  [
    "pi",
    "project",
    {
      "my project/.pi/mcp.json": { mcpServers: { membus: COMMAND } },
      "my project/.pi/extensions/membus.js": PI_EXTENSION,
    },
  ],
  ["openclaw", "user", { "home/.openclaw/openclaw.json": OPENCLAW_CONFIG }],
  [
    "hermes",
    "user",
    {
      "home/.hermes/config.yaml": { mcp_servers: { membus: SHARED } },
      "home/.hermes/plugins/membus/__init__.py": HERMES_PROVIDER,
    },
  ],
];

function parsed(path: string, text: string): unknown {
  if (path.endsWith(".js") || path.endsWith(".py")) return text;
  if (path.endsWith(".toml")) return parseToml(text);
  return path.endsWith(".yaml") ? parseYaml(text) : parseJsonc(text);
}

it.each(WRITTEN)(
  "writes the configuration of %s for a %s once, and removes it",
  async (agent, scope, files) => {
    const machine = await installMachine();
    const paths = Object.keys(files).map((path) => join(machine.home, "..", path));
    expect(await machine.install(agent, scope)).toEqual(paths);
    for (const [path, contents] of Object.entries(files)) {
      expect(parsed(path, await machine.read(path))).toEqual(contents);
      expect((await stat(join(machine.home, "..", path))).mode & 0o777).toBe(0o600);
    }
    expect(await machine.install(agent, scope)).toEqual([]);
    expect(await machine.uninstall(agent, scope)).toEqual(paths);
    expect(await machine.files()).toEqual([]);
    expect(await machine.uninstall(agent, scope)).toEqual([]);
  },
);

describe("an installation", () => {
  it("keeps everything else in the files, and their modes, and is undone exactly", async () => {
    const machine = await installMachine();
    const text = '{\r\n\t// mine\r\n\t"mcpServers": {"git": {"command": "git"},},\r\n   "numStartups":7 }';
    const path = await machine.write("home/.claude.json", text);
    const settings = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}\n';
    await machine.write("home/.claude/settings.json", settings);
    await chmod(path, 0o640);
    await machine.install("claude-code");
    expect(await machine.read("home/.claude.json")).toContain(
      '{"git": {"command": "git"}, "membus": {"type":"stdio",',
    );
    const { hooks } = parseJsonc(await machine.read("home/.claude/settings.json"));
    expect(hooks.Stop).toEqual([
      { hooks: [{ type: "command", command: "say done" }] },
      { hooks: [CLAUDE_HOOK] },
    ]);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    await machine.uninstall("claude-code");
    expect(await machine.read("home/.claude.json")).toBe(text);
    expect(await machine.read("home/.claude/settings.json")).toBe(settings);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  it.each([
    ["codex", "home/.codex/config.toml", "[mcp_servers.git] # mine\ncommand='git'"],
    ["hermes", "home/.hermes/config.yaml", "a: 1\nmcp_servers: {} # none\n# end"],
  ])("of %s is undone exactly", async (agent, path, text) => {
    const machine = await installMachine();
    await machine.write(path, text);
    await machine.install(agent);
    expect(await machine.read(path)).not.toBe(text);
    await machine.uninstall(agent);
    expect(await machine.read(path)).toBe(text);
  });

  it("leaves later changes of the user when it is removed", async () => {
    const machine = await installMachine();
    await machine.install("gemini");
    const text = await machine.read("home/.gemini/settings.json");
    await machine.write("home/.gemini/settings.json", text.replace("{", '{\n  "theme": "dark", // new'));
    await machine.uninstall("gemini");
    expect(await machine.read("home/.gemini/settings.json")).toBe('{\n  "theme": "dark" // new\n}\n');
  });

  it("replaces an earlier one with other settings, and is still undone exactly", async () => {
    const machine = await installMachine();
    const text = '{ "mcpServers": {} }\n';
    await machine.write("home/.cursor/mcp.json", text);
    await machine.install("cursor");
    await machine.install("cursor", "user", { namespace: "other" });
    const { membus } = parseJsonc(await machine.read("home/.cursor/mcp.json")).mcpServers;
    expect(membus.args.slice(-2)).toEqual(["--namespace", "other"]);
    await machine.uninstall("cursor");
    expect(await machine.read("home/.cursor/mcp.json")).toBe(text);
  });

  it("does not move when the user adds a server below", async () => {
    const machine = await installMachine();
    await machine.install("cursor");
    const text = await machine.read("home/.cursor/mcp.json");
    await machine.write("home/.cursor/mcp.json", text.replace(/\}(?=\s*\}\s*\}\s*$)/, '},\n    "last": {}'));
    expect(Object.keys(parseJsonc(await machine.read("home/.cursor/mcp.json")).mcpServers)).toEqual([
      "membus",
      "last",
    ]);
    expect(await machine.install("cursor")).toEqual([]);
  });

  it("uses the folders that the variables of the agents name", async () => {
    const machine = await installMachine({
      CLAUDE_CONFIG_DIR: "c",
      CODEX_HOME: "x",
      HERMES_HOME: "h",
      GEMINI_CLI_HOME: "g",
      OPENCLAW_STATE_DIR: "o",
      PI_CODING_AGENT_DIR: "p",
    });
    for (const agent of ["claude-code", "codex", "hermes", "gemini", "openclaw", "pi"])
      await machine.install(agent);
    const files = await machine.files();
    expect(files.filter((path) => /\.(js|json|toml|yaml)$/.test(path))).toEqual([
      "home/c/.claude.json",
      "home/c/settings.json",
      "home/g/.gemini/settings.json",
      "home/h/config.yaml",
      "home/o/openclaw.json",
      "home/p/extensions/membus.js",
      "home/p/mcp.json",
      "home/x/config.toml",
      "home/x/hooks.json",
    ]);
  });

  it("uses a file that a variable names outside of the home folder", async () => {
    const machine = await installMachine({ OPENCLAW_CONFIG_PATH: "../shared/openclaw.json" });
    await machine.install("openclaw");
    expect(await machine.files()).toEqual(["shared", "shared/openclaw.json"]);
    await machine.uninstall("openclaw");
    expect(await machine.files()).toEqual([]);
  });

  it("writes nothing over a change that another program makes at the same time", async () => {
    const machine = await installMachine();
    await machine.write("home/.claude.json", "{}");
    const changes = await machine.setup("claude-code").planInstall();
    await machine.write("home/.claude.json", '{"numStartups": 1}');
    await expect(machine.setup("claude-code").apply(changes)).rejects.toThrow(
      /another program has changed .*\.claude\.json/,
    );
    expect(await machine.read("home/.claude.json")).toBe('{"numStartups": 1}');
    expect(await machine.files()).toEqual(["home/.claude.json"]);
  });
});

describe("a plugin", () => {
  it("of OpenCode joins the plugins of the user, and follows a moved installation", async () => {
    const machine = await installMachine();
    const text =
      '{ "plugin": ["mine", ["/old/coding-agents/plugins/opencode/index.js", { "command": [] }]] }\n';
    await machine.write("home/.config/opencode/opencode.json", text);
    await machine.install("opencode");
    const { plugin } = parseJsonc(await machine.read("home/.config/opencode/opencode.json"));
    expect(plugin).toEqual(["mine", OPENCODE_CONFIG.plugin[0]]);
    await machine.uninstall("opencode");
    expect(parseJsonc(await machine.read("home/.config/opencode/opencode.json"))).toEqual({
      plugin: ["mine"],
    });
  });

  it("of pi keeps a file of the user with its name", async () => {
    const machine = await installMachine();
    const path = await machine.write("home/.pi/agent/extensions/membus.js", "export default () => {};\n");
    await expect(machine.install("pi")).rejects.toThrow(
      `${path}: membus is another program: rename or remove it first`,
    );
    expect(await machine.uninstall("pi")).toEqual([]);
    expect(await machine.files()).toEqual([
      "home/.pi",
      "home/.pi/agent",
      "home/.pi/agent/extensions",
      "home/.pi/agent/extensions/membus.js",
    ]);
  });

  it("of OpenClaw does not take the memory slot from another plugin", async () => {
    const machine = await installMachine();
    const text = '{ "plugins": { "slots": { "memory": "memory-lancedb" } } }\n';
    const path = await machine.write("home/.openclaw/openclaw.json", text);
    await expect(machine.install("openclaw")).rejects.toThrow(
      `${path}: plugins.slots.memory is another program: rename or remove it first`,
    );
    expect(await machine.read("home/.openclaw/openclaw.json")).toBe(text);
  });
});

describe("files that are refused", () => {
  it("have a syntax error: no file is written", async () => {
    const machine = await installMachine();
    const path = await machine.write("home/.claude/settings.json", '{\n  "a": 1\n  "b": 2\n}\n');
    await expect(machine.install("claude-code")).rejects.toThrow(
      `${path}:3:3: CommaExpected. membus has changed nothing`,
    );
    expect(await machine.files()).toEqual(["home/.claude", "home/.claude/settings.json"]);
  });

  it("have another server of this name, which is not removed either", async () => {
    const machine = await installMachine();
    const text = '{"mcpServers": {"membus": {"command": "mine"}}}';
    const path = await machine.write("home/.cursor/mcp.json", text);
    await expect(machine.install("cursor")).rejects.toThrow(
      `${path}: mcpServers.membus is another program: rename or remove it first`,
    );
    expect(await machine.uninstall("cursor")).toEqual([]);
    expect(await machine.read("home/.cursor/mcp.json")).toBe(text);
  });

  it("are a link of the project to another folder", async () => {
    const machine = await installMachine();
    await machine.write("home/.claude.json", "{}");
    await symlink(join(machine.home, ".claude.json"), join(machine.project, ".mcp.json"));
    await expect(machine.install("claude-code", "project")).rejects.toThrow(`outside of ${machine.project}`);
    expect(await machine.read("home/.claude.json")).toBe("{}");
  });

  it("are in a folder that the project links to", async () => {
    const machine = await installMachine();
    await mkdir(join(machine.home, "elsewhere"));
    await symlink(join(machine.home, "elsewhere"), join(machine.project, ".gemini"));
    await expect(machine.install("gemini", "project")).rejects.toThrow(`outside of ${machine.project}`);
    expect(await machine.files()).toEqual(["home/elsewhere", "my project/.gemini"]);
  });

  it("are a link to nothing, a folder, or no text", async () => {
    const machine = await installMachine();
    await mkdir(join(machine.home, ".cursor"));
    await symlink("missing.json", join(machine.home, ".cursor/mcp.json"));
    await expect(machine.install("cursor")).rejects.toThrow("is a link to a file that does not exist");
    await mkdir(join(machine.home, ".gemini/settings.json"), { recursive: true });
    await expect(machine.install("gemini")).rejects.toThrow("settings.json is not a file");
    await machine.write("home/.codex/hooks.json", Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(machine.install("codex")).rejects.toThrow("hooks.json is not UTF-8 text");
  });
});

it("keeps a link to a file in the home folder, and edits the file", async () => {
  const machine = await installMachine();
  const target = await machine.write("home/dotfiles/mcp.json", "{}\n");
  await mkdir(join(machine.home, ".cursor"));
  await symlink(target, join(machine.home, ".cursor/mcp.json"));
  await machine.install("cursor");
  expect(parseJsonc(await machine.read("home/dotfiles/mcp.json")).mcpServers.membus.command).toBe(
    "/usr/bin/node",
  );
  expect((await lstat(join(machine.home, ".cursor/mcp.json"))).isSymbolicLink()).toBe(true);
  await machine.uninstall("cursor");
  expect(await machine.read("home/dotfiles/mcp.json")).toBe("{}\n");
});
