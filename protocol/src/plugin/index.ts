export * from "./list-position.js";
export * from "./manifest.js";
export type * from "./plugin.js";
export * from "./plugin-module.js";
export * from "./plugin-problem.js";
export type * from "./ports.js";
export * from "./position.js";
