import { dirname, join } from "node:path";
import type { Launch } from "./launch.js";
import { hookEntry, serverEntry } from "./launch.js";
import { existingFile, folderOf, type Machine } from "./machine.js";
import {
  HERMES_CHOICE,
  hermesProviderEntry,
  openClawPluginEntries,
  openCodePluginEntry,
  piExtensionEntry,
} from "./plugin-entries.js";
import type { Entry } from "./syntax/syntax.js";

export type Scope = "user" | "project";

/** A file of an agent, and what membus adds to it. */
export interface ConfigTarget {
  readonly path: string;
  readonly syntax: "json" | "toml" | "yaml" | "whole-file";
  readonly entries: readonly Entry[];
  /** Settings for membus that the agent itself writes. They are removed with the entries. */
  readonly leftovers?: readonly Entry[];
}

export interface Agent {
  readonly id: string;
  readonly title: string;
  /** Names of its program. */
  readonly programs: readonly string[];
  readonly scopes: readonly Scope[];
  /** Folder of the files of the user. Links may lead to other folders inside of it or of the home folder. */
  folder(machine: Machine): string;
  targets(machine: Machine, scope: Scope, launch: Launch): ConfigTarget[];
  /** Next step of the user after the installation. */
  readonly next: string;
}

/** Memory of agents that do not start the server in the folder of a project. */
const SHARED_NAMESPACE = "default";
/** A variable of VS Code. */
const VSCODE_WORKSPACE = `\${workspaceFolder}`;
/** Codex allows no more for this event. */
const CODEX_SESSION_END_S = 3;

const CODEX_EVENTS = ["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "SessionEnd"];
/** Claude Code reports a failed command only as a failure. */
const CLAUDE_EVENTS = CODEX_EVENTS.toSpliced(3, 0, "PostToolUseFailure");

const claudeCode: Agent = {
  id: "claude-code",
  title: "Claude Code",
  programs: ["claude"],
  scopes: ["user", "project"],
  folder: (machine) => folderOf(machine, "CLAUDE_CONFIG_DIR", ".claude"),
  targets(machine, scope, launch) {
    const isUser = scope === "user";
    const servers = isUser
      ? join(folderOf(machine, "CLAUDE_CONFIG_DIR"), ".claude.json")
      : join(machine.project, ".mcp.json");
    const hooks = isUser
      ? join(this.folder(machine), "settings.json")
      : join(machine.project, ".claude", "settings.local.json");
    const server = serverEntry(["mcpServers"], { type: "stdio", ...launch.server() });
    // With `args` no shell reads the command.
    const entries = CLAUDE_EVENTS.map((event) => hookEntry(event, { ...launch.hook("claude-code") }));
    return [json(servers, server), { path: hooks, syntax: "json", entries }];
  },
  next: "Restart Claude Code. `/mcp` lists the server, `/hooks` the hooks.",
};

const codex: Agent = {
  id: "codex",
  title: "Codex",
  programs: ["codex"],
  scopes: ["user", "project"],
  folder: (machine) => folderOf(machine, "CODEX_HOME", ".codex"),
  targets(machine, scope, launch) {
    const folder = scope === "user" ? this.folder(machine) : join(machine.project, ".codex");
    const hook = launch.hook("codex");
    const command = [hook.command, ...hook.args].map((word) => shellWord(word, machine.platform)).join(" ");
    const entries = CODEX_EVENTS.map((event) =>
      event === "SessionEnd"
        ? hookEntry(event, { command }, CODEX_SESSION_END_S)
        : hookEntry(event, { command }),
    );
    return [
      {
        path: join(folder, "config.toml"),
        syntax: "toml",
        entries: [serverEntry(["mcp_servers"], { ...launch.server() })],
      },
      { path: join(folder, "hooks.json"), syntax: "json", entries },
    ];
  },
  next: "Restart Codex and approve the hooks with `/hooks`. Codex runs no hook before that.",
};

const cursor: Agent = {
  id: "cursor",
  title: "Cursor",
  programs: ["cursor", "cursor-agent"],
  scopes: ["user", "project"],
  folder: ({ home }) => join(home, ".cursor"),
  targets(machine, scope, launch) {
    const folder = scope === "user" ? this.folder(machine) : join(machine.project, ".cursor");
    return [
      json(
        join(folder, "mcp.json"),
        serverEntry(["mcpServers"], { type: "stdio", ...launch.server(SHARED_NAMESPACE) }),
      ),
    ];
  },
  next: "Restart Cursor and enable the server in the settings for MCP.",
};

const vscode: Agent = {
  id: "vscode",
  title: "VS Code",
  programs: ["code"],
  scopes: ["user", "project"],
  folder: vscodeFolder,
  targets(machine, scope, launch) {
    const value =
      scope === "user"
        ? { type: "stdio", ...launch.server(SHARED_NAMESPACE) }
        : { type: "stdio", ...launch.server(), cwd: VSCODE_WORKSPACE };
    const folder = scope === "user" ? this.folder(machine) : join(machine.project, ".vscode");
    return [json(join(folder, "mcp.json"), serverEntry(["servers"], value))];
  },
  next: "Start the server from the editor of mcp.json, or with the command `MCP: List Servers`.",
};

const gemini: Agent = {
  id: "gemini",
  title: "Gemini CLI",
  programs: ["gemini"],
  scopes: ["user", "project"],
  folder: (machine) => join(folderOf(machine, "GEMINI_CLI_HOME"), ".gemini"),
  targets(machine, scope, launch) {
    const folder = scope === "user" ? this.folder(machine) : join(machine.project, ".gemini");
    return [json(join(folder, "settings.json"), serverEntry(["mcpServers"], { ...launch.server() }))];
  },
  next: "Restart Gemini CLI. It starts servers only in trusted folders.",
};

const opencode: Agent = {
  id: "opencode",
  title: "OpenCode",
  programs: ["opencode"],
  scopes: ["user", "project"],
  folder: (machine) => join(folderOf(machine, "XDG_CONFIG_HOME", ".config"), "opencode"),
  targets(machine, scope, launch) {
    const folder = scope === "user" ? this.folder(machine) : machine.project;
    const { command, args } = launch.server();
    const value = { type: "local", command: [command, ...args], enabled: true };
    const entries = [serverEntry(["mcp"], value), openCodePluginEntry(launch)];
    return [{ path: existingFile(folder, ["opencode.json", "opencode.jsonc"]), syntax: "json", entries }];
  },
  next: "Restart OpenCode.",
};

const pi: Agent = {
  id: "pi",
  title: "pi",
  programs: ["pi"],
  scopes: ["user", "project"],
  folder: (machine) => folderOf(machine, "PI_CODING_AGENT_DIR", ".pi", "agent"),
  targets(machine, scope, launch) {
    const folder = scope === "user" ? this.folder(machine) : join(machine.project, ".pi");
    return [
      json(join(folder, "mcp.json"), serverEntry(["mcpServers"], { ...launch.server() })),
      {
        path: join(folder, "extensions", "membus.js"),
        syntax: "whole-file",
        entries: [piExtensionEntry(launch)],
      },
    ];
  },
  next: "Restart pi, or run `/reload`.",
};

const openclaw: Agent = {
  id: "openclaw",
  title: "OpenClaw",
  programs: ["openclaw"],
  scopes: ["user"],
  folder: (machine) => dirname(openclawFile(machine)),
  targets(machine, _scope, launch) {
    return [{ path: openclawFile(machine), syntax: "json", entries: openClawPluginEntries(launch) }];
  },
  next: "Restart the gateway of OpenClaw.",
};

const hermes: Agent = {
  id: "hermes",
  title: "Hermes Agent",
  programs: ["hermes"],
  scopes: ["user"],
  folder: (machine) =>
    machine.platform === "win32"
      ? folderOf(
          { ...machine, home: folderOf(machine, "LOCALAPPDATA", "AppData", "Local") },
          "HERMES_HOME",
          "hermes",
        )
      : folderOf(machine, "HERMES_HOME", ".hermes"),
  targets(machine, _scope, launch) {
    const folder = this.folder(machine);
    const entry = serverEntry(["mcp_servers"], { ...launch.server(SHARED_NAMESPACE) });
    const provider = join(folder, "plugins", "membus", "__init__.py");
    return [
      {
        path: join(folder, "config.yaml"),
        syntax: "yaml",
        entries: [entry],
        leftovers: [HERMES_CHOICE],
      },
      { path: provider, syntax: "whole-file", entries: [hermesProviderEntry(launch)] },
    ];
  },
  next: "Install the Python package membus where Hermes Agent is, run `hermes memory setup membus`, and restart it.",
};

export const AGENTS: readonly Agent[] = [
  claudeCode,
  codex,
  cursor,
  vscode,
  gemini,
  opencode,
  pi,
  openclaw,
  hermes,
];

function openclawFile(machine: Machine): string {
  if (machine.env.OPENCLAW_CONFIG_PATH) return folderOf(machine, "OPENCLAW_CONFIG_PATH");
  const home = folderOf(machine, "OPENCLAW_HOME");
  return join(folderOf({ ...machine, home }, "OPENCLAW_STATE_DIR", ".openclaw"), "openclaw.json");
}

function vscodeFolder(machine: Machine): string {
  const { platform, home } = machine;
  if (platform === "darwin") return join(home, "Library", "Application Support", "Code", "User");
  if (platform === "win32") return join(folderOf(machine, "APPDATA", "AppData", "Roaming"), "Code", "User");
  return join(folderOf(machine, "XDG_CONFIG_HOME", ".config"), "Code", "User");
}

function json(path: string, entry: Entry): ConfigTarget {
  return { path, syntax: "json", entries: [entry] };
}

/** Quotes a word for the shell that runs the hooks of Codex. */
function shellWord(word: string, platform: NodeJS.Platform): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}
