import type { Logger } from "@membus/protocol";

/** A library says nothing unless it is asked to. */
export const SILENT_LOGGER: Logger = Object.freeze({
  debug() {},
  info() {},
  warn() {},
  error() {},
});
