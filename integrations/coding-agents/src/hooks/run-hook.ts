import { join } from "node:path";
import type { AgentMemory } from "@membus/agent-client";
import { type Clock, keyHash, parseOptions, systemClock } from "@membus/protocol";
import { toWrite } from "../capture/index.js";
import { degradedNotice, Outbox, type OutboxOptions } from "../outbox/index.js";
import { type Project, projectOf, projectOfPerson } from "../project/index.js";
import { contextText, findForPrompt, findForSession } from "../recall/index.js";
import { SessionJournal } from "../session/index.js";
import { answerTo, type HookAnswer } from "./answer.js";
import { forgetQueued, forgetStored } from "./forget-memory.js";
import type { AgentName, HookEvent } from "./hook-event.js";
import { type HookOptions, HookOptionsSchema, type ResolvedHookOptions } from "./hook-options.js";
import { notesOfEvent } from "./notes-of-event.js";
import { readPayload } from "./read-payload.js";

/** Folder of the outbox, in the folder of the hooks. */
export const OUTBOX_FOLDER = "outbox";

export interface HookDependencies {
  /** Folder of the outbox and of the journals of sessions. */
  readonly folder: string;
  /**
   * Connects to the bus, for `use`. At the start of a session it may start a host first.
   * @throws {MemoryError} if no host answers.
   */
  withMemory<T>(isSessionStart: boolean, use: (memory: AgentMemory) => Promise<T>): Promise<T>;
  /** Folder of the project, if the agent names it. Absent: the working folder in the payload. */
  readonly projectFolder?: string | undefined;
  readonly outbox?: OutboxOptions | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

/**
 * Handles one event of a coding agent: keeps its notes, delivers queued writes, and recalls memories. Never
 * throws for a failure of the bus or the disk. The answer then has a notice for the agent and its user.
 * @throws {TypeError} for an unknown option, or a payload of another form.
 */
export async function runHook(
  agent: AgentName,
  payload: unknown,
  dependencies: HookDependencies,
  options: HookOptions = {},
): Promise<HookAnswer> {
  const resolved = parseOptions(HookOptionsSchema, options);
  return new HookRun(agent, readPayload(agent, payload), dependencies, resolved).answer();
}

/** Events that need an answer of the host. The others only deliver queued writes. */
const NEED_HOST: ReadonlySet<HookEvent["kind"]> = new Set(["session-start", "prompt", "recall", "forget"]);

type RecallEvent = Extract<HookEvent, { readonly kind: "session-start" | "prompt" | "recall" }>;

function isRecall(event: HookEvent): event is RecallEvent {
  return event.kind === "session-start" || event.kind === "prompt" || event.kind === "recall";
}

function queryOf(event: Exclude<RecallEvent, { readonly kind: "session-start" }>): string {
  return event.kind === "recall" ? event.query : event.text;
}

/** Returns the outcome of a deletion that the host did not answer. It may have deleted a part. */
function unconfirmed(dropped: number): string {
  const queued = dropped > 0 ? "Deleted from the queue. " : "";
  return `${queued}The host has not confirmed a deletion.`;
}

class HookRun {
  readonly #agent: AgentName;
  readonly #event: HookEvent;
  readonly #dependencies: HookDependencies;
  readonly #options: ResolvedHookOptions;
  readonly #clock: Clock;
  readonly #outbox: Outbox;
  readonly #journal: SessionJournal;
  readonly #notices: string[] = [];

  constructor(
    agent: AgentName,
    event: HookEvent,
    dependencies: HookDependencies,
    options: ResolvedHookOptions,
  ) {
    const { folder, clock = systemClock, outbox } = dependencies;
    this.#agent = agent;
    this.#event = event;
    this.#dependencies = dependencies;
    this.#options = options;
    this.#clock = clock;
    this.#outbox = new Outbox(join(folder, OUTBOX_FOLDER), outbox, { clock });
    this.#journal = new SessionJournal(join(folder, "sessions"), agent, event.session);
  }

  async answer(): Promise<HookAnswer> {
    const { kind } = this.#event;
    if (kind === "other") return {};
    const project = await this.#project();
    const isCapture = this.#options.capture || kind === "remember";
    const isKept = isCapture && (await this.#noticed("cannot keep a note", () => this.#keep(project)));
    // Tools run often. Their writes are delivered at the end of the turn.
    const context = kind === "tool" ? "" : await this.#exchange(project);
    // The session may continue, and then keep what could not be kept now.
    const isEnded = kind === "session-end" && isKept === isCapture;
    await this.#noticed("cannot remove a journal", async () => {
      if (kind === "session-start") await this.#journal.removeOld(this.#clock.now());
      if (isEnded) await this.#journal.remove();
    });
    return answerTo(this.#event, kind === "remember" && isKept ? "Kept." : context, this.#notices);
  }

  async #project(): Promise<Project> {
    const { person, folder } = this.#event;
    if (person !== undefined) return projectOfPerson(person, folder);
    return projectOf(this.#dependencies.projectFolder ?? folder);
  }

  async #keep(project: Project): Promise<void> {
    const notes = await notesOfEvent(this.#event, this.#journal, project.root);
    const { session } = this.#event;
    const { tier } = this.#options;
    const provenance = { agent: this.#agent, session, now: this.#clock.now(), project, tier };
    const writes = notes.map((note) => toWrite(note, provenance));
    for (const write of writes) await this.#outbox.add(write);
    // The session has just seen these texts.
    const ids = writes.map(({ entry }) => keyHash(entry.key));
    if (ids.length > 0) this.#journal.defer({ step: "shown", ids });
    await this.#journal.commit();
  }

  /** Delivers queued writes, and recalls or forgets memories. Returns the text for the agent. */
  async #exchange(project: Project): Promise<string> {
    const event = this.#event;
    let dropped = 0;
    try {
      if (event.kind === "forget") dropped = await forgetQueued(this.#outbox, project, event.id);
      const before = await this.#outbox.state();
      if (!NEED_HOST.has(event.kind) && before.queued === 0) return this.#state(undefined, "");
      const { drainTimeoutMs, recallTimeoutMs } = this.#options;
      const timeoutMs = event.kind === "prompt" ? recallTimeoutMs : drainTimeoutMs;
      return await this.#dependencies.withMemory(event.kind === "session-start", async (memory) => {
        const [drained, context] = await Promise.all([
          this.#outbox.drain(memory, { timeoutMs }),
          event.kind === "forget"
            ? this.#forget(memory, project, event.id, dropped)
            : this.#recall(memory, project),
        ]);
        return this.#state(drained.reason, context);
      });
    } catch (error) {
      return this.#state(error as Error, event.kind === "forget" ? unconfirmed(dropped) : "");
    }
  }

  async #state(reason: Error | undefined, context: string): Promise<string> {
    const notice = degradedNotice(await this.#outbox.state(), reason);
    if (notice !== undefined) this.#notices.push(notice);
    return context;
  }

  async #recall(memory: AgentMemory, project: Project): Promise<string> {
    const { contextTokensMax, recallTimeoutMs: timeoutMs, minScore } = this.#options;
    const event = this.#event;
    if (contextTokensMax === 0 || !isRecall(event)) return "";
    const now = this.#clock.now();
    const found =
      event.kind === "session-start"
        ? await findForSession(memory, project, { timeoutMs, now })
        : await findForPrompt(memory, project, queryOf(event), { timeoutMs, minScore, now });
    const shown = await this.#shownIds();
    const { text, ids } = contextText(
      found.filter(({ id }) => !shown.has(id)),
      contextTokensMax,
    );
    if (ids.length > 0)
      await this.#noticed("cannot keep the state of the session", () =>
        this.#journal.append({ step: "shown", ids: [...ids] }),
      );
    return text;
  }

  async #forget(memory: AgentMemory, project: Project, id: string, dropped: number): Promise<string> {
    const stored = await forgetStored(memory, project, id, this.#options.drainTimeoutMs);
    return dropped + stored > 0 ? "Forgotten." : `No memory has the id ${id}.`;
  }

  /** Returns the ids of memories that are in the context of the session already. A search shows them again. */
  async #shownIds(): Promise<ReadonlySet<string>> {
    if (this.#event.kind !== "prompt") return new Set();
    const steps = await this.#journal.steps();
    const since = steps.slice(steps.findLastIndex(({ step }) => step === "compacted") + 1);
    return new Set(since.flatMap((step) => (step.step === "shown" ? step.ids : [])));
  }

  /** Runs `work` and returns whether it was done. Its failure becomes a notice. */
  async #noticed(problem: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#notices.push(`membus: ${problem}: ${(error as Error).message}`);
      return false;
    }
  }
}
