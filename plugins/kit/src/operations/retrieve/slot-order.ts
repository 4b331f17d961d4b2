import type { PluginRetrieveRequest, Position } from "@membus/protocol";
import { comparePositions } from "@membus/protocol";
import type { Resident } from "../../lifecycle/index.js";

/** The total order over the slots of one partition, which has one tier and one namespace (clause RET-5). */
export class SlotOrder {
  readonly #resident: Resident;
  readonly #request: PluginRetrieveRequest;
  readonly #scoreOf: (slot: number) => number;
  readonly #direction: 1 | -1;
  readonly #isByScore: boolean;

  constructor(resident: Resident, request: PluginRetrieveRequest, scoreOf: (slot: number) => number) {
    this.#resident = resident;
    this.#request = request;
    this.#scoreOf = scoreOf;
    this.#direction = request.order === "oldest" ? 1 : -1;
    this.#isByScore = request.order === "relevance";
  }

  readonly compare = (a: number, b: number): number => {
    const { columns, keys } = this.#resident.partition;
    const byRank = this.#direction * (this.#rankOf(a) - this.#rankOf(b));
    if (byRank !== 0) return byRank;
    const bySeq = this.#isByScore ? 0 : this.#direction * (columns.numbers.seq[a]! - columns.numbers.seq[b]!);
    return bySeq || keys.compare(a, b);
  };

  /** Whether a slot may come before `last`, the last one of a full page. */
  mayBePage(slot: number, last: number | undefined): boolean {
    return last === undefined || this.#direction * (this.#rankOf(slot) - this.#rankOf(last)) <= 0;
  }

  isBehind(slot: number, after: Position | undefined): boolean {
    if (after === undefined) return true;
    const byRank = this.#direction * (this.#rankOf(slot) - after.rank);
    return (byRank || comparePositions(this.#position(slot), after, this.#request.order)) > 0;
  }

  #rankOf(slot: number): number {
    return this.#isByScore ? this.#scoreOf(slot) : this.#resident.partition.columns.numbers.occurredAt[slot]!;
  }

  #position(slot: number): Position {
    const { partition, scope } = this.#resident;
    return {
      rank: this.#rankOf(slot),
      seq: partition.columns.numbers.seq[slot]!,
      tier: scope.tier,
      namespace: scope.namespace,
      key_hash: partition.keys.hashOf(slot),
    };
  }
}
