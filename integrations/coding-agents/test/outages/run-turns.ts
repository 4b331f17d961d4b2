import { join } from "node:path";
import { OUTBOX_FOLDER, Outbox } from "../../src/index.js";
import type { AgentTurns } from "./agent-turns.js";
import type { OutageStage } from "./outage-stage.js";

/** Turns without an outage that deliver the last writes. */
const LAST_TURNS_MAX = 20;
const NOTE_EVERY = 50;

export interface TurnsResult {
  readonly outages: number;
  readonly written: number;
  /** Outages after which writes were queued. */
  readonly interrupted: number;
  /** Turns that left writes in the outbox, and read no notice. */
  readonly withoutNotice: number;
  readonly lost: number;
  /** Statements that are stored twice, and entries with more than one revision. */
  readonly doubled: number;
}

/** Runs one turn in each outage, then turns without one until all writes are delivered. `signal` ends the outages. */
export async function runTurns(
  stage: OutageStage,
  turns: AgentTurns,
  outagesMax: number,
  { onProgress, signal }: { readonly onProgress: (line: string) => void; readonly signal: AbortSignal },
): Promise<TurnsResult> {
  const outbox = new Outbox(join(stage.folder, OUTBOX_FOLDER));
  const statements: string[] = [];
  let outages = 0;
  let interrupted = 0;
  let withoutNotice = 0;

  async function turn(): Promise<boolean> {
    const statement = `Always use tool-${String(statements.length).padStart(5, "0")} in this repository.`;
    statements.push(statement);
    const shown = await turns.run(statement);
    const isQueued = (await outbox.state()).queued > 0;
    if (isQueued && !shown.includes("membus: memory is degraded")) withoutNotice++;
    return isQueued;
  }

  while (outages < outagesMax && !signal.aborted) {
    outages++;
    await stage.outage(async () => {
      if (await turn()) interrupted++;
    });
    if (outages % NOTE_EVERY === 0) onProgress(`${outages} outages, ${interrupted} with queued writes`);
  }
  for (let left = LAST_TURNS_MAX; left > 0 && (await turn()); left--);
  const texts = await stage.texts();
  const stored = new Set(texts);
  return {
    outages,
    written: statements.length,
    interrupted,
    withoutNotice,
    lost: statements.filter((statement) => !stored.has(statement)).length,
    doubled: stage.doubled + texts.length - stored.size,
  };
}
