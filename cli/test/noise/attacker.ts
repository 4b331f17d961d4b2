import { connect } from "@nats-io/transport-node";
import { ATTACKS } from "./attacks.js";

/** A process that attacks until it is killed: `attacker.ts <url> <name of the attack>`. */
const [url, name] = process.argv.slice(2) as [string, string];
await ATTACKS[name]!(await connect({ servers: url }));
