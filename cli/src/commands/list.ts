import type { ListRequest, ListResult } from "@membus/agent-client";
import type { ListItem } from "@membus/protocol";
import type { Command } from "commander";
import { addCriteriaFlags, type CriteriaFlags, criteriaOf } from "../flags/criteria-flags.js";
import { definedOnly } from "../flags/defined-only.js";
import { numberFlag } from "../flags/json-argument.js";
import { type CommonFlags, openSession, withClient } from "../session.js";

interface ListFlags extends CriteriaFlags {
  readonly field?: string;
  readonly depth?: string;
  readonly order?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

export function registerList(program: Command): void {
  const command = program
    .command("list")
    .description("list namespaces, or the values of a field, with counts")
    .argument("[namespace]", "namespace: a, a/** with everything below, or ** (default: list all namespaces)")
    .option("--field <field>", "tags, group, author, source, metadata.<name> or key.<name>")
    .option("--depth <segments>", "namespace depth: segments below the path, 1..8 (default 8)")
    .option("--order <order>", "name (default), count or newest")
    .option("--limit <count>", "items per page, 0..1000; 0 only counts (default 100)")
    .option("--cursor <cursor>", "cursor of the next page, from an earlier result");
  addCriteriaFlags(command).action(async (namespace: string | undefined, flags: ListFlags, self: Command) => {
    const { config, output } = await openSession(self);
    const isOfAll = flags.field === undefined && self.optsWithGlobals<CommonFlags>().namespace === undefined;
    const request = requestOf(namespace ?? (isOfAll ? "**" : undefined), flags);
    const reply = await withClient(config, (client) => client.list(request));
    output.result(reply, () => [...table(reply.items), summary(reply)].join("\n"));
  });
}

function requestOf(namespace: string | undefined, flags: ListFlags): ListRequest {
  return definedOnly({
    ...criteriaOf(flags),
    namespace,
    field: flags.field,
    depth: flags.depth === undefined ? undefined : numberFlag("--depth", flags.depth),
    order: flags.order,
    limit: flags.limit === undefined ? undefined : numberFlag("--limit", flags.limit),
    cursor: flags.cursor,
  }) as ListRequest;
}

/**
 * Returns one line per item. The value is last because it can be long. Text that looks like another JSON
 * value, or contains line breaks, is quoted.
 */
function table(items: readonly ListItem[]): string[] {
  if (items.length === 0) return [];
  const rows = items.map(({ value, count, newest, bytes }) => [
    String(count),
    String(bytes),
    new Date(newest * 1_000).toISOString(),
    valueText(value),
  ]);
  const lines = [["count", "bytes", "newest", "value"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines.map(([count, bytes, newest, value]) =>
    [count!.padStart(widths[0]!), bytes!.padStart(widths[1]!), newest!.padEnd(widths[2]!), value].join("  "),
  );
}

const PLAIN = /^(?!(true|false)$|[-+.\d]|\s)[^\p{C}"]*[^\p{C}"\s]$/u;

function valueText(value: ListItem["value"]): string {
  return typeof value === "string" && PLAIN.test(value) ? value : JSON.stringify(value);
}

function summary({ items, total, total_relation, cursor, degraded = [] }: ListResult): string {
  const lines = [`${items.length} of ${total_relation === "gte" ? "at least " : ""}${total}`];
  if (cursor !== undefined) lines.push(`next page: --cursor ${cursor}`);
  for (const { tier, message } of degraded) lines.push(`incomplete: ${tier}: ${message}`);
  return lines.join("\n");
}
