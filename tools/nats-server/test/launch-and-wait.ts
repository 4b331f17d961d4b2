import { launchNatsServer } from "../src/index.js";

/** Launches a server, prints its port and waits until it is killed. */
const server = await launchNatsServer({ binary: process.argv[2] ?? "" });
console.log(server.port);
