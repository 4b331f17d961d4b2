import { KitPlugin } from "@membus/plugin-kit";
import type { MemoryPlugin } from "@membus/protocol";
import { createStorage } from "./file-storage.js";

/**
 * What `membus-conformance`, and a host, call to get an instance; `options` are those of its settings. The kit does
 * everything but keep the rows.
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
