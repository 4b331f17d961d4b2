export { MUTANTS } from "./all.js";
export { type RunningHost, startHost } from "./host-under-test.js";
export { asBasic } from "./hosts/basic-host.js";
export { rewriteReplies } from "./hosts/intercept.js";
export { judge } from "./judge.js";
export type { Mutant } from "./mutant.js";
export { DurablePlugin } from "./reference/durable-plugin.js";
export { ReferencePlugin } from "./reference/reference-plugin.js";
