// The program of `membus hook`. Agents wait for it at each prompt, so it contains no other command.
import { CommanderError } from "commander";
import { config } from "zod";
import { registerHook } from "../commands/hook.js";
import { createRootCommand } from "../root-command.js";
import { printAnswer } from "./print-answer.js";

// Compiling a schema takes longer than to interpret it once.
config({ jitless: true });

/** @param onConnected called when most of the program has run, before the process ends. */
export async function main(onConnected: () => void): Promise<void> {
  const program = createRootCommand();
  registerHook(program, onConnected);
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    const isHelp = error instanceof CommanderError && error.exitCode === 0;
    if (!isHelp) await printAnswer(() => Promise.reject(error as Error));
  }
}
