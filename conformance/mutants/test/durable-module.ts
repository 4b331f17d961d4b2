import { DurablePlugin } from "../src/reference/durable-plugin.js";

/** Factory that the killed process loads. */
export function createPlugin(): DurablePlugin {
  return new DurablePlugin();
}
