import { createLruPlugin } from "@membus/plugin-lru";

/** Creates a plugin for the working tier. Its maintenance always fails. */
export function createPlugin() {
  const plugin = createLruPlugin();
  plugin.maintain = async () => {
    throw new Error("no space left");
  };
  return plugin;
}
