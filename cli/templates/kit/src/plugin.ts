import { KitPlugin, type MemoryPlugin } from "membus/plugin";
import { createStorage } from "./file-storage.js";

/**
 * Creates an instance, for a host or `membus conformance`. `options` come from the settings. The kit does
 * everything except storing rows.
 */
export function createPlugin(options: Readonly<Record<string, unknown>> = {}): MemoryPlugin {
  const [unknown] = Object.keys(options);
  if (unknown !== undefined) throw new TypeError(`plugin-name has no option \`${unknown}\``);
  return new KitPlugin({
    name: "plugin-name",
    version: "0.1.0",
    storage: createStorage,
  });
}
