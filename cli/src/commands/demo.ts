import type { Command } from "commander";
import { definedOnly } from "../defined-only.js";
import { openSession } from "../session.js";

interface DemoFlags {
  readonly natsServer?: string;
  readonly keep?: boolean;
}

export function registerDemo(program: Command): void {
  program
    .command("demo")
    .description("play a scenario with two agents and a crash in a temporary directory, and check every step")
    .option("--nats-server <path>", "the nats-server to run")
    .option("--keep", "leave the temporary directory")
    .action(async (flags: DemoFlags, command: Command) => {
      const { config, output } = await openSession(command);
      const { runDemo } = await import("../demo/run-demo.js");
      const { Transcript } = await import("../demo/transcript.js");
      const { ensureNatsServer } = await import("@membus/nats-server");
      const explicitPath = flags.natsServer ?? config.nats.server;
      const found = await ensureNatsServer({
        env: process.env,
        onStep: output.note,
        ...definedOnly({ explicitPath }),
      });
      const transcript = new Transcript(
        output.json ? () => {} : (line) => void process.stdout.write(`${line}\n`),
      );
      await runDemo({ natsServer: found.path, keep: flags.keep === true }, transcript);
      if (output.json) output.result(transcript.steps, () => "");
      if (transcript.failed.length > 0) process.exitCode = 1;
    });
}

/** What `demo` starts twice; of no use to anybody else. */
export function registerDemoAgent(program: Command): void {
  program
    .command("demo-agent", { hidden: true })
    .argument("<name>")
    .action(async (name: string, _flags: object, command: Command) => {
      const { config } = await openSession(command);
      const { runAgentProcess } = await import("../demo/agent-process.js");
      await runAgentProcess(config, name);
    });
}
