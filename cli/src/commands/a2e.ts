import { randomUUID } from "node:crypto";
import { connectNatsBus } from "@membus/bus";
import { systemClock } from "@membus/protocol";
import type { Command } from "commander";
import { definedOnly } from "../flags/defined-only.js";
import { natsOptions } from "../flags/nats-options.js";
import { createLogger } from "../logger.js";
import { openSession } from "../session.js";

export function registerA2e(program: Command): void {
  program
    .command("a2e")
    .description("serve A2E to the parent process, one message per line")
    .requiredOption("--stdio", "use standard input and output (for HTTP: `membus gateway`)")
    .action(async (_: object, command: Command) => {
      const { config } = await openSession(command);
      const { serveStdio } = await import("@membus/gateway");
      const logger = createLogger(config.log_level);
      const bus = await connectNatsBus(await natsOptions(config, "membus-a2e"), {
        logger,
        clock: systemClock,
      });
      try {
        const { prefix, tenant, gateway } = config;
        const options = { prefix, tenant, ...definedOnly({ tokens: gateway.tokens }) };
        const ends = { input: process.stdin, output: process.stdout };
        await serveStdio({ bus, ...ends, sessionId: randomUUID(), logger }, options);
      } finally {
        await bus.close();
      }
    });
}
