import { DurablePlugin } from "./durable-plugin.js";

/** What a process that is killed loads. */
export function createPlugin(): DurablePlugin {
  return new DurablePlugin();
}
