import { PluginManifestSchema } from "./manifest.js";
import type { MemoryPlugin } from "./plugin.js";

const REQUIRED = ["onStore", "onRetrieve", "onForget", "onStatus"] as const;
const OPTIONAL = ["open", "onErasure", "onList", "maintain", "stats", "close"] as const;

/** What keeps a value from being a `MemoryPlugin`, for a message; undefined where nothing does (clause PLUG-19). */
export function pluginProblem(value: unknown): string | undefined {
  if (value === null) return "null is no plugin";
  if (typeof value !== "object") return `${typeof value} is no plugin`;
  const plugin = value as Partial<Record<keyof MemoryPlugin, unknown>>;
  const missing = REQUIRED.filter((name) => typeof plugin[name] !== "function");
  if (missing.length > 0) return `no method ${missing.join(", ")}`;
  const wrong = OPTIONAL.find((name) => plugin[name] !== undefined && typeof plugin[name] !== "function");
  if (wrong !== undefined) return `\`${wrong}\` is no function`;
  const { data, error } = PluginManifestSchema.safeParse(plugin.manifest);
  if (data?.features.list && plugin.onList === undefined) return "no method onList, and `list` is declared";
  const issue = error?.issues[0];
  return issue && `${["manifest", ...issue.path].join(".")}: ${issue.message}`;
}
