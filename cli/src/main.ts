import { createProgram } from "./program.js";
import { reportFailure } from "./terminal/report-failure.js";

// LanceDB's native part writes warnings to standard error beside our own log.
process.env.LANCEDB_LOG ??= "error";

// Whoever read our output has gone, as `head` does: nobody is left to write for.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

// The suite has a command line of its own, whose flags mean other things than ours.
if (process.argv[2] === "conformance") {
  const { runConformance } = await import("./conformance/run-conformance.js");
  await runConformance(process.argv);
} else await runProgram();

async function runProgram(): Promise<void> {
  try {
    await createProgram().parseAsync(process.argv);
  } catch (error) {
    process.exitCode = reportFailure(error, process.argv.includes("--json"));
  }
}
