import type { Logger } from "./plugin/index.js";

/** Logger that discards everything, the default of libraries. */
export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });
