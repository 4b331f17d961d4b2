import type { Logger } from "@membus/protocol/plugin";
import { pino } from "pino";

/** Returns a logger that writes JSON lines to standard error. */
export function createLogger(level: "debug" | "info" | "warn" | "error" | "silent"): Logger {
  return pino({ level, base: null }, pino.destination({ fd: 2, sync: true }));
}
