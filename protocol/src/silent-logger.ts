import type { Logger } from "./plugin/index.js";

/** Of a library that says nothing unless it is asked to. */
export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });
