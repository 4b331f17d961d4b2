import type { ChildProcessWithoutNullStreams } from "node:child_process";

const HEADING = "or from JavaScript:\n";
const LAST_LINE = "Press Ctrl-C to stop.\n";

/** Returns the program that `membus up` prints, without its indentation. */
export async function printedProgram({
  stdout,
}: Pick<ChildProcessWithoutNullStreams, "stdout">): Promise<string> {
  let text = "";
  await new Promise<void>((resolve) => {
    stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(LAST_LINE)) resolve();
    });
  });
  const [program = ""] = text.split(HEADING)[1]!.split("\n\n");
  return program.replace(/^ {2}/gm, "");
}
