#!/usr/bin/env node
import { createProgram } from "./program.js";
import { reportFailure } from "./report-failure.js";

// LanceDB's native part writes warnings to standard error beside our own log.
process.env.LANCEDB_LOG ??= "error";

// Whoever read our output has gone, as `head` does: nobody is left to write for.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  await createProgram().parseAsync(process.argv);
} catch (error) {
  process.exitCode = reportFailure(error, process.argv.includes("--json"));
}
