import { Command } from "commander";
import { SUITE_VERSION } from "../report/suite-report.js";
import { registerHost } from "./host-command.js";
import { registerPlugin } from "./plugin-command.js";
import { registerRecords } from "./records-command.js";
import type { CommandLineOptions } from "./through-host.js";

const EXIT_HELP = `
Exit codes:
  0  conformant, or every red check is in the baseline, or the selected checks passed
  1  not conformant, a baseline check that is not red, or an entry that is not a valid record
  2  nothing was tested: wrong arguments or baseline, no module, server, host or records
  3  the suite has an error

Example:
  npx membus-conformance plugin ./my-plugin.js`;

/** Creates the command line of the suite. */
export function createProgram({
  name = "membus-conformance",
  throughHost,
}: CommandLineOptions = {}): Command {
  const program = new Command(name)
    .description("tests a membus plugin, or a host in any language, against the written protocol")
    .version(SUITE_VERSION)
    .addHelpText("after", EXIT_HELP)
    // Argument errors are reported like all other usage errors.
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  registerPlugin(program, throughHost);
  registerHost(program);
  registerRecords(program);
  return program;
}
