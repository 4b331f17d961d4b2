import { hash } from "node:crypto";
import { appendFile, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMissingFile } from "@membus/disk";
import { z } from "zod";

/** Bytes at which a journal takes no more prompts, edits and failures. Later errors of a long session are not paired. */
const INPUT_BYTES_MAX = 256 * 1024;
/** Bytes at which a journal takes no more lines. Without the others, each turn would keep the same note again. */
const BYTES_MAX = 1024 * 1024;
/** Age in seconds at which the journal of a session without an end is removed. */
const AGE_MAX_S = 7 * 86_400;

const StepSchema = z.discriminatedUnion("step", [
  z.object({ step: z.literal("prompt"), text: z.string() }),
  z.object({ step: z.literal("edit"), path: z.string() }),
  z.object({ step: z.literal("failure"), command: z.string(), error: z.string(), isWeb: z.boolean() }),
  z.object({ step: z.literal("fixed"), command: z.string() }),
  z.object({ step: z.literal("noted") }),
  z.object({ step: z.literal("shown"), ids: z.array(z.string()) }),
  z.object({ step: z.literal("compacted") }),
]);

/**
 * A step of a session. `noted`: the edits so far are in a note. `shown`: ids of memories in the context.
 * `compacted`: the context was summarized, so shown memories may be shown again.
 */
export type Step = z.infer<typeof StepSchema>;

/** Steps that notes are made of. The others say what a later event must not do again. */
const INPUTS: ReadonlySet<Step["step"]> = new Set(["prompt", "edit", "failure"]);

/**
 * Steps of one session of an agent, on the local disk. The hooks of a session are separate processes, and some
 * notes need several of them: a failed command and the one that worked.
 */
export class SessionJournal {
  readonly #folder: string;
  readonly #path: string;
  #deferred: Step[] = [];

  constructor(folder: string, agent: string, session: string) {
    this.#folder = folder;
    this.#path = join(folder, `${hash("sha256", `${agent}\n${session}`, "hex").slice(0, 32)}.jsonl`);
  }

  /** Appends steps. Each line is written at once, so that lines of processes at the same time do not mix. */
  async append(...steps: readonly Step[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const size = await stat(this.#path).then(
      (found) => found.size,
      () => 0,
    );
    const text = steps.map((step) => `${JSON.stringify(step)}\n`).join("");
    const bytesMax = steps.some(({ step }) => INPUTS.has(step)) ? INPUT_BYTES_MAX : BYTES_MAX;
    if (size + Buffer.byteLength(text) > bytesMax) return;
    await appendFile(this.#path, text, { mode: 0o600 });
  }

  /** Adds steps that belong to a write. They are not on disk until `commit`, because the write may fail. */
  defer(...steps: readonly Step[]): void {
    this.#deferred.push(...steps);
  }

  /** Appends the deferred steps. */
  async commit(): Promise<void> {
    if (this.#deferred.length > 0) await this.append(...this.#deferred);
    this.#deferred = [];
  }

  /** Returns the steps in their order, then the deferred ones. Lines that cannot be read are left out. */
  async steps(): Promise<Step[]> {
    const text = await readFile(this.#path, "utf8").catch((error: unknown) => {
      if (isMissingFile(error)) return "";
      throw error;
    });
    return [...text.split("\n").flatMap((line) => parseStep(line) ?? []), ...this.#deferred];
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  /** Removes journals of sessions that had no step for a week. */
  async removeOld(now: number): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name);
      const changed = await stat(path).catch(() => undefined);
      if (changed !== undefined && changed.mtimeMs / 1_000 < now - AGE_MAX_S) await rm(path, { force: true });
    }
  }
}

function parseStep(line: string): Step | undefined {
  if (line === "") return undefined;
  try {
    return StepSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
