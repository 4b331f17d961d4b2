import {
  type BaseCheckpointSaver,
  type CheckpointTuple,
  emptyCheckpoint,
  MemorySaver,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import { expect } from "vitest";
import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";

const CHANNELS = ["a", "b", "c"];
const WRITTEN = ["a", "b", "__error__", "__interrupt__", "__pregel_tasks"];
const TASKS = ["t1", "t2", "ä", "\u{1f600}"];
const VALUES = [1, "two", null, [3, { four: 4 }], { five: "5" }, new Set(["6"])];

/** Returns `count` results of `make`. */
function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

/** Applies the same operations to MembusSaver and LangGraph's own saver, which must have the same results. */
export class SaverComparison {
  readonly #chance: Chance;
  readonly #ours: BaseCheckpointSaver;
  readonly #theirs = new MemorySaver();
  readonly #stored: { thread: string; ns: string; id: string }[] = [];
  /** Number of comparisons with existing checkpoints. */
  readonly seen = { tuples: 0, lists: 0 };
  #version = 0;

  constructor(seed: number, ours: BaseCheckpointSaver) {
    this.#chance = new Chance(seed);
    this.#ours = ours;
  }

  async step(): Promise<void> {
    const choice = this.#chance.int(100);
    if (choice < 35) await this.#put();
    else if (choice < 60) await this.#putWrites();
    else if (choice < 80) await this.#compareTuples();
    else if (choice < 98) await this.#compareLists();
    else await this.#both((saver) => saver.deleteThread("t0"));
  }

  async #both<T>(act: (saver: BaseCheckpointSaver) => Promise<T>): Promise<[ours: T, theirs: T]> {
    return [await act(this.#ours), await act(this.#theirs)];
  }

  async #put(): Promise<void> {
    const { thread, ns } = this.#place();
    const before = this.#stored.filter((each) => each.thread === thread && each.ns === ns);
    const parent = this.#chance.int(100) < 80 ? before.at(-1)?.id : undefined;
    const channels = CHANNELS.filter(() => this.#chance.int(100) < 50);
    const version = ++this.#version;
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(this.#chance.int(9)),
      channel_values: Object.fromEntries(channels.map((name) => [name, this.#chance.one(VALUES)])),
      channel_versions: Object.fromEntries(channels.map((name) => [name, version])),
    };
    const source = this.#chance.one(["loop", "input"] as const);
    const metadata = { source, step: this.#chance.int(4), parents: {} };
    const config = { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: parent } };
    await this.#both((saver) => saver.put(config, checkpoint, metadata, checkpoint.channel_versions));
    this.#stored.push({ thread, ns, id: checkpoint.id });
  }

  async #putWrites(): Promise<void> {
    const count = 1 + this.#chance.int(3);
    const writes = times(count, (): [string, unknown] => [
      this.#chance.one(WRITTEN),
      this.#chance.one(VALUES),
    ]);
    const [config, task, path] = [
      this.#storedConfig(),
      this.#chance.one(TASKS),
      this.#chance.one(["", "~1", "~2"]),
    ];
    await this.#both((saver) => saver.putWrites(config, writes, task, path));
  }

  async #compareTuples(): Promise<void> {
    const { thread, ns } = this.#place();
    const latest = { configurable: { thread_id: thread, checkpoint_ns: ns } };
    const config = this.#chance.int(100) < 50 ? this.#storedConfig() : latest;
    const [ours, theirs] = await this.#both((saver) => saver.getTuple(config));
    expect(ours).toEqual(theirs);
    this.seen.tuples += Number(ours !== undefined);
  }

  /** LangGraph's saver sorts by id within each thread and namespace, MembusSaver over all of them. */
  async #compareLists(): Promise<void> {
    const { thread, ns } = this.#place();
    const configurable = this.#chance.one([
      {},
      { thread_id: thread },
      { checkpoint_ns: ns },
      { thread_id: thread, checkpoint_ns: ns },
    ]);
    const before = this.#chance.int(100) < 30 ? this.#storedConfig() : undefined;
    const filter = this.#chance.one([
      undefined,
      {},
      { source: "loop" },
      { step: 2, source: "input" },
      { step: "2" },
    ]);
    const options = { ...(before && { before }), ...(filter && { filter }) };
    const limit = this.#chance.one([undefined, 0, 1, 3]);
    const limited = limit === undefined ? options : { ...options, limit };
    const ours = await tuplesOf(this.#ours.list({ configurable }, limited));
    const theirs = await tuplesOf(this.#theirs.list({ configurable }, options));
    expect(ours).toEqual(theirs.sort((a, b) => (a.checkpoint.id < b.checkpoint.id ? 1 : -1)).slice(0, limit));
    this.seen.lists += Number(ours.length > 0);
  }

  #place() {
    return { thread: this.#chance.one(["t0", "t1", "t10"]), ns: this.#chance.one(["", "child"]) };
  }

  #storedConfig() {
    const place =
      this.#stored.length === 0 ? { ...this.#place(), id: "none" } : this.#chance.one(this.#stored);
    return { configurable: { thread_id: place.thread, checkpoint_ns: place.ns, checkpoint_id: place.id } };
  }
}

async function tuplesOf(list: AsyncGenerator<CheckpointTuple>): Promise<CheckpointTuple[]> {
  const tuples: CheckpointTuple[] = [];
  for await (const tuple of list) tuples.push(tuple);
  return tuples;
}
