export * from "./clock.js";
export { ERROR_CATALOGUE, type ErrorCode } from "./error-catalogue.js";
export * from "./memory-error.js";
export type * from "./ports.js";
