import { pathToFileURL } from "node:url";
import type { Launch } from "./launch.js";
import type { Entry } from "./syntax/syntax.js";

const PLUGIN_NAME = "membus";
/** The end of the path of a plugin of membus, also one of another folder. */
const PLUGIN_PATH = /\bcoding-agents\/plugins\/(?:openclaw|opencode|pi)\b/;
/** Begins the file of the extension for pi. */
const PI_MARK = "// Written by `membus install pi`.";
/** Begins the file of the memory provider for Hermes Agent. */
const HERMES_MARK = "# Written by `membus install hermes`.";

/** OpenCode passes the options of a plugin to it. */
export function openCodePluginEntry(launch: Launch): Entry {
  const file = pathToFileURL(launch.pluginPath("opencode", "index.js")).href;
  const value = [file, { command: commandOf(launch, "opencode") }];
  return { parents: ["plugin"], value, isOurs: isPluginOfMembus };
}

/** pi passes nothing to an extension, so its file holds the command. */
export function piExtensionEntry(launch: Launch): Entry {
  const file = pathToFileURL(launch.pluginPath("pi", "index.js")).href;
  const value = [
    PI_MARK,
    `import { piExtension } from ${JSON.stringify(file)};`,
    "",
    `export default piExtension(${JSON.stringify(commandOf(launch, "pi"))});`,
    "",
  ].join("\n");
  return wholeFile(value, PI_MARK);
}

/** `hermes memory setup membus` writes it. */
export const HERMES_CHOICE: Entry = {
  parents: ["memory"],
  key: "provider",
  value: PLUGIN_NAME,
  isOurs: (provider) => provider === PLUGIN_NAME,
};

/** Hermes Agent passes nothing to a memory provider, so its file holds the command. */
export function hermesProviderEntry(launch: Launch): Entry {
  const value = [
    HERMES_MARK,
    "from membus.hermes import MembusMemoryProvider",
    "",
    "",
    "def register(ctx):",
    // The strings of JSON are strings of Python.
    `    ctx.register_memory_provider(MembusMemoryProvider(${JSON.stringify(commandOf(launch, "hermes"))}))`,
    "",
  ].join("\n");
  return wholeFile(value, HERMES_MARK);
}

/** The plugin owns the memory slot. Without `allowConversationAccess` OpenClaw runs no hook of it. */
export function openClawPluginEntries(launch: Launch): Entry[] {
  const value = {
    enabled: true,
    hooks: { allowConversationAccess: true },
    config: { command: commandOf(launch, "openclaw") },
  };
  return [
    { parents: ["plugins", "load", "paths"], value: launch.pluginPath("openclaw"), isOurs: isPluginOfMembus },
    {
      parents: ["plugins", "slots"],
      key: "memory",
      value: PLUGIN_NAME,
      isOurs: (slot) => slot === PLUGIN_NAME,
    },
    { parents: ["plugins", "entries"], key: PLUGIN_NAME, value, isOurs: hasHookOfMembus },
  ];
}

/** A file that belongs to membus if it begins with a mark. */
function wholeFile(value: string, mark: string): Entry {
  const isOurs = (text: unknown) => typeof text === "string" && text.startsWith(mark);
  return { parents: [], key: PLUGIN_NAME, value, isOurs };
}

function commandOf(launch: Launch, agent: string): string[] {
  const { command, args } = launch.hook(agent);
  return [command, ...args];
}

/** Recognises a path, or a pair of a path and options. */
function isPluginOfMembus(entry: unknown): boolean {
  const path = Array.isArray(entry) ? entry[0] : entry;
  return typeof path === "string" && PLUGIN_PATH.test(path.replaceAll("\\", "/"));
}

function hasHookOfMembus(entry: unknown): boolean {
  return JSON.stringify(entry)?.includes('"hook","openclaw"') === true;
}
