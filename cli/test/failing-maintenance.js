import { createLruPlugin } from "@membus/plugin-lru";

/** A working tier whose maintenance always fails. */
export function createPlugin() {
  const plugin = createLruPlugin();
  plugin.maintain = async () => {
    throw new Error("no space left");
  };
  return plugin;
}
