export { errorLine, isFromWeb, isWorthKeeping, looksFailed, shortCommand } from "./command.js";
export { fixOf } from "./fixes.js";
export { type Note, type Provenance, toWrite } from "./note.js";
export { redact } from "./redact.js";
export { conclusionsOf, statementsOf } from "./statements.js";
export { TASK_LENGTH_MAX, turnNote } from "./turn-note.js";
