import { RecentMap } from "../recent-map.js";

/** Token of a tenant or an agent, or a placeholder in a template. */
const NAME = "[A-Za-z0-9_=-]+";
const PLACEHOLDER = /\{(?:tenant|agent)\}/g;
const CALLERS_REMEMBERED = 4_096;

/**
 * Checks reply subjects. Without this check a caller could make the host publish where the caller itself may
 * not, such as another caller's inbox (clause SUBJ-5). A prefix matches whole tokens: `_INBOX` matches only
 * `_INBOX.x`.
 */
export class Inboxes {
  readonly #protocol: string;
  readonly #caller: RegExp;
  /** Prefixes that any caller may use. */
  readonly #shared: readonly string[];
  /** Prefixes with `{tenant}` or `{agent}`, which the caller's tokens replace. */
  readonly #templates: readonly string[];
  /** Matches an inbox of any caller. */
  readonly #anyCallerInbox: RegExp;
  /** Inbox prefixes of recent callers, by request subject. */
  readonly #callerPrefixes = new RecentMap<string, readonly string[]>(CALLERS_REMEMBERED);

  constructor(prefix: string, inboxPrefixes: readonly string[]) {
    this.#protocol = `${prefix}.`;
    this.#caller = new RegExp(`^${escapeRegExp(this.#protocol)}(?<tenant>${NAME})\\.(?<agent>${NAME})\\.`);
    const dotted = inboxPrefixes.map((inbox) => `${inbox}.`);
    this.#shared = dotted.filter((inbox) => !inbox.includes("{"));
    this.#templates = dotted.filter((inbox) => inbox.includes("{"));
    const any = this.#templates.map((inbox) => inbox.split(PLACEHOLDER).map(escapeRegExp).join(NAME));
    this.#anyCallerInbox = new RegExp(any.length === 0 ? "^(?!)" : `^(?:${any.join("|")})`);
  }

  /** Returns whether the reply to a request on `subject` may be published on `reply`. */
  belongsToCaller(reply: string, subject: string): boolean {
    if (this.#isReserved(reply)) return false;
    return startsWithAny(reply, this.#shared) || startsWithAny(reply, this.#prefixesOf(subject));
  }

  /** Returns the same for a discovery request, which names no caller. */
  belongsToAnyCaller(reply: string): boolean {
    return (
      !this.#isReserved(reply) && (startsWithAny(reply, this.#shared) || this.#anyCallerInbox.test(reply))
    );
  }

  /** Returns whether a subject belongs to the protocol or the server, and is therefore never an inbox. */
  #isReserved(reply: string): boolean {
    return reply.startsWith("$") || reply.startsWith(this.#protocol);
  }

  #prefixesOf(subject: string): readonly string[] {
    const known = this.#callerPrefixes.get(subject);
    if (known !== undefined) return known;
    const { tenant, agent } = this.#caller.exec(subject)?.groups ?? {};
    const own =
      tenant === undefined ? [] : this.#templates.map((inbox) => fillTemplate(inbox, tenant, agent!));
    this.#callerPrefixes.set(subject, own);
    return own;
  }
}

function startsWithAny(reply: string, inboxes: readonly string[]): boolean {
  return inboxes.some((inbox) => reply.startsWith(inbox));
}

function fillTemplate(template: string, tenant: string, agent: string): string {
  return template.replaceAll("{tenant}", tenant).replaceAll("{agent}", agent);
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
