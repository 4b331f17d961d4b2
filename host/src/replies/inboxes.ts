import { RecentMap } from "../recent-map.js";

/** A token of a tenant or an agent, or what stands for one in a template. */
const NAME = "[A-Za-z0-9_=-]+";
const PLACEHOLDER = /\{(?:tenant|agent)\}/g;
const CALLERS_KEPT = 4_096;

/**
 * Where answers may go: otherwise a caller could make the host publish where the caller itself may not, in another's
 * inbox for example (clause SUBJ-5). A prefix ends where a token does: `_INBOX` is the inbox of `_INBOX.x` alone.
 */
export class Inboxes {
  readonly #protocol: string;
  readonly #caller: RegExp;
  /** What anybody's answers may begin with. */
  readonly #shared: readonly string[];
  /** With `{tenant}` or `{agent}` in them, for which the caller's tokens stand. */
  readonly #templates: readonly string[];
  /** Matches an inbox of whoever it is. */
  readonly #anyOwn: RegExp;
  /** The inboxes of the callers seen last, by their subjects. */
  readonly #own = new RecentMap<string, readonly string[]>(CALLERS_KEPT);

  constructor(prefix: string, inboxPrefixes: readonly string[]) {
    this.#protocol = `${prefix}.`;
    this.#caller = new RegExp(`^${literally(this.#protocol)}(?<tenant>${NAME})\\.(?<agent>${NAME})\\.`);
    const dotted = inboxPrefixes.map((inbox) => `${inbox}.`);
    this.#shared = dotted.filter((inbox) => !inbox.includes("{"));
    this.#templates = dotted.filter((inbox) => inbox.includes("{"));
    const any = this.#templates.map((inbox) => inbox.split(PLACEHOLDER).map(literally).join(NAME));
    this.#anyOwn = new RegExp(any.length === 0 ? "^(?!)" : `^(?:${any.join("|")})`);
  }

  /** Whether the answer to a request on `subject` may be published on `reply`. */
  isOfCaller(reply: string, subject: string): boolean {
    if (this.#isReserved(reply)) return false;
    return beginsWithOne(reply, this.#shared) || beginsWithOne(reply, this.#ownOf(subject));
  }

  /** The same for a question to all hosts, which names nobody. */
  isOfAnybody(reply: string): boolean {
    return !this.#isReserved(reply) && (beginsWithOne(reply, this.#shared) || this.#anyOwn.test(reply));
  }

  /** A subject of the protocol or of the server is nobody's inbox, whatever the prefixes are. */
  #isReserved(reply: string): boolean {
    return reply.startsWith("$") || reply.startsWith(this.#protocol);
  }

  #ownOf(subject: string): readonly string[] {
    const known = this.#own.get(subject);
    if (known !== undefined) return known;
    const { tenant, agent } = this.#caller.exec(subject)?.groups ?? {};
    const own = tenant === undefined ? [] : this.#templates.map((inbox) => filled(inbox, tenant, agent!));
    this.#own.set(subject, own);
    return own;
  }
}

function beginsWithOne(reply: string, inboxes: readonly string[]): boolean {
  return inboxes.some((inbox) => reply.startsWith(inbox));
}

function filled(template: string, tenant: string, agent: string): string {
  return template.replaceAll("{tenant}", tenant).replaceAll("{agent}", agent);
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
