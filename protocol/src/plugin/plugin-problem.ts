import { PluginManifestSchema } from "./manifest.js";
import type { MemoryPlugin } from "./plugin.js";

const REQUIRED = ["onStore", "onRetrieve", "onForget", "onStatus"] as const;
const OPTIONAL = ["open", "onErasure", "onList", "onAgents", "maintain", "stats", "close"] as const;

/** Returns why a value is not a `MemoryPlugin`, or undefined if it is valid (clause PLUG-19). */
export function pluginProblem(value: unknown): string | undefined {
  if (value === null) return "null is not a plugin";
  if (typeof value !== "object") return `${typeof value} is not a plugin`;
  const plugin = value as Partial<Record<keyof MemoryPlugin, unknown>>;
  const missing = REQUIRED.filter((name) => typeof plugin[name] !== "function");
  if (missing.length > 0) return `missing method ${missing.join(", ")}`;
  const wrong = OPTIONAL.find((name) => plugin[name] !== undefined && typeof plugin[name] !== "function");
  if (wrong !== undefined) return `\`${wrong}\` is not a function`;
  const { data, error } = PluginManifestSchema.safeParse(plugin.manifest);
  if (data?.features.list && plugin.onList === undefined)
    return "missing method onList: the manifest declares `list`";
  if (data?.features.agents && plugin.onAgents === undefined)
    return "missing method onAgents: the manifest declares `agents`";
  const issue = error?.issues[0];
  return issue && `${["manifest", ...issue.path].join(".")}: ${issue.message}`;
}
