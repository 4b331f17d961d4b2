import { readFile } from "node:fs/promises";
import { parseGraphFile } from "@membus/agentic/graph";
import { isMemoryError, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { ChangeNotices } from "../change-notices.js";
import { importGraph } from "../graph/import-jsonl.js";
import { referenceGraph } from "../graph/reference-graph.js";
import { memoryServers } from "../memory-server.js";
import { MCP_DEFAULTS } from "../options.js";
import { type Flags, readFlags } from "./flags.js";
import { serveHttp } from "./http-server.js";
import { MemorySource } from "./memory-source.js";
import { stderrLogger } from "./stderr-logger.js";

try {
  const flags = await readFlags(process.argv, process.env, process.cwd());
  const logger = stderrLogger(process.stderr, flags.isVerbose);
  if (flags.importFile !== undefined) await importFile(flags.importFile, flags, logger);
  else await serve(flags, logger);
  // A pending connection attempt would keep the process running.
  process.exit();
} catch (error) {
  const known = isMemoryError(error) || error instanceof TypeError;
  process.stderr.write(`membus-mcp: ${known ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}

/** Serves until a signal arrives. On standard input and output also until the client disconnects. */
async function serve({ connect, options, http }: Flags, logger: Logger): Promise<void> {
  const notices = new ChangeNotices(options.graph ?? MCP_DEFAULTS.graph, systemClock);
  const dependencies = { clock: systemClock, logger };
  const source = new MemorySource(connect, dependencies, (memory) => notices.watch(memory));
  const factory = memoryServers({ memory: () => source.memory(), notices, logger }, options);
  const end = Promise.race([untilStopped(http === undefined), source.mistake]);
  await Promise.race([source.tried(), end]);
  const onerror = (error: Error) => logger.warn({ err: shortened(error) }, "rejected a message");
  const server =
    http === undefined
      ? serveStdio(factory, { onerror })
      : await serveHttp(factory, http, { notices, ...dependencies });
  if ("url" in server) process.stderr.write(`membus-mcp is listening on ${server.url}\n`);
  await end;
  await server.close();
  await source.close();
}

/** Shortens an error about an invalid JSON-RPC message, which lists the failures of every message type. */
function shortened(error: Error): Error {
  return "issues" in error ? new TypeError("invalid JSON-RPC message", { cause: error }) : error;
}

function untilStopped(isOnStdin: boolean): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, resolve);
    if (!isOnStdin) return;
    for (const end of ["end", "close"]) process.stdin.once(end, resolve);
    // The client no longer reads results.
    process.stdout.once("error", resolve);
  });
}

async function importFile(path: string, { connect, options }: Flags, logger: Logger): Promise<void> {
  const parsed = parseGraphFile(await readFile(path, "utf8").catch(unreadable));
  const problems = parsed.problems.map(({ line, message }) => `line ${line}: ${message}`);
  const source = new MemorySource(connect, { clock: systemClock, logger });
  try {
    const graph = referenceGraph(await source.memory(), options.tier ?? MCP_DEFAULTS.tier);
    const { entities, relations, observations } = await importGraph(graph, parsed, (problem) =>
      problems.push(problem),
    );
    process.stderr.write(
      `imported: ${entities} entities, ${relations} relations, ${observations} observations of existing entities\n`,
    );
  } finally {
    for (const problem of problems) process.stderr.write(`skipped: ${problem}\n`);
    await source.close();
  }
}

function unreadable(error: unknown): never {
  throw new TypeError(`cannot read --import: ${(error as Error).message}`, { cause: error });
}
