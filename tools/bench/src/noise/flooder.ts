import { delay, systemClock } from "@membus/protocol";
import { connect } from "@nats-io/transport-node";
import { beginAttack } from "./begin-attack.js";
import { FLOODS } from "./floods.js";

/** Time after which a host is taken to answer none of the open requests. It drops the rest of a flood. */
const UNANSWERED_MS = 1_000;

/**
 * Publishes a flood of requests until it is stopped. It receives replies, but waits for none, unless
 * `FLOOD_UNANSWERED_BYTES` limits the requests without a reply.
 */
const [prefix = "", name = ""] = process.argv.slice(2);
const flood = FLOODS[name]!();
const unansweredMax =
  Number(process.env.FLOOD_UNANSWERED_BYTES ?? Infinity) / flood.message(0).payload.length;
const connection = await connect({ servers: process.env.NATS_URL! });
const reply = "_INBOX.flooder";
let unanswered = 0;
let onReply = () => {};
connection.subscribe(reply, {
  callback: () => {
    unanswered--;
    onReply();
  },
});
beginAttack();
for (let at = 0; ; at++) {
  const { subject, payload } = flood.message(at);
  connection.publish(`${prefix}.default.${subject}`, payload, { reply });
  unanswered++;
  if (at % flood.flushEvery === 0) await connection.flush();
  if (unanswered >= unansweredMax && !(await replied())) unanswered = 0;
}

/** Returns whether a reply arrives in time. */
function replied(): Promise<boolean> {
  const next = new Promise<boolean>((resolve) => {
    onReply = () => resolve(true);
  });
  return Promise.race([next, delay(systemClock, UNANSWERED_MS).then(() => false)]);
}
