import { launchNatsServer } from "../src/index.js";

/** A process of its own that launches a server, prints its port and waits to be killed. */
const server = await launchNatsServer({ binary: process.argv[2] ?? "" });
console.log(server.port);
