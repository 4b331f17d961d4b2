import type { Logger } from "./ports.js";

/** Of a library that says nothing unless it is asked to. */
export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });
