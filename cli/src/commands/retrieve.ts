import type { RetrieveRequest } from "@membus/agent-client";
import type { Command } from "commander";
import { addCriteriaFlags, type CriteriaFlags, criteriaOf } from "../flags/criteria-flags.js";
import { definedOnly } from "../flags/defined-only.js";
import { numberFlag } from "../flags/json-argument.js";
import { addSteeringFlags, type SteeringFlags, steeringOf } from "../flags/steering-flags.js";
import { openSession, withClient } from "../session.js";
import { entryLines, summaryLines } from "../terminal/entry-text.js";

interface RetrieveFlags extends CriteriaFlags, SteeringFlags {
  readonly order?: string;
  readonly limit?: string;
  readonly minScore?: string;
  readonly mode?: string;
  readonly include?: string[];
  readonly cursor?: string;
}

export function registerRetrieve(program: Command): void {
  const command = program
    .command("retrieve")
    .description("search entries by meaning, words and criteria")
    .argument("[query]", "search query (default: list the newest entries)")
    .option("--order <order>", "relevance, newest or oldest")
    .option("--limit <count>", "entries per page, 0..1000; 0 only counts (default 10)")
    .option("--min-score <score>", "minimum score, 0..1")
    .option("--mode <mode>", "hybrid (default), vector or text")
    .option("--include <field...>", "additional fields: context, embedding, snippet (the best passage)")
    .option("--cursor <cursor>", "cursor of the next page, from an earlier result");
  addCriteriaFlags(addSteeringFlags(command)).action(
    async (query: string | undefined, flags: RetrieveFlags, self: Command) => {
      const { config, output } = await openSession(self);
      const reply = await withClient(config, (client) => client.retrieve(requestOf(query, flags)));
      output.result(reply, () => [...reply.entries.flatMap(entryLines), ...summaryLines(reply)].join("\n"));
    },
  );
}

function requestOf(query: string | undefined, flags: RetrieveFlags): RetrieveRequest {
  return definedOnly({
    ...criteriaOf(flags),
    query,
    order: flags.order,
    limit: flags.limit === undefined ? undefined : numberFlag("--limit", flags.limit),
    min_score: flags.minScore === undefined ? undefined : numberFlag("--min-score", flags.minScore),
    mode: flags.mode,
    include: flags.include,
    cursor: flags.cursor,
    ...steeringOf(flags),
  }) as RetrieveRequest;
}
