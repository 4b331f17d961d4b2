import { delay, systemClock } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { OwnHost, WireReply } from "../../context.js";
import { answer, request } from "../../fixtures/bare-messages.js";
import { findHost } from "../../fixtures/host-info.js";
import { PATIENCE_MS } from "../../fixtures/patience.js";
import { pending } from "../../fixtures/pending.js";
import { ScriptedPlugin } from "../../host-route/scripted-plugin.js";
import type { AgentOptions } from "../../memory-agent.js";
import { startSlowHost } from "./host-plugins-waiting.js";

/** Capacity of the host, and number of concurrent requests of one agent. */
const ROOM = 16;
const FLOOD_OF_ROOM = 4 * ROOM;
/** Above the number of concurrent calls of a plugin. */
const FLOOD = 200;
const STEP_MS = 5;
/** Longer than the duration of a check. */
const DEADLINE_MS = 60_000;
const NEIGHBOURS = "of-the-neighbour";

/** Sends a retrieve of one agent that matches no entry. */
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

/** Resolves once the host has received all earlier requests, because it always answers discovery. */
async function expectReceived(own: OwnHost): Promise<void> {
  await findHost(own);
}

/** Blocks the retrieves of a plugin and releases them one by one. */
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

  /** Releases the oldest call and waits for the next one. */
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
      await expectReceived(own);
      const what = `a retrieve while another agent has ${FLOOD_OF_ROOM} pending requests on a host with a capacity of ${ROOM}`;
      const neighbours = ask(own, { agent: "second" }, what);
      await expectReceived(own);
      gate.open();
      const { message } = await neighbours;
      t.expect.equal(message.code ?? message.type, "memory/retrieve/resp", `the reply to ${what}`);
      const codes = (await Promise.all(flooding)).map((reply) => reply.message.code);
      const refused = codes.filter((code) => code === "overloaded").length;
      t.expect.atLeast(refused, FLOOD_OF_ROOM - ROOM, `refusals among ${FLOOD_OF_ROOM} concurrent retrieves`);
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
      await expectReceived(own);
      const countBefore = reads.count;
      const what = `a retrieve while a plugin holds ${countBefore} of ${FLOOD} of another agent`;
      const neighbours = ask(own, { agent: "second" }, what);
      await expectReceived(own);
      if (!reads.hasNeighbours) await reads.letOneGo();
      const { hasNeighbours } = reads;
      reads.letAllGo();
      t.expect.atLeast(countBefore, 1, `calls of a plugin for ${FLOOD} retrieves of an agent at once`);
      t.expect.equal(hasNeighbours, true, `whether the next call of the plugin is for ${what}`);
      t.expect.equal((await neighbours).message.type, "memory/retrieve/resp", `the reply to ${what}`);
      await Promise.all(flooding);
    },
  }),
];
