import { runCommandLine } from "@membus/conformance";
import { launchPluginHost } from "./through-host.js";

/** Runs `membus conformance`: the command line of the suite, with a host that runs the plugin under test. */
export async function runConformance(argv: readonly string[]): Promise<void> {
  const [node, program, , ...args] = argv as [string, string, string, ...string[]];
  await runCommandLine({ name: "membus conformance", throughHost: { launch: launchPluginHost } }, [
    node,
    program,
    ...args,
  ]);
}
