import { piExtension } from "@membus/coding-agents/pi";

export default piExtension(["npx", "--yes", "membus@0.1.0", "hook", "pi", "--agent", "coding-agent"]);

export { piExtension };
