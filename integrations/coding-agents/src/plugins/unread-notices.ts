import { RecentMap } from "./recent-map.js";

/** Notices that wait for a prompt. Later ones replace the oldest. */
const COUNT_MAX = 3;

interface Reader {
  readonly session: string;
  readonly person?: string | undefined;
}

/** Notices of events without context, until the agent reads them with a prompt. */
export class UnreadNotices {
  readonly #ofSessions = new RecentMap<readonly string[]>();
  /** Notices of sessions that have ended. The next session of the same person shows them. */
  readonly #ofPersons = new RecentMap<readonly string[]>();

  add(session: string, notice: string): void {
    this.#ofSessions.set(session, newest([...(this.#ofSessions.get(session) ?? []), notice]));
  }

  /** Leaves the notices of a session to the next one. */
  end({ session, person = "" }: Reader): void {
    const left = this.#ofSessions.get(session) ?? [];
    this.#ofSessions.delete(session);
    if (left.length > 0)
      this.#ofPersons.set(person, newest([...(this.#ofPersons.get(person) ?? []), ...left]));
  }

  /** Returns the notices for a prompt, and forgets them. */
  take({ session, person = "" }: Reader): readonly string[] {
    const notices = [...(this.#ofPersons.get(person) ?? []), ...(this.#ofSessions.get(session) ?? [])];
    this.#ofPersons.delete(person);
    this.#ofSessions.delete(session);
    return notices;
  }
}

/** A notice that comes again counts as new. */
function newest(notices: readonly string[]): readonly string[] {
  return notices.filter((notice, index) => notices.lastIndexOf(notice) === index).slice(-COUNT_MAX);
}
