import { delay, systemClock } from "@membus/protocol";
import type { Command } from "commander";
import type { Config } from "../config/config-schema.js";
import { ReindexRates } from "../reindex/reindex-rates.js";
import type { TierProgress } from "../reindex/tier-progress.js";
import { openSession } from "../session.js";
import type { Output } from "../terminal/output.js";
import { shareBar } from "../terminal/progress-bar.js";

const WATCH_INTERVAL_MS = 1_000;

const EXPLANATION = `
To change the embedder, edit \`embedder\` in membus.yaml and restart the host. On startup, the host detects entries that were
indexed with another embedder or analyzer and re-indexes them in the background. If it is stopped or killed, it continues after
the next start. Until a namespace is re-indexed, its queries use full-text search only, and the reply contains \`degraded\`.
Limit the rate with \`kit: { reindexRowsPerSecondMax }\`.
\`membus reindex --watch\` shows the progress. Programs can subscribe to \`a2e.$HOST.*.events.reindex.*\`.`;

interface ReindexFlags {
  readonly status?: boolean;
  readonly watch?: boolean;
}

export function registerReindex(program: Command): void {
  program
    .command("reindex")
    .description(
      "show the progress of re-indexing after a change of embedder or analyzer, and explain how to change it",
    )
    .option("--status", "only show the progress")
    .option("--watch", "keep showing the progress until re-indexing is complete")
    .addHelpText("after", EXPLANATION)
    .action(async (flags: ReindexFlags, command: Command) => {
      const { config, output } = await openSession(command);
      await report(config, output, flags);
    });
}

async function report(config: Config, output: Output, { status, watch }: ReindexFlags): Promise<void> {
  const { readProgress } = await import("../reindex/tier-progress.js");
  const rates = new ReindexRates(systemClock);
  for (;;) {
    const tiers = await readProgress(config);
    const explanation = status === true || watch === true ? "" : `\n${EXPLANATION}`;
    const isCluster = new Set(tiers.map(({ host_id: host }) => host)).size > 1;
    const lineOf = (tier: TierProgress) =>
      `${describe(tier, rates.textOf(tier))}${isCluster ? `, host ${tier.host_id}` : ""}`;
    output.result(tiers, () => tiers.map(lineOf).join("\n") + explanation);
    if (watch !== true || tiers.every(({ state }) => state === "done")) return;
    await delay(systemClock, WATCH_INTERVAL_MS);
  }
}

function describe(progress: TierProgress, rate: string): string {
  const { tier, state, generation, embedder, analyzer, total, done } = progress;
  const ids = `generation ${generation}: ${embedder === "" ? "no embedder" : embedder}, ${analyzer}`;
  if (state === "done") return `${tier.padEnd(8)}  done  ${ids}`;
  const bar = shareBar(total === 0 ? 1 : done / total);
  const speed = rate === "" ? "" : `, ${rate}`;
  return `${tier.padEnd(8)}  ${bar}  ${done} of ${total} entries${speed}, ${state}  ${ids}`;
}
