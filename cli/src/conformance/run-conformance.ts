import { runCommandLine } from "@membus/conformance";
import { launchHostOf } from "./through-host.js";

/** `membus conformance ...`: the suite's command line, with a host to put plugins behind. */
export async function runConformance(argv: readonly string[]): Promise<void> {
  const [node, program, , ...args] = argv as [string, string, string, ...string[]];
  await runCommandLine({ name: "membus conformance", throughHost: { launch: launchHostOf } }, [
    node,
    program,
    ...args,
  ]);
}
