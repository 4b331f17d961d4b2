import { randomUUID } from "node:crypto";
import type { MemoryClient } from "../../../agent-client/src/index.js";
import type { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import type { Call, ForgetCall, ReadCall, StoreCall } from "./call.js";

export const EPISODIC = { tier: "episodic" } as const;

/** Some keys are written often, so that calls on them overlap. Others keep their value for long. */
const KEYS = { hot: 4, all: 200 };
/** Bounds of the kinds of calls, among a hundred. The others are reads. */
const PARTS = { store: 45, forget: 55, repeat: 60 };
/** One in this many forgets is answered after its bytes are erased, which takes long. */
const PURGES = 50;

/** A write that was answered, to be sent again. */
interface AnsweredWrite {
  readonly id: string;
  readonly answer: string;
  send(): Promise<string>;
}

export interface HistoryParts {
  readonly calls: Call[];
  readonly chance: Chance;
  /** Number of the client, with which its values begin. */
  readonly number: number;
  /** Whether some forgets erase bytes. They succeed only while all servers run. */
  readonly purges: boolean;
}

/** Records calls. All clients of a memory share `calls`. All methods throw the errors of the client. */
export class HistoryClient {
  /** Writes that got another answer when they were sent again. */
  readonly repeatProblems: string[] = [];
  readonly #alice: MemoryClient;
  readonly #calls: Call[];
  readonly #chance: Chance;
  readonly #name: string;
  readonly #purges: boolean;
  #lastWrite: AnsweredWrite | undefined;
  #writeCount = 0;
  #answeredCount = 0;
  #isStopped = false;

  constructor(alice: MemoryClient, { calls, chance, number, purges }: HistoryParts) {
    this.#alice = alice;
    this.#calls = calls;
    this.#chance = chance;
    this.#name = String(number + 1);
    this.#purges = purges;
  }

  get answeredCount(): number {
    return this.#answeredCount;
  }

  /** Makes one call after another until `stop`. */
  async run(): Promise<void> {
    while (!this.#isStopped) await this.#next();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async read(key: string): Promise<void> {
    await this.#record<ReadCall>({ kind: "read", key, startMs: performance.now() }, async (call) => {
      const { entries } = await this.#alice.retrieve({ keys: [key], ...EPISODIC });
      call.value = entries.length === 0 ? null : Number(entries[0]!.content);
      const revision = entries[0]?.revision;
      if (revision !== undefined) call.revision = revision;
    });
  }

  async #next(): Promise<void> {
    const key = `k${this.#chance.int(this.#chance.one([KEYS.hot, KEYS.all]))}`;
    const kind = this.#chance.int(100);
    if (kind < PARTS.store) await this.store(key);
    else if (kind < PARTS.forget) await this.forget(key, this.#purges && this.#chance.int(PURGES) === 0);
    else if (kind < PARTS.repeat) await this.#repeat();
    else await this.read(key);
  }

  async store(key: string): Promise<void> {
    const [id, value] = [this.#newId(), Number(`${this.#name}${this.#writeCount}`)];
    const send = () => this.#alice.store({ key, content: String(value), ...EPISODIC }, { id });
    const call: StoreCall = { kind: "store", key, value, startMs: performance.now() };
    await this.#record(call, async () => {
      const { receipts } = await send();
      call.revision = receipts[0]!.revision;
      call.outcome = receipts[0]!.outcome as "created" | "updated" | "superseded";
      const again = async () => JSON.stringify((await send()).receipts);
      this.#lastWrite = { id, answer: JSON.stringify(receipts), send: again };
    });
  }

  /** @param purge whether the answer comes after the bytes are erased. */
  async forget(key: string, purge = false): Promise<void> {
    const id = this.#newId();
    const send = () => this.#alice.forget({ keys: [key], purge, ...EPISODIC }, { id });
    const call: ForgetCall = { kind: "forget", key, startMs: performance.now() };
    await this.#record(call, async () => {
      const { deleted } = await send();
      call.deleted = deleted;
      const again = async () => String((await send()).deleted);
      this.#lastWrite = { id, answer: String(deleted), send: again };
    });
  }

  /** Sends the last write again. It must have no effect, and the same answer. */
  async #repeat(): Promise<void> {
    const write = this.#lastWrite;
    if (write === undefined) return;
    const answer = await write.send();
    if (answer !== write.answer)
      this.repeatProblems.push(`write ${write.id} was answered ${write.answer}, and then ${answer}`);
  }

  #newId(): string {
    this.#writeCount++;
    return randomUUID();
  }

  async #record<C extends Call>(call: C, send: (call: C) => Promise<void>): Promise<void> {
    this.#calls.push(call);
    await send(call);
    call.endMs = performance.now();
    this.#answeredCount++;
  }
}
