// The one package that an agent developer installs: the client, and agent memory on top of it.
export * from "@membus/agent-client";
export * from "@membus/agentic";
export { type OpenedMemory, type OpenMemoryOptions, openMemory } from "./open-memory.js";
