import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "@membus/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openFileLog } from "../src/log/file-log.js";
import { type LogFile, type OpenLogFile, openLogFile, writeAndSync } from "../src/log/log-file.js";
import { append, contents, openLog, recordingLogger, temporaryDirectory } from "./log-fixture.js";

const SECTOR_BYTES = 512;
const NEVER = new Promise<never>(() => undefined);
/** A log can hold far more records, however slow the disk is. */
const UNANSWERED_MAX = 256;

interface FileState {
  cached: Buffer;
  synced: Buffer;
}

/** Real files of a machine that loses power at its write or sync number `lossAt`. */
class FailingMachine {
  readonly #files = new Map<string, FileState>();
  readonly #open: LogFile[] = [];
  #operationCount = 0;
  #lost = (): void => undefined;
  readonly loss = new Promise<void>((resolve) => {
    this.#lost = resolve;
  });

  constructor(readonly lossAt: number) {}

  readonly openFile: OpenLogFile = async (path, flags) => {
    const file = await openLogFile(path, flags);
    this.#open.push(file);
    if (flags === "w+") this.#files.set(path, { cached: Buffer.alloc(0), synced: Buffer.alloc(0) });
    const state = this.#files.get(path)!;
    const write: LogFile["write"] = (bytes, position) => this.#write(file, state, bytes, position);
    const sync = async (): Promise<void> => {
      await this.#operate();
      state.synced = state.cached;
    };
    return {
      ...{ write, sync },
      writeDurably: (bytes, position) => writeAndSync({ write, sync }, bytes, position),
      read: (into, position) => file.read(into, position),
      truncate: (sizeBytes) => file.truncate(sizeBytes),
      size: () => file.size(),
      close: () => file.close(),
    };
  };

  get isOff(): boolean {
    return this.#operationCount >= this.lossAt;
  }

  /**
   * Writes the files to `directory` as they are after the power loss: any sectors and any size of unsynced
   * data.
   */
  async restart(directory: string, sectorsKept: readonly boolean[], sizePart: number): Promise<void> {
    await Promise.all(this.#open.map((file) => file.close()));
    for (const [path, { cached, synced }] of this.#files) {
      const size = synced.length + Math.round(sizePart * (cached.length - synced.length));
      const bytes = Buffer.alloc(size);
      for (let begin = 0; begin < size; begin += SECTOR_BYTES) {
        const isKept = sectorsKept[(begin / SECTOR_BYTES) % sectorsKept.length]!;
        const end = Math.min(size, begin + SECTOR_BYTES);
        bytes.set((isKept ? cached : synced).subarray(begin, end), begin);
      }
      await writeFile(join(directory, basename(path)), bytes);
    }
  }

  async #write(file: LogFile, state: FileState, bytes: Uint8Array, position: number): Promise<void> {
    state.cached = Buffer.concat([state.cached.subarray(0, position), bytes]);
    await this.#operate();
    await file.write(bytes, position);
  }

  async #operate(): Promise<void> {
    await setImmediate();
    this.#operationCount += 1;
    if (!this.isOff) return;
    this.#lost();
    await NEVER;
  }
}

/** Appends in bursts until the machine fails. @returns the records acknowledged by then. */
async function appendUntilLoss(machine: FailingMachine, directory: string, sizes: readonly number[]) {
  const acknowledged: string[] = [];
  const ports = { clock: systemClock, logger: recordingLogger(), openFile: machine.openFile };
  const appendBursts = async (): Promise<void> => {
    const log = await openFileLog(directory, { segmentBytes: 16_384 }, ports);
    let appended = 0;
    while (!machine.isOff) {
      for (const size of sizes) {
        if (appended - acknowledged.length >= UNANSWERED_MAX) break;
        const text = String(log.nextSeq).padEnd(size, "x");
        appended++;
        void append(log, text).then((seq) => acknowledged.push(`${seq}:${text}`));
      }
      await setImmediate();
    }
  };
  await Promise.race([machine.loss, appendBursts()]);
  await setImmediate();
  return acknowledged;
}

describe("a power loss at any time", () => {
  it("leaves every acknowledged record, and a log that opens", async () => {
    const scenario = {
      lossAt: fc.integer({ min: 1, max: 30 }),
      sizes: fc.array(fc.nat(3000), { minLength: 1, maxLength: 8 }),
      sectorsKept: fc.array(fc.boolean(), { minLength: 40, maxLength: 60 }),
      sizePart: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
    };
    const property = fc.asyncProperty(
      fc.record(scenario),
      async ({ lossAt, sizes, sectorsKept, sizePart }) => {
        const [before, after] = [await temporaryDirectory(), await temporaryDirectory()];
        const machine = new FailingMachine(lossAt);
        const acknowledged = await appendUntilLoss(machine, before, sizes);
        await machine.restart(after, sectorsKept, sizePart);
        const log = await openLog(after, { durability: "process" });
        const found = await contents(log);
        expect(found.slice(0, acknowledged.length)).toEqual(acknowledged);
        expect(await append(log, "next")).toBe(found.length + 1);
        await log.close();
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});
