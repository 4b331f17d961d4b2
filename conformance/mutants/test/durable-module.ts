import { DurablePlugin } from "../src/reference/durable-plugin.js";

/** What a process that is killed loads. */
export function createPlugin(): DurablePlugin {
  return new DurablePlugin();
}
