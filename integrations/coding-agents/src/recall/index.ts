export { contextText } from "./context-text.js";
export { findForPrompt, findForSession } from "./find-memories.js";
