import { delay, systemClock } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { OwnHost, WireReply } from "../../context.js";
import { answer, request } from "../../fixtures/bare-messages.js";
import { pending } from "../../fixtures/pending.js";
import { ScriptedPlugin } from "../../host-route/scripted-plugin.js";
import type { AgentOptions } from "../../memory-agent.js";
import { startSlowHost } from "./host-plugins-waiting.js";

/** Requests that a host has room for, and those that are sent to it at once by one agent. */
const ROOM = 16;
const FLOOD_OF_ROOM = 4 * ROOM;
/** More at once than a host calls a plugin for. */
const FLOOD = 200;
const PATIENCE_MS = 2_000;
const STEP_MS = 5;
/** Longer than a check takes. */
const DEADLINE_MS = 60_000;
const NEIGHBOURS = "of-the-neighbour";

/** A retrieve of one of the agents, that finds nothing. */
function ask(own: OwnHost, who: AgentOptions, what: string): Promise<WireReply> {
  const { agent } = own.agent(who);
  const fields = { tier: "working", tags: [who.agent === "second" ? NEIGHBOURS : "of-the-flood"] };
  const sent = request(own, "retrieve", { ...fields, deadline_ms: DEADLINE_MS });
  return pending(answer(own, what, "retrieve", sent, { agent, timeoutMs: DEADLINE_MS }));
}

function flood(own: OwnHost, count: number): Promise<WireReply>[] {
  const what = `one of ${count} retrieves of an agent at once`;
  return Array.from({ length: count }, () => ask(own, { agent: "first" }, what));
}

/** Resolves when the host has what was sent before: discovery is answered in any case. */
async function heard(own: OwnHost): Promise<void> {
  await own.askServices("$SRV.PING.membus");
}

/** Holds the retrieves that a host asks a plugin for, and lets them go one by one. */
class HeldReads {
  readonly plugin = new ScriptedPlugin();
  readonly #held: (() => void)[] = [];
  #count = 0;
  #isOpen = false;
  hasNeighbours = false;

  constructor() {
    this.plugin.script.onRetrieve = async (usual, { filter }) => {
      this.#count++;
      this.hasNeighbours ||= JSON.stringify(filter).includes(NEIGHBOURS);
      if (!this.#isOpen) await new Promise<void>((go) => this.#held.push(go));
      return usual();
    };
  }

  get count(): number {
    return this.#count;
  }

  /** Lets the oldest go, and waits for the call that takes its place. */
  async letOneGo(): Promise<void> {
    const end = systemClock.now() + PATIENCE_MS / 1_000;
    const before = this.#count;
    this.#held.shift()?.();
    while (this.#count === before && systemClock.now() < end) await delay(systemClock, STEP_MS);
  }

  letAllGo(): void {
    this.#isOpen = true;
    for (const go of this.#held.splice(0)) go();
  }
}

export const neighboursChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/neighbour-of-a-flood-finds-room",
    clauses: ["ERR-14"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, gate } = await startSlowHost(t, ROOM);
      const flooding = flood(own, FLOOD_OF_ROOM);
      await heard(own);
      const what = `a retrieve while another agent has all of ${FLOOD_OF_ROOM} under way for which a host of ${ROOM} has room`;
      const neighbours = ask(own, { agent: "second" }, what);
      await heard(own);
      gate.open();
      const { message } = await neighbours;
      t.expect.equal(message.code ?? message.type, "memory/retrieve/resp", `the reply to ${what}`);
      const codes = (await Promise.all(flooding)).map((reply) => reply.message.code);
      const refused = codes.filter((code) => code === "overloaded").length;
      t.expect.atLeast(refused, FLOOD_OF_ROOM - ROOM, `of ${FLOOD_OF_ROOM} retrieves at once those refused`);
    },
  }),
  hostCheck({
    id: "host-plugins/neighbour-of-a-flood-is-next",
    clauses: ["ERR-15"],
    provisions: ["own_plugins"],
    async run(t) {
      const reads = new HeldReads();
      const own = await t.startHost({ plugins: { working: reads.plugin } });
      const flooding = flood(own, FLOOD);
      await heard(own);
      const begun = reads.count;
      const what = `a retrieve while a plugin holds ${begun} of ${FLOOD} of another agent`;
      const neighbours = ask(own, { agent: "second" }, what);
      await heard(own);
      if (!reads.hasNeighbours) await reads.letOneGo();
      const { hasNeighbours } = reads;
      reads.letAllGo();
      t.expect.atLeast(begun, 1, `calls of a plugin for ${FLOOD} retrieves of an agent at once`);
      t.expect.equal(hasNeighbours, true, `whether the next call of the plugin is for ${what}`);
      t.expect.equal((await neighbours).message.type, "memory/retrieve/resp", `the reply to ${what}`);
      await Promise.all(flooding);
    },
  }),
];
