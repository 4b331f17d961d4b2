import type { Outbox, OutboxItem } from "@membus/coding-agents";
import type { Command } from "commander";
import type { AgentSettings } from "../coding-agents/agent-settings.js";
import { createOutput, type Output } from "../terminal/output.js";

interface OutboxCommand {
  readonly outbox: Outbox;
  readonly settings: AgentSettings;
  readonly output: Output;
}

export function registerOutbox(program: Command): void {
  const outbox = program
    .command("outbox")
    .description("show and deliver the writes of coding agents that the host does not have yet");
  added(outbox, "list", "list queued and refused writes").action(async (_flags, command: Command) => {
    const { outbox, output } = await open(command);
    const items = await outbox.list();
    const { foreign } = await outbox.state();
    output.result({ writes: items, foreign }, () => listText(items, foreign));
  });
  added(outbox, "retry", "queue refused writes again, and deliver all queued writes")
    .argument("[id...]", "ids of refused writes (default: all)")
    .action(async (ids: string[], _flags, command: Command) => retry(await open(command), ids));
  added(outbox, "drop", "delete writes, which are lost then")
    .argument("[id...]", "ids of queued or refused writes")
    .option("--refused", "delete all refused writes")
    .action(async (ids: string[], flags: { readonly refused?: boolean }, command: Command) => {
      if ((ids.length === 0) === (flags.refused !== true))
        throw new TypeError("give either ids of writes, as `membus outbox list` shows them, or --refused");
      const { outbox, output } = await open(command);
      const dropped = await outbox.drop(ids.length === 0 ? undefined : ids);
      output.result({ dropped }, () => `deleted ${dropped} of the writes`);
    });
}

function added(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option("--state <folder>", "folder of the outbox (default: the state folder of the user)");
}

async function open(command: Command): Promise<OutboxCommand> {
  const { Outbox } = await import("@membus/coding-agents");
  const { agentSettings, outboxFolder } = await import("../coding-agents/agent-settings.js");
  const settings = await agentSettings(command, process.env);
  const output = createOutput(command.optsWithGlobals<{ json?: boolean }>().json === true);
  return { outbox: new Outbox(outboxFolder(settings)), settings, output };
}

async function retry({ outbox, settings, output }: OutboxCommand, ids: readonly string[]): Promise<void> {
  const { connectAgent } = await import("../coding-agents/hook-connection.js");
  await outbox.retry(ids.length === 0 ? undefined : ids);
  const client = await connectAgent(settings);
  try {
    const timeoutMs = settings.config.timeout_ms;
    const { reason, ...result } = await outbox.drainAll(client, { countMax: 1_000_000, timeoutMs });
    output.result({ ...result, ...(reason && { reason: reason.message }) }, () => {
      const { delivered, refused, damaged, queued } = result;
      const why = reason === undefined ? "" : `: ${reason.message}`;
      return `delivered ${delivered}, refused ${refused}, damaged ${damaged}, still queued ${queued}${why}`;
    });
    if (result.queued + result.refused > 0) process.exitCode = 1;
  } finally {
    await client.close();
  }
}

function listText(items: readonly OutboxItem[], foreign: readonly string[]): string {
  if (items.length + foreign.length === 0) return "the outbox is empty";
  const lines = items.map(({ id, state, time, bytes, write }) => {
    const date = new Date(time * 1_000).toISOString();
    const target =
      write === undefined ? "unreadable" : `${write.namespace}  ${JSON.stringify(write.entry.key)}`;
    const why = write?.refusal === undefined ? "" : `  ${write.refusal.code}: ${write.refusal.message}`;
    return `${id}  ${state}  ${date}  ${bytes} bytes  ${target}${why}`;
  });
  return [...lines, ...foreign.map((name) => `not a write: ${name}`)].join("\n");
}
