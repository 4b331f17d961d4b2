export { agents } from "./agents.js";
export { forget } from "./forget.js";
export { list } from "./list.js";
export { retrieve } from "./retrieve.js";
export type { NamespaceRule, RequestContext, Runtime } from "./runtime.js";
export { status } from "./status.js";
export { store } from "./store.js";
export { restrictToSubjectTier } from "./subject-tier.js";
