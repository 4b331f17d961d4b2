import { join } from "node:path";
import { connectNatsBus } from "@membus/bus";
import { systemClock } from "@membus/protocol";
import type { Command } from "commander";
import { definedOnly } from "../flags/defined-only.js";
import { natsOptions } from "../flags/nats-options.js";
import { type GatewayFlags, gatewayOptions, tlsOf } from "../gateway/gateway-options.js";
import { createLogger } from "../logger.js";
import { openSession, type Session } from "../session.js";
import { untilSignalled } from "../until-signalled.js";

const OPENAI_HELP = `
With --openai, a program that talks to an OpenAI-compatible server remembers when its base URL is <this>/v1. Headers of a
request, or fields membus_agent, membus_user, membus_conversation and membus_mode of its \`metadata\`:
  X-Membus-Agent         whose memory it is (default openai)
  X-Membus-User          whom it talks with (default \`user\` of the request, else default)
  X-Membus-Conversation  keeps what is said in this conversation, too
  X-Membus-Mode          static (the default), agent: by tools that the model gets, both, or off
The server's key is the caller's own, or in the variable that \`gateway.openai.api_key_env\` of membus.yaml names, which with
\`gateway.tokens\` is the only one: the caller's key is then a token of the gateway.`;

export function registerGateway(program: Command): void {
  program
    .command("gateway")
    .description(
      "open the bus over HTTP: A2E's SDK and clients of OpenAI work unchanged, a page shows memories",
    )
    .option("--listen <address>", "address and port, such as 127.0.0.1:8765 (the default)")
    .option("--data <folder>", "folder whose `gateway` holds the sessions (default ./.membus)")
    .option("--openai <url>", "model server behind /v1, such as https://api.openai.com/v1: it gets a memory")
    .option("--edit", "let the page at / change and forget entries, too")
    .addHelpText("after", OPENAI_HELP)
    .action(async (flags: GatewayFlags, command: Command) => {
      await runGateway(await openSession(command, definedOnly({ data: flags.data })), flags);
    });
}

async function runGateway({ config, output }: Session, flags: GatewayFlags): Promise<void> {
  const { Gateway } = await import("@membus/gateway");
  const logger = createLogger(config.log_level);
  const tls = await tlsOf(config);
  const bus = await connectNatsBus(await natsOptions(config, "membus-gateway"), {
    logger,
    clock: systemClock,
  });
  try {
    const directory = join(config.data, "gateway");
    const dependencies = { bus, directory, logger, ...(tls && { tls }) };
    const gateway = new Gateway(dependencies, gatewayOptions(config, flags, process.env));
    const url = await gateway.start();
    try {
      output.result({ url }, () => `membus gateway listens on ${url}`);
      await untilSignalled();
      output.note("stopping: answering what is in flight");
    } finally {
      await gateway.stop();
    }
  } finally {
    await bus.close();
  }
}
