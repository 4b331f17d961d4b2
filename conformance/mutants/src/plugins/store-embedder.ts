import { deriveText } from "@membus/protocol";
import type { Mutant } from "../mutant.js";
import { pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

const textOf = ({ text, content }: Row) => text ?? deriveText(content);

/** The reference plugin that waits for the embedder without a limit. */
class PatientPlugin extends ReferencePlugin {
  protected override async vectorOf(row: Row) {
    const answer = await this.services.embedder?.embed([textOf(row)], "document");
    return answer?.[0] ?? undefined;
  }
}

export const storeEmbedderMutants: readonly Mutant[] = [
  pluginMutant({
    id: "store-is-never-embedded-later",
    defect: "entries stored while the embedder was down never get a vector",
    check: "store/without-the-embedder",
    names: /key found first by meaning, in mode vector, some time after/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async embedPending() {}
      })(),
  }),
  pluginMutant({
    id: "store-waits-for-the-embedder-for-ever",
    defect: "a store waits for the embedder without a limit",
    check: "store/waits-for-the-embedder-a-second",
    names: /the reply to a store while the embedder does not answer/,
    createPlugin: () => new PatientPlugin(),
  }),
  pluginMutant({
    id: "store-queued-waits-for-the-embedder",
    defect: "a store with ack `queued` waits for the embedder",
    check: "store/queued-does-not-wait-for-the-embedder",
    names: /the reply to a store with ack `queued`/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeAll(...[scope, request]: Parameters<ReferencePlugin["storeAll"]>) {
          const result = await super.storeAll(scope, request);
          if (request.ack === "queued") await this.services.embedder?.embed(["queued"], "document");
          return result;
        }
      })(),
  }),
  pluginMutant({
    id: "store-update-keeps-the-vector",
    defect: "an update keeps the vector of the former content",
    check: "store/stored-is-found-by-meaning",
    names: /key found first by meaning right after an update/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #vectors = new Map<number, Float32Array | undefined>();

        protected override async vectorOf(row: Row) {
          if (!this.#vectors.has(row.seq)) this.#vectors.set(row.seq, await super.vectorOf(row));
          return this.#vectors.get(row.seq);
        }
      })(),
  }),
];
