import type { Command } from "commander";

/** Only the name, for the help: the suite reads its own arguments (see `main.ts`). */
export function registerConformance(program: Command): void {
  program
    .command("conformance")
    .description("prove a plugin or a host against the protocol: see membus conformance --help")
    .argument("[arguments...]");
}
