import { createProgram } from "./program.js";
import { reportFailure } from "./terminal/report-failure.js";

// LanceDB's native code writes warnings to standard error.
process.env.LANCEDB_LOG ??= "error";

// The reader has closed the pipe, as `head` does, so the output has no receiver.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

// The conformance suite has its own command line with different flags.
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
