import { join } from "node:path";
import type { AgentMemory } from "@membus/agent-client";
import { type Clock, keyHash, parseOptions, systemClock } from "@membus/protocol";
import { toWrite } from "../capture/index.js";
import { degradedNotice, Outbox, type OutboxOptions } from "../outbox/index.js";
import { type Project, projectOf } from "../project/index.js";
import { contextText, findForPrompt, findForSession } from "../recall/index.js";
import { SessionJournal } from "../session/index.js";
import { answerTo, type HookAnswer } from "./answer.js";
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
  return new HookRun(agent, readPayload(payload), dependencies, resolved).answer();
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
    const { kind, name, folder } = this.#event;
    if (kind === "other") return {};
    const project = await projectOf(this.#dependencies.projectFolder ?? folder);
    if (this.#options.capture) await this.#noticed("cannot keep a note", () => this.#keep(project));
    // Tools run often. Their writes are delivered at the end of the turn.
    const context = kind === "tool" ? "" : await this.#exchange(project);
    if (kind === "session-start") await this.#journal.removeOld(this.#clock.now());
    if (kind === "session-end") await this.#journal.remove();
    return answerTo(name, context, this.#notices);
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
    if (ids.length > 0) await this.#journal.append({ step: "shown", ids });
  }

  /** Delivers queued writes and recalls memories. Returns the text of the memories. */
  async #exchange(project: Project): Promise<string> {
    const isSessionStart = this.#event.kind === "session-start";
    const recalls = isSessionStart || this.#event.kind === "prompt";
    const before = await this.#outbox.state();
    if (!recalls && before.queued === 0) return this.#state(undefined, "");
    try {
      const { drainTimeoutMs, recallTimeoutMs } = this.#options;
      const timeoutMs = this.#event.kind === "prompt" ? recallTimeoutMs : drainTimeoutMs;
      return await this.#dependencies.withMemory(isSessionStart, async (memory) => {
        const [drained, context] = await Promise.all([
          this.#outbox.drain(memory, { timeoutMs }),
          this.#recall(memory, project),
        ]);
        return this.#state(drained.reason, context);
      });
    } catch (error) {
      return this.#state(error as Error, "");
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
    if (contextTokensMax === 0 || (event.kind !== "prompt" && event.kind !== "session-start")) return "";
    const now = this.#clock.now();
    const found =
      event.kind === "prompt"
        ? await findForPrompt(memory, project, event.text, { timeoutMs, minScore, now })
        : await findForSession(memory, project, { timeoutMs, now });
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

  /** Returns the ids of memories that are in the context of the session already. */
  async #shownIds(): Promise<ReadonlySet<string>> {
    if (this.#event.kind === "session-start") return new Set();
    const steps = await this.#journal.steps();
    const since = steps.slice(steps.findLastIndex(({ step }) => step === "compacted") + 1);
    return new Set(since.flatMap((step) => (step.step === "shown" ? step.ids : [])));
  }

  /** Runs `work`. Its failure becomes a notice. */
  async #noticed(problem: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#notices.push(`membus: ${problem}: ${(error as Error).message}`);
    }
  }
}
