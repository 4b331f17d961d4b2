import { basename, join } from "node:path";
import type { PassedFlags, Programs } from "./programs.js";
import type { ConfigValue, Entry } from "./syntax/syntax.js";

/** Name of the MCP server in every configuration. */
const SERVER_NAME = "membus";
const HOOK_TIMEOUT_S = 10;

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Creates the entries of one agent. */
export class Launch {
  constructor(
    private readonly programs: Programs,
    private readonly flags: PassedFlags,
  ) {}

  /** `namespace` applies without `--namespace`, for agents that do not start the server in the project. */
  server(namespace?: string): ServerCommand {
    const name = this.flags.namespace ?? namespace;
    const namespaceFlags = name === undefined ? [] : ["--namespace", name];
    return {
      command: this.programs.node,
      args: [this.programs.membus, "mcp", ...this.flags.connection, ...namespaceFlags],
    };
  }

  /** Returns the path of a file of the plugin of an agent. */
  pluginPath(agent: string, ...names: readonly string[]): string {
    return join(this.programs.plugins, agent, ...names);
  }

  /** Returns the program and the arguments of the hooks of an agent. */
  hook(agent: string): ServerCommand {
    return {
      command: this.programs.node,
      args: [this.programs.membus, "hook", agent, ...this.flags.connection, ...this.flags.hook],
    };
  }
}

/** Returns the entry of the MCP server below `parents`. */
export function serverEntry(parents: readonly string[], value: ConfigValue): Entry {
  return { parents, key: SERVER_NAME, value, isOurs: isServerOfMembus };
}

/** Returns the entry of a hook that runs at an event. `seconds` is its time limit. */
export function hookEntry(
  event: string,
  handler: Record<string, ConfigValue>,
  seconds = HOOK_TIMEOUT_S,
): Entry {
  const value = { hooks: [{ type: "command", ...handler, timeout: seconds }] };
  return { parents: ["hooks", event], value, isOurs: isHookOfMembus };
}

/** Recognises `membus mcp` and `membus-mcp` of any version. */
function isServerOfMembus(server: unknown): boolean {
  const words = wordsOf(server);
  return hasProgram(words, "membus-mcp") || (hasProgram(words, "membus") && words.includes("mcp"));
}

/** Recognises `membus hook` of any version. A group with further hooks belongs to the user. */
function isHookOfMembus(group: unknown): boolean {
  const hooks = typeof group === "object" && group !== null && "hooks" in group ? group.hooks : undefined;
  if (!Array.isArray(hooks) || hooks.length !== 1) return false;
  const words = wordsOf(hooks);
  return hasProgram(words, "membus") && words.includes("hook");
}

function hasProgram(words: readonly string[], program: string): boolean {
  const names = [program, `${program}.js`];
  return words.some((word) => names.includes(basename(word.replaceAll("\\", "/"))));
}

function wordsOf(value: unknown): string[] {
  if (typeof value === "string") return value.split(/["' ]+/);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(wordsOf);
}
