import { openCodePlugin } from "@membus/coding-agents/opencode";

export default openCodePlugin([
  "npx",
  "--yes",
  "membus@0.1.0",
  "hook",
  "opencode",
  "--agent",
  "coding-agent",
]);
