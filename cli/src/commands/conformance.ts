import type { Command } from "commander";

/** Registers only the name, for the help. The suite parses its own arguments (see `main.ts`). */
export function registerConformance(program: Command): void {
  program
    .command("conformance")
    .description("test a plugin or a host against the protocol (see membus conformance --help)")
    .argument("[arguments...]");
}
