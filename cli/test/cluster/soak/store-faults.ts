import { setTimeout as sleep } from "node:timers/promises";
import type { S3Request } from "../../../../plugins/lancedb/test/s3/s3-request.js";
import { type Fault, LEASE_MS, OUTAGE_MS } from "./fault.js";

const SLOW_MS = 200;
/** One of this number of answers is lost. */
const LOST_EVERY = 20;

const isManifest = ({ operation, key }: S3Request) => operation === "put" && key.includes("/_versions/");

/** Clients wait longer than they do by default, and stores fill the backlogs. */
export function refuseForMinutes(minutes: number): Fault {
  return async function refuseForLong({ s3 }) {
    s3.fail({ matches: () => true, afterEffect: false, answer: 503, isLasting: true });
    await sleep(minutes * 60_000);
    s3.heal();
    return `the store answered 503 for ${minutes} minutes`;
  };
}

export const STORE_FAULTS: readonly Fault[] = [
  async function refuse(stage, chance) {
    const answer = chance.one([500, 503] as const);
    stage.s3.fail({ matches: () => true, afterEffect: answer === 500, answer, isLasting: true });
    await sleep(chance.int(OUTAGE_MS));
    stage.s3.heal();
    return `the store answered ${answer}`;
  },
  async function slowDown(stage, chance) {
    const usualMs = stage.s3.latencyMs;
    stage.s3.latencyMs = SLOW_MS;
    await sleep(chance.int(OUTAGE_MS));
    stage.s3.latencyMs = usualMs;
    return `the store took ${SLOW_MS} ms for each request`;
  },
  async function loseAnswers(stage, chance) {
    let count = chance.int(LOST_EVERY);
    const matches = (request: S3Request) => isManifest(request) && ++count % LOST_EVERY === 0;
    const before = count;
    stage.s3.fail({ matches, afterEffect: true, answer: "cut", isLasting: true });
    await sleep(OUTAGE_MS);
    stage.s3.heal();
    const lost = Math.floor(count / LOST_EVERY) - Math.floor(before / LOST_EVERY);
    return `the store lost ${lost} answers to ${count - before} manifests`;
  },
  async function halveLists(stage, chance) {
    const matches = ({ operation }: S3Request) => operation === "list";
    stage.s3.fail({ matches, afterEffect: true, answer: "half", isLasting: true });
    const name = chance.one(stage.names);
    await stage.end(name, "SIGKILL");
    await sleep(chance.int(OUTAGE_MS));
    stage.s3.heal();
    await stage.start(name);
    return `the store sent half of its lists while ${name} was killed`;
  },
  async function holdWrites(stage, chance) {
    const folder = chance.one(["/_versions/", "/data/", "/"]);
    stage.s3.holdAll(({ operation, key }) => operation === "put" && key.includes(folder));
    await sleep(LEASE_MS + chance.int(OUTAGE_MS));
    stage.s3.heal();
    return `the store held the writes to ${folder}`;
  },
];
