export type { HookAnswer } from "./answer.js";
export { AGENTS, type AgentName } from "./hook-event.js";
export { type HookOptions, HookOptionsSchema } from "./hook-options.js";
export { type HookDependencies, OUTBOX_FOLDER, runHook } from "./run-hook.js";
