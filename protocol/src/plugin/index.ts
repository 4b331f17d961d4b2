export * from "./manifest.js";
export type * from "./plugin.js";
export type * from "./ports.js";
export * from "./position.js";
