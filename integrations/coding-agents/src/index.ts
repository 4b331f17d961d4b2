export {
  AGENTS,
  type AgentName,
  type HookAnswer,
  type HookDependencies,
  type HookOptions,
  HookOptionsSchema,
  OUTBOX_FOLDER,
  runHook,
} from "./hooks/index.js";
export {
  type DrainOptions,
  type DrainResult,
  degradedNotice,
  type NewWrite,
  Outbox,
  type OutboxItem,
  type OutboxOptions,
  OutboxOptionsSchema,
  type OutboxState,
} from "./outbox/index.js";
export { type Project, projectOf, type Subject } from "./project/index.js";
