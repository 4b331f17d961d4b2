import { delay, systemClock } from "@membus/protocol";
import type { Command } from "commander";
import type { Config } from "../config/config-schema.js";
import { ReindexRates } from "../reindex/reindex-rates.js";
import { openSession } from "../session.js";
import type { Output } from "../terminal/output.js";

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
  const { progressLines } = await import("../reindex/progress-lines.js");
  const rates = new ReindexRates(systemClock);
  for (;;) {
    const tiers = await readProgress(config);
    const explanation = status === true || watch === true ? "" : `\n${EXPLANATION}`;
    output.result(tiers, () => progressLines(tiers, rates).join("\n") + explanation);
    if (watch !== true || tiers.every(({ state }) => state === "done")) return;
    await delay(systemClock, WATCH_INTERVAL_MS);
  }
}
