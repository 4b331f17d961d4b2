import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import { type ConnectedClient, connectStdio } from "./mcp-clients.js";

const MANIFEST = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/package.json");
const PROGRAM = join(dirname(MANIFEST), "dist", "index.js");

/** Starts the published reference server with its own file. */
export async function startReference(): Promise<{
  client: ConnectedClient;
  file: string;
  stop(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "membus-reference-"));
  const file = join(folder, "memory.jsonl");
  const env = { PATH: process.env.PATH ?? "", MEMORY_FILE_PATH: file };
  const client = await connectStdio("former", {
    command: process.execPath,
    args: [PROGRAM],
    cwd: folder,
    env,
  });
  const stop = async () => {
    await client.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { client, file, stop };
}

export interface Operation {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

const NAMES = [
  "Ada",
  "ada",
  "Bob",
  "Zoë",
  "",
  "a b ",
  "名前",
  "x\ny",
  "constructor",
  "$hash",
  "Ada Lovelace",
];
const TYPES = ["person", "Place", ""];
const TEXTS = ["plays chess", "PLAYS GO", "lives in Paris", "", "é", '"quoted"', "plays chess "];
const RELATIONS = ["knows", "works at", ""];
/**
 * Each query is contained in a text above. If the reference server finds nothing, membus searches by meaning.
 */
const QUERIES = ["", "ada", "PLAY", "é", "person", "go", "名", " ", "paris", "O"];

/**
 * Returns a call of one of the nine tools. Names do not repeat within a create call, because the reference
 * server then keeps both.
 */
function randomOperation(chance: Chance): Operation {
  const one = <T>(items: readonly T[]): T => chance.one(items);
  const some = <T>(make: () => T, most = 3): T[] => Array.from({ length: chance.int(most + 1) }, make);
  const unique = (count: number) => [...new Set(some(() => one(NAMES), count))];
  const relation = () => ({ from: one(NAMES), to: one(NAMES), relationType: one(RELATIONS) });
  const operations: (() => Operation)[] = [
    () => ({
      name: "create_entities",
      args: {
        entities: unique(4).map((name) => ({
          name,
          entityType: one(TYPES),
          observations: some(() => one(TEXTS)),
        })),
      },
    }),
    () => ({ name: "create_relations", args: { relations: distinct(some(relation)) } }),
    () => ({
      name: "add_observations",
      args: { observations: some(() => ({ entityName: one(NAMES), contents: some(() => one(TEXTS)) }), 2) },
    }),
    () => ({ name: "delete_entities", args: { entityNames: some(() => one(NAMES), 1) } }),
    () => ({
      name: "delete_observations",
      args: { deletions: some(() => ({ entityName: one(NAMES), observations: some(() => one(TEXTS)) }), 2) },
    }),
    () => ({ name: "delete_relations", args: { relations: some(relation) } }),
    () => ({ name: "read_graph", args: {} }),
    () => ({ name: "search_nodes", args: { query: one(QUERIES) } }),
    () => ({ name: "open_nodes", args: { names: some(() => one(NAMES)) } }),
  ];
  return one([...operations, operations[0]!, operations[1]!, operations[2]!])();
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/**
 * Returns the calls with different results. Searches without a result in the reference server are not
 * compared.
 */
export async function differences(
  [ours, theirs]: readonly [ConnectedClient, ConnectedClient],
  seed: number,
  count: number,
): Promise<{ readonly different: readonly unknown[]; readonly calls: ReadonlyMap<string, number> }> {
  const chance = new Chance(seed);
  const different: unknown[] = [];
  const calls = new Map<string, number>();
  for (let index = 0; index < count; index++) {
    const operation = randomOperation(chance);
    calls.set(operation.name, (calls.get(operation.name) ?? 0) + 1);
    const [own, expected] = await Promise.all(
      [ours, theirs].map((client) => client.call(operation.name, operation.args)),
    );
    const isUnanswered = operation.name === "search_nodes" && isEmpty(expected!.structured);
    if (!isUnanswered && JSON.stringify(own) !== JSON.stringify(expected)) {
      different.push({ index, operation, own, expected });
    }
  }
  return { different, calls };
}

function isEmpty(graph: Record<string, unknown> | undefined): boolean {
  return (graph?.entities as readonly unknown[] | undefined)?.length === 0;
}
