import type { Command } from "commander";
import { definedOnly } from "../flags/defined-only.js";
import { type GatewayFlags, gatewayOptions } from "../gateway/gateway-options.js";
import { withGateway } from "../gateway/with-gateway.js";
import { createLogger } from "../logger.js";
import { openSession, type Session } from "../session.js";
import { untilSignalled } from "../until-signalled.js";

const OPENAI_HELP = `
With --openai, a program that talks to an OpenAI-compatible server gets a memory if its base URL is <this>/v1. Set these request
headers, or the fields membus_agent, membus_user, membus_conversation and membus_mode in its \`metadata\`:
  X-Membus-Agent         agent that owns the memory (default openai)
  X-Membus-User          user of the conversation (default: \`user\` of the request, or default)
  X-Membus-Conversation  conversation in which the messages are also stored
  X-Membus-Mode          static (default), agent (the model gets memory tools), both, or off
The gateway forwards the API key of the caller, or uses the key in the environment variable named by
\`gateway.openai.api_key_env\` in membus.yaml. With \`gateway.tokens\`, the variable is required, because the caller's key is then
a gateway token.`;

export function registerGateway(program: Command): void {
  program
    .command("gateway")
    .description("serve the bus over HTTP: A2E SDK, OpenAI clients, MCP, and a web page that shows memories")
    .option("--listen <address>", "address and port to listen on (default 127.0.0.1:8765)")
    .option(
      "--data <folder>",
      "data folder: sessions are stored in its subfolder `gateway` (default ./.membus)",
    )
    .option(
      "--openai <url>",
      "OpenAI-compatible model server to extend with memory, such as https://api.openai.com/v1",
    )
    .option("--edit", "allow the web page to change and forget entries")
    .addHelpText("after", OPENAI_HELP)
    .action(async (flags: GatewayFlags, command: Command) => {
      await runGateway(await openSession(command, definedOnly({ data: flags.data })), flags);
    });
}

async function runGateway({ config, output }: Session, flags: GatewayFlags): Promise<void> {
  const logger = createLogger(config.log_level);
  const options = gatewayOptions(config, flags, process.env);
  await withGateway({ config, options, logger }, async ({ url, banner }) => {
    const signalled = untilSignalled();
    output.result({ url }, () => banner);
    await signalled;
    output.note("stopping: completing requests in progress");
  });
}
