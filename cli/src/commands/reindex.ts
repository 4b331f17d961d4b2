import { delay, systemClock } from "@membus/protocol";
import type { Command } from "commander";
import type { Config } from "../config/config-schema.js";
import type { TierProgress } from "../reindex/tier-progress.js";
import { openSession } from "../session.js";
import type { Output } from "../terminal/output.js";
import { shareBar } from "../terminal/progress-bar.js";

const WATCH_INTERVAL_MS = 1_000;

const EXPLANATION = `
A host finds entries of another embedder or analyzer by itself when it starts, and indexes them anew in the
background; stopped or killed, it goes on at the next start. To change the embedder: write its settings under
\`embedder\` in membus.yaml, and start the host again. Until a namespace is done, its queries are answered by
words alone, and \`degraded\` says so. \`kit: { reindexRowsPerSecondMax }\` bounds the rate.
\`membus reindex --watch\` shows the progress, and programs read it from \`a2e.$HOST.*.events.reindex.*\`.`;

interface ReindexFlags {
  readonly status?: boolean;
  readonly watch?: boolean;
}

export function registerReindex(program: Command): void {
  program
    .command("reindex")
    .description("show how far a changed embedder or analyzer has got, and how to change one")
    .option("--status", "only the progress")
    .option("--watch", "until all is done")
    .addHelpText("after", EXPLANATION)
    .action(async (flags: ReindexFlags, command: Command) => {
      const { config, output } = await openSession(command);
      await report(config, output, flags);
    });
}

async function report(config: Config, output: Output, { status, watch }: ReindexFlags): Promise<void> {
  const { readProgress } = await import("../reindex/tier-progress.js");
  for (;;) {
    const tiers = await readProgress(config);
    const explanation = status === true || watch === true ? "" : `\n${EXPLANATION}`;
    output.result(tiers, () => tiers.map(describe).join("\n") + explanation);
    if (watch !== true || tiers.every(({ state }) => state === "done")) return;
    await delay(systemClock, WATCH_INTERVAL_MS);
  }
}

function describe({ tier, state, generation, embedder, analyzer, total, done }: TierProgress): string {
  const ids = `generation ${generation}: ${embedder === "" ? "no embedder" : embedder}, ${analyzer}`;
  if (state === "done") return `${tier.padEnd(8)}  done  ${ids}`;
  const bar = shareBar(total === 0 ? 1 : done / total);
  return `${tier.padEnd(8)}  ${bar}  ${done} of ${total} entries, ${state}  ${ids}`;
}
