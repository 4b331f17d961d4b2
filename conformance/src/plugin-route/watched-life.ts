import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MemoryTier, systemClock } from "@membus/protocol";
import { ExpectationError } from "../expect.js";
import type { Replies, Watch } from "../fixtures/life.js";
import type { ForgetReply, StoreReply } from "../memory-agent.js";
import { type DirectoryImage, digestOf, ImagedDirectory } from "./directory-image.js";
import { PluginProcess } from "./plugin-process.js";
import type { PluginUnderTest } from "./plugin-under-test.js";
import { CAN_STOP, whileStopped } from "./stopped-process.js";

/** Times at which the process is stopped, in milliseconds after the start of a watched phase. */
const GLANCES_MS = [2, 12];

export type DiaryLine = { readonly begun: number } | { readonly done: number; readonly reply: unknown };

/** Lines that the process prints. After a write point it waits for an answer. */
export type LifeLine =
  | { readonly at: "watch"; readonly watch: Watch }
  | { readonly at: "write"; readonly isHalfway: boolean }
  | { readonly at: "watched" | "forgotten" | "pause" | "end" };

/** State that a kill at this moment would leave, with the replies until then. */
export interface Moment {
  readonly when: Watch | "right after a forget" | "at its end";
  /** Whether a write was half done. */
  readonly isHalfway: boolean;
  readonly image: DirectoryImage;
  /** Time in Unix seconds. */
  readonly at: number;
  /** Number of bytes deleted from files since the start of the watched phase. */
  readonly lostBytes: number;
  readonly replies: Replies;
  /** Running step. Undefined between steps. */
  readonly underWay: number | undefined;
}

export interface Life {
  readonly pid: number;
  readonly moments: readonly Moment[];
  /** Error of another process that opened the directory at the same time. Undefined if the open succeeded. */
  readonly refusal: unknown;
}

/**
 * Starts a child process that opens the directory of a killed one, runs a life and is killed at the end.
 *
 * The child is stopped repeatedly and its directory is saved. Each image is the state after a kill at that
 * moment.
 *
 * @param intrude opens the directory from this process and returns the error
 */
export async function watchLife(
  implementation: PluginUnderTest,
  tier: MemoryTier,
  former: DirectoryImage,
  intrude: (directory: string) => Promise<unknown>,
): Promise<Life> {
  const place = mkdtempSync(join(tmpdir(), "membus-conformance-"));
  const directory = new ImagedDirectory(mkdtempSync(join(place, "data-")));
  directory.restore(former);
  try {
    return await new WatchedLife(implementation, tier, directory, join(place, "diary")).watch(intrude);
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

class WatchedLife {
  readonly #directory: ImagedDirectory;
  readonly #diary: string;
  readonly #process: PluginProcess;
  readonly #moments = new Map<string, Moment>();
  #watch: Watch | undefined;
  #atItsBegin: DirectoryImage = new Map();
  #watchCount = 0;

  constructor(implementation: PluginUnderTest, tier: MemoryTier, directory: ImagedDirectory, diary: string) {
    this.#directory = directory;
    this.#diary = diary;
    const args = { directory: directory.path, tier, more: [diary] };
    this.#process = new PluginProcess("live-and-die.js", implementation, args);
  }

  async watch(intrude: (directory: string) => Promise<unknown>): Promise<Life> {
    const { child } = this.#process;
    let refusal: unknown;
    let isWhole = false;
    try {
      for await (const text of this.#process.lines()) {
        const line = JSON.parse(text) as LifeLine;
        if (line.at === "watch") this.#beginWatch(line.watch);
        if (line.at === "watched") this.#watch = undefined;
        if (line.at === "forgotten") this.#take("right after a forget");
        if (line.at === "write") {
          this.#take(this.#watch!, line.isHalfway);
          child.stdin!.write("\n");
        }
        if (line.at === "pause") {
          refusal = await intrude(this.#directory.path);
          if (child.connected) child.send("go on", () => undefined);
        }
        if (line.at === "end") {
          isWhole = true;
          this.#process.kill();
        }
      }
    } finally {
      this.#watch = undefined;
    }
    if (!isWhole) throw broken(this.#process.complaint);
    this.#keep("at its end");
    return { pid: child.pid!, moments: [...this.#moments.values()], refusal };
  }

  #beginWatch(watch: Watch): void {
    this.#watch = watch;
    const count = ++this.#watchCount;
    this.#atItsBegin = new Map();
    this.#take(watch);
    for (const delayMs of GLANCES_MS) {
      systemClock.after(delayMs, () => {
        if (this.#watch !== undefined && this.#watchCount === count) this.#take(watch);
      });
    }
  }

  #take(when: Moment["when"], isHalfway = false): void {
    const { child, isRunning } = this.#process;
    if (CAN_STOP && isRunning) whileStopped(child.pid!, () => this.#keep(when, isHalfway));
  }

  #keep(when: Moment["when"], isHalfway = false): void {
    const image = this.#directory.image();
    const diary = readFileSync(this.#diary, "utf8");
    // A line that is read late may belong to the same state as the next one. Each check needs its own moments.
    const key = `${when}\n${digestOf(image)}\n${diary}`;
    if (this.#atItsBegin.size === 0) this.#atItsBegin = image;
    if (this.#moments.has(key)) return;
    this.#moments.set(key, {
      when,
      isHalfway,
      image,
      at: systemClock.now(),
      lostBytes: lostBytes(this.#atItsBegin, image),
      ...readDiary(diary),
    });
  }
}

function lostBytes(former: DirectoryImage, image: DirectoryImage): number {
  const lost = [...former].map(([name, file]) => sizeOf(file) - sizeOf(image.get(name)));
  return lost.reduce((sum, bytes) => sum + Math.max(bytes, 0), 0);
}

function sizeOf(file: { readonly bytes: Buffer } | null | undefined): number {
  return file?.bytes.length ?? 0;
}

function readDiary(text: string): Pick<Moment, "replies" | "underWay"> {
  const replies = new Map<number, StoreReply | ForgetReply>();
  let underWay: number | undefined;
  for (const line of text.split("\n").slice(0, -1)) {
    const parsed = JSON.parse(line) as DiaryLine;
    underWay = "begun" in parsed ? parsed.begun : undefined;
    if ("done" in parsed) replies.set(parsed.done, parsed.reply as StoreReply | ForgetReply);
  }
  return { replies, underWay };
}

function broken(complaint: string): ExpectationError {
  const what = "a process that opens the directory of a killed one, and stores, forgets and maintains";
  return new ExpectationError({ what, expected: "it to succeed", got: `it ended: ${complaint}` });
}
