import type { MemoryClient } from "@membus/agent-client";
import type { MemoryEntry } from "@membus/protocol";
import { systemClock } from "@membus/protocol";
import { entriesPerS, ProgressBar } from "../terminal/progress-bar.js";
import { MEMBUS_VERSION } from "../version.js";
import type { ExportManifest } from "./export-format.js";
import { exportLines } from "./export-lines.js";
import { type ExportPlan, type ExportSelection, planExport } from "./export-plan.js";
import { placeFile } from "./place-file.js";
import { readEntries } from "./read-entries.js";

export interface ExportRequest extends ExportSelection {
  /** Whether entries have their vectors. */
  readonly hasEmbeddings?: boolean | undefined;
  /** Where the entries go. Returns the number of those that the format does not hold. */
  readonly write: (entries: AsyncIterable<MemoryEntry>, manifest: ManifestFields) => Promise<number>;
}

export type ManifestFields = Omit<ExportManifest, "format" | "format_version">;

export interface ExportResult extends Pick<ExportPlan, "omitted"> {
  readonly exported: number;
  /** Entries that the format does not hold. */
  readonly skipped: number;
}

/** Reads the selected entries and writes them, with a progress bar on a terminal. */
export async function runExport(client: MemoryClient, request: ExportRequest): Promise<ExportResult> {
  const plan = await planExport(client, request);
  const bar = new ProgressBar(plan.count, { clock: systemClock, formatRate: entriesPerS });
  let count = 0;
  const entries = async function* () {
    bar.draw(0, "0 entries");
    for await (const entry of readEntries(client, plan.scopes, request)) {
      count++;
      if (count % 100 === 0) bar.draw(count, `${count} entries`);
      yield entry;
    }
    bar.draw(plan.count, `${count} entries`);
    bar.end();
  };
  const skipped = await request.write(entries(), manifestOf(client, request, plan));
  return { exported: count - skipped, skipped, omitted: plan.omitted };
}

function manifestOf(client: MemoryClient, selection: ExportSelection, plan: ExportPlan): ManifestFields {
  const { criteria, namespace } = selection;
  const filters = { ...criteria, ...(namespace !== undefined && { namespace }) };
  return {
    time: new Date(systemClock.now() * 1_000).toISOString(),
    membus: MEMBUS_VERSION,
    tenant: client.tenant,
    agent: client.agent,
    session: client.session,
    tiers: plan.tiers,
    filters: Object.keys(filters).length === 0 ? null : (filters as ManifestFields["filters"]),
    omitted: plan.omitted,
  };
}

/** Returns a writer of the lossless format to a file, or to standard output. */
export function exportWriter(file: string | undefined): ExportRequest["write"] {
  return async (entries, manifest) => {
    const lines = exportLines(manifest, entries);
    if (file !== undefined) await placeFile(file, lines);
    else await writeToOutput(lines);
    return 0;
  };
}

/** Writes to standard output, which stays open. */
export async function writeToOutput(lines: AsyncIterable<string>): Promise<void> {
  const { pipeline } = await import("node:stream/promises");
  await pipeline(lines, process.stdout, { end: false });
}
