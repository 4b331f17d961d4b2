/** A change of a source file, which must have `from` once. */
export interface SourceEdit {
  /** End of the file's path. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Faults of hosts that histories of their clients must show. */
export const PLANTS = {
  noEpochRecord: [
    {
      file: "cluster/src/log/stream-log.ts",
      from: "    else await beginEpoch(parts, segments.at(-1)!, reader, { firstSeq: nextSeq, lost });",
      to: "    else segments.at(-1)!.addMark(Math.max(nextSeq, segments.at(-1)!.nextSeq));",
    },
  ],
  noRowCount: [
    {
      file: "plugins/lancedb/src/store/verified-commits.ts",
      from: "if (found.rowCount === rowCount + addedCount) {",
      to: "if (found.rowCount >= 0) {",
    },
  ],
  noLeaseCheck: [
    {
      file: "cluster/src/routing/subscribe-shard.ts",
      from: "    if (hold.isOwned) return onRequest(",
      to: "    return onRequest(",
    },
    {
      file: "cluster/src/serving/sharded-plugin.ts",
      from: "  hold.mustOwn();\n  const result = call(plugin);",
      to: "  const result = call(plugin);",
    },
    {
      file: "cluster/src/serving/sharded-plugin.ts",
      from: "    running.delete(result);\n    hold.mustOwn();",
      to: "    running.delete(result);",
    },
    {
      file: "cluster/src/serving/shard-serving.ts",
      from: "        void this.#inTurn(shard, () => this.#close(shard));",
      to: "        void shard;",
    },
  ],
  markerBeforeTables: [
    {
      file: "plugins/kit/src/journal/flusher.ts",
      from: "    await storage.sync();\n    await this.#writeManifest({ flushedSeq, newestAt: newestAt(), scopes: latestScopes() });",
      to: "    await this.#writeManifest({ flushedSeq, newestAt: newestAt(), scopes: latestScopes() });\n    await storage.sync();",
    },
  ],
  counterSetBack: [
    {
      file: "cluster/src/log/log-tail.ts",
      from: '    await this.#starter.start(isLazy ? "lazy" : "forced");',
      to: '    const { nextSeq } = this;\n    await this.#starter.start(isLazy ? "lazy" : "forced");\n    this.#queue.nextSeq = nextSeq;',
    },
    {
      file: "plugins/disk/src/log/record-queue.ts",
      from: "  get stats(): Record<",
      to: "  set nextSeq(seq: number) {\n    this.#nextSeq = seq;\n  }\n\n  get stats(): Record<",
    },
  ],
} satisfies Record<string, readonly SourceEdit[]>;
