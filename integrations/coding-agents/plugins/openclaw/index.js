import { openClawPlugin } from "@membus/coding-agents/openclaw";

export default openClawPlugin([
  "npx",
  "--yes",
  "membus@0.1.0",
  "hook",
  "openclaw",
  "--agent",
  "coding-agent",
]);
