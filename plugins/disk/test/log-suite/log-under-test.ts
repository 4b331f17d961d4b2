import { onTestFinished } from "vitest";
import type { Log, LogKeeper, LogPart, LogRecovery } from "../../src/log/log.js";

export interface LogLimits {
  readonly recordBytesMax?: number;
  readonly queueCountMax?: number;
  readonly queueBytesMax?: number;
}

/** A place for one log, new for each test. */
export interface LogUnderTest {
  /** Opens the log. An earlier log of this place is closed. */
  open(recovery: LogRecovery, limits: LogLimits): Promise<Log>;
  /** Returns the names of all parts that exist. */
  partNames(): Promise<string[]>;
  /** Removes a part and its records. The log is closed. */
  removePart(name: string): Promise<void>;
}

export type CreateLog = () => Promise<LogUnderTest>;

/** Keeper in memory. */
export class Keeper implements LogKeeper {
  kept: readonly LogPart[] | undefined;
  /** Number of calls to fail, after their effect. */
  failures = 0;

  async keep(parts: readonly LogPart[]): Promise<void> {
    this.kept = parts;
    if (this.failures-- > 0) throw Object.assign(new Error("EIO: planned"), { code: "EIO" });
  }
}

export interface OpenOptions extends LogLimits, Partial<Omit<LogRecovery, "keeper">> {}

/** A log under test with its keeper. */
export class TestLog {
  readonly keeper = new Keeper();
  readonly #place: LogUnderTest;

  private constructor(place: LogUnderTest) {
    this.#place = place;
  }

  static async create(create: CreateLog): Promise<TestLog> {
    return new TestLog(await create());
  }

  /** Opens the log until the end of the test. */
  async open(options: OpenOptions = {}): Promise<Log> {
    const { nextSeqMin = 1, onRecord = () => undefined, acceptLoss, ...limits } = options;
    const log = await this.#place.open({ nextSeqMin, onRecord, acceptLoss, keeper: this.keeper }, limits);
    onTestFinished(() => log.close().catch(() => undefined));
    return log;
  }

  /** Returns the records that opening passes on, and closes the log again. */
  async reopened(options: OpenOptions = {}): Promise<string[]> {
    const records: string[] = [];
    const onRecord = (seq: number, payload: Uint8Array): void => {
      records.push(`${seq}:${Buffer.from(payload).toString()}`);
    };
    const log = await this.open({ ...options, onRecord });
    await log.close();
    return records;
  }

  /** Returns the positions, among the parts that the keeper knows, of those that exist. */
  async existingParts(): Promise<number[]> {
    const names = await this.#place.partNames();
    return this.keeper.kept!.flatMap(({ name }, at) => (names.includes(name) ? [at] : []));
  }

  /** Removes the parts at these positions. */
  async removeParts(positions: readonly number[]): Promise<void> {
    for (const at of positions) await this.#place.removePart(this.keeper.kept![at]!.name);
  }
}

/** Creates records 1 and 2, 3, 4 in three segments. */
export async function threeSegments(create: CreateLog): Promise<{ test: TestLog; log: Log }> {
  const test = await TestLog.create(create);
  const log = await test.open();
  for (const texts of [["one", "two"], ["three"], ["four"]]) {
    await log.rotate();
    for (const text of texts) await log.append(() => Buffer.from(text));
  }
  return { test, log };
}
