import type { AgentMemory } from "@membus/agent-client";
import type { JsonObject } from "@membus/protocol";

type EditRoute = (memory: AgentMemory, body: JsonObject) => Promise<unknown>;

/** What changes memory, by what stands behind `/inspector/`. */
export const EDIT_ROUTES: Readonly<Record<string, EditRoute>> = {};
