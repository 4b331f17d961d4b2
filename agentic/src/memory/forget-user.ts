import type { AgentMemory } from "@membus/agent-client";
import {
  type Filter,
  LIMITS,
  type OptionsOf,
  option,
  optionSet,
  parseOption,
  parseOptions,
} from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import { NamespaceView, setForgetMark, subjectNamespace } from "../long-term/index.js";
import { UserSchema, userSubject } from "./memory-options.js";
import {
  codeOf,
  countByKind,
  lowerCaseNodes,
  servedTiers,
  type UserNames,
  type UserPlace,
  userPlaces,
} from "./user-data.js";

const NameSchema = option.list(option.shortText(LIMITS.stringLength), 0, 50);

export const ForgetUserOptionsSchema = optionSet({
  /** Other names of the user: nodes of a graph, labels of blocks, targets. */
  names: NameSchema.default([]),
  /** Ids of conversations that belong to the user only. `user:<user>` and `user:<user>/...` are included. */
  conversations: option.list(option.shortText(LIMITS.idLength), 0, 10_000).default([]),
  /** Whether to wait until the bytes are erased from disk. */
  purge: option.boolean().default(false),
  /** Whether to only count, without the entries elsewhere that are derived from the user's. */
  dryRun: option.boolean().default(false),
});

/** Options of `forgetUser`. */
export interface ForgetUserOptions extends OptionsOf<typeof ForgetUserOptionsSchema> {}

/** Data that is not deleted. */
export interface RemainingData {
  readonly what: string;
  /** Number of entries. Absent: unknown. */
  readonly count?: number;
  readonly reason: string;
}

/** Proof of a forget. */
export interface ForgetUserReceipt {
  readonly user: string;
  /** Number of deleted entries. With `dryRun` the number of entries that would be deleted. */
  readonly deleted: number;
  /**
   * `deleted` by kind of record. "derived": entries elsewhere that were derived from the user's. "other": entries
   * that are no records.
   */
  readonly byKind: Readonly<Record<string, number>>;
  /** `deleted` by tier. */
  readonly byTier: Readonly<Record<string, number>>;
  /** Whether the bytes are erased from disk. */
  readonly purged: boolean;
  /** Ids of the requests, for `forgetStatus`. */
  readonly requestIds: readonly string[];
  readonly remains: readonly RemainingData[];
}

/** Data that no request of an agent can delete. */
const OUT_OF_REACH: readonly RemainingData[] = [
  {
    what: "names of emptied namespaces",
    reason:
      "they contain the id of the user. The log keeps them for retries during `operationWindowS`, the file folder.json as recently used. `membus admin erase` of the agent removes them",
  },
  { what: "memories of other agents", reason: "an agent deletes only its own. Repeat this for each agent" },
  { what: "working memory of other sessions", reason: "it ends with its session" },
  { what: "backups, exports and copies of the data folder", reason: "the host does not know them" },
  { what: "logs of hosts, gateways and models", reason: "they are outside of the memory" },
];

/** Repetitions of the search, because others may write concurrently. */
const PASSES = 2;

/**
 * Forgets a user: facts with their history, conversations, triples, blocks, files, progressive memory, notes,
 * queued work, and entries derived from these, in all tiers that the agent sees.
 *
 * An entry belongs to the user if its namespace has the segment `user:<user>`, or `<user>` after `about`, `user`
 * or `users`. Elsewhere it belongs to the user if it is about the user, names the user as node, block or target,
 * or is in a conversation of the user.
 *
 * Without `purge`, a marker stays in `about/user:<user>` for 7 days, so that work in progress writes nothing.
 * @throws {TypeError} for an invalid user or option.
 * @throws {MemoryError} if the host cannot list. Nothing is deleted then. After a later error, repeat the call.
 */
export async function forgetUser(
  memory: AgentMemory,
  user: string,
  options: ForgetUserOptions = {},
): Promise<ForgetUserReceipt> {
  parseOption(UserSchema, user, "user");
  const { names, conversations, purge, dryRun } = parseOptions(ForgetUserOptionsSchema, options);
  const given = { user, names, conversations };
  const all = { ...given, nodes: await lowerCaseNodes(memory, given) };
  return new ForgetRun(memory, all, { purge, dryRun, cascade: true }).run();
}

/**
 * Forgets the entries under the old name of a renamed user that were last changed at or before `until` (Unix
 * seconds). Later entries were not copied, so they stay. Derived entries elsewhere stay.
 */
export async function forgetOldName(memory: AgentMemory, user: string, until: number): Promise<void> {
  const mode = { purge: true, dryRun: false, cascade: false, until };
  await new ForgetRun(memory, { user, names: [], conversations: [] }, mode).run();
}

interface ForgetMode {
  readonly purge: boolean;
  readonly dryRun: boolean;
  readonly cascade: boolean;
  /** Unix seconds. Entries that were changed later stay. Absent: no limit. */
  readonly until?: number;
}

class ForgetRun {
  readonly #memory: AgentMemory;
  readonly #user: UserNames;
  readonly #mode: ForgetMode;
  readonly #byKind = new Map<string, number>();
  readonly #byTier = new Map<string, number>();
  readonly #requestIds: string[] = [];
  readonly #refused: RemainingData[] = [];

  constructor(memory: AgentMemory, user: UserNames, mode: ForgetMode) {
    this.#memory = memory;
    this.#user = user;
    this.#mode = mode;
  }

  async run(): Promise<ForgetUserReceipt> {
    const { purge, dryRun } = this.#mode;
    const first = await this.#found();
    if (!dryRun) await this.#stopWork(first);
    for (const place of first) await this.#forget(place);
    for (let pass = 1; pass < PASSES && !dryRun; pass++) {
      for (const place of await this.#places()) await this.#forget(place);
    }
    const remains = dryRun ? [] : await this.#remaining();
    return {
      user: this.#user.user,
      deleted: [...this.#byTier.values()].reduce((sum, count) => sum + count, 0),
      byKind: sorted(this.#byKind),
      byTier: sorted(this.#byTier),
      purged: purge && !dryRun,
      requestIds: this.#requestIds,
      remains: [...remains, ...this.#refused, ...OUT_OF_REACH],
    };
  }

  /** Returns the places that may have entries. */
  async #places(): Promise<UserPlace[]> {
    const places: UserPlace[] = [];
    for (const tier of await servedTiers(this.#memory)) {
      places.push(...(await userPlaces(this.#memory, tier, this.#user)));
    }
    return places;
  }

  /** Returns the places with entries. */
  async #found(): Promise<UserPlace[]> {
    const found: UserPlace[] = [];
    for (const place of await this.#places()) {
      if ((await countByKind(this.#memory, place)).size > 0) found.push(place);
    }
    return found;
  }

  /** Keeps work in progress from writing. */
  async #stopWork(places: readonly UserPlace[]): Promise<void> {
    const namespace = subjectNamespace(userSubject(this.#user.user));
    for (const tier of new Set(places.map((place) => place.tier))) {
      await setForgetMark(new NamespaceView(this.#memory, namespace, tier));
    }
  }

  async #forget(place: UserPlace): Promise<void> {
    const { purge, dryRun, cascade } = this.#mode;
    const kept = this.#criteria(place);
    const { tier, namespace } = place;
    const counts = await countByKind(this.#memory, { ...place, criteria: kept });
    if (counts.size === 0) return;
    const mode = dryRun ? { dry_run: true } : { ...(cascade && { cascade }), ...(purge && { purge: true }) };
    try {
      const result = await this.#memory.forget({ ...kept, ...mode, tier, namespace });
      if (!dryRun) this.#requestIds.push(result.requestId);
      this.#count(tier, counts, result.deleted);
    } catch (error) {
      const count = [...counts.values()].reduce((sum, one) => sum + one, 0);
      const reason = `the host refused: ${codeOf(error)}: ${(error as Error).message}`;
      this.#refused.push({ what: `${tier} entries in ${namespace}`, count, reason });
    }
  }

  #criteria({ criteria, isWhole }: UserPlace): UserPlace["criteria"] {
    const { purge, until } = this.#mode;
    if (until !== undefined) {
      const isOld: Filter = { any: [{ field: "updated", op: "lte", value: until }, kindIs("forgotten")] };
      return { where: { all: [isOld, ...(criteria.where == null ? [] : [criteria.where])] } };
    }
    return purge || !isWhole ? criteria : { where: { not: kindIs("forgotten") } };
  }

  #count(tier: string, counts: ReadonlyMap<string, number>, deleted: number): void {
    const marks = counts.get("forgotten") ?? 0;
    let left = deleted - marks;
    this.#byTier.set(tier, (this.#byTier.get(tier) ?? 0) + left);
    for (const [kind, count] of counts) {
      if (kind === "forgotten") continue;
      this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + Math.min(count, left));
      left -= Math.min(count, left);
    }
    if (left > 0) this.#byKind.set("derived", (this.#byKind.get("derived") ?? 0) + left);
  }

  /** Searches again, and returns the entries that are left with the reason. */
  async #remaining(): Promise<RemainingData[]> {
    const remains: RemainingData[] = [];
    const { purge } = this.#mode;
    for (const place of await this.#places()) {
      const counts = await countByKind(this.#memory, place);
      const marks = counts.get("forgotten") ?? 0;
      const what = `${place.tier} entries in ${place.namespace}`;
      const others = [...counts.values()].reduce((sum, one) => sum + one, 0) - marks;
      const isRefused = this.#refused.some((one) => one.what === what);
      if (others > 0 && !isRefused)
        remains.push({ what, count: others, reason: "another process wrote them" });
      if (marks === 0) continue;
      const reason = "keeps work in progress from writing, expires after 7 days. `purge` deletes it";
      remains.push({ what: `marker in ${place.namespace}`, count: marks, reason });
    }
    if (!purge && this.#requestIds.length > 0) remains.push(await this.#bytes());
    return remains;
  }

  async #bytes(): Promise<RemainingData> {
    const what = "bytes of the deleted entries on disk";
    const status = await this.#memory.forgetStatus(this.#requestIds.at(-1)!).catch(codeOf);
    const { purge_by: by, purge_reason: obstacle } = typeof status === "string" ? {} : status;
    if (obstacle !== undefined) return { what, reason: `the host erases them later. It reports ${obstacle}` };
    const when = by === undefined ? "later" : `by ${new Date(by * 1000).toISOString()}`;
    return { what, reason: `the host erases them ${when}. \`purge\` waits for it` };
  }
}

function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
