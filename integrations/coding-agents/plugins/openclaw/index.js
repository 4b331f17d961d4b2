// OpenClaw copies this folder, so all files of the plugin are inside of it.
import { openClawPlugin } from "./dist/openclaw.js";

export default openClawPlugin([
  "npx",
  "--yes",
  "membus@0.1.0",
  "hook",
  "openclaw",
  "--agent",
  "coding-agent",
]);
