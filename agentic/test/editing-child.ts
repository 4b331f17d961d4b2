import { MemoryClient } from "@membus/agent-client";
import { Blocks, KnowledgeGraph } from "../src/index.js";

/** Told what to do by its parent, it edits the same block or node as another such process, and tells what came of it. */
const [url, name, rounds] = process.argv.slice(2) as [string, string, string];
const ROUNDS = Number(rounds);

async function editBlock(memory: MemoryClient): Promise<object> {
  const blocks = new Blocks(memory);
  await blocks.append("shared", `${name} counts 0`);
  for (let n = 1; n <= ROUNDS; n++) {
    await blocks.append("shared", `${name} appends ${n}`);
    await blocks.insert("shared", 0, `${name} inserts ${n}`);
    await blocks.replace("shared", `${name} counts ${n - 1}`, `${name} counts ${n}`);
  }
  return {};
}

/** Both add the same and something of their own to a node under two names; one of them merges these all the time. */
async function editNode(memory: MemoryClient): Promise<object> {
  const graph = new KnowledgeGraph(memory);
  let created = 0;
  let left = 0;
  for (let n = 1; n <= ROUNDS; n++) {
    const same = { subject: "hub", predicate: "same", object: `${n}`, evidence: `${name} says so` };
    const own = { subject: "alias", predicate: name, object: `${n}` };
    const [first] = await graph.add([same, own]);
    if (first!.outcome === "created") created += 1;
    if (name === "right") left += (await graph.merge("alias", "hub")).left.length;
  }
  return { created, left };
}

const memory = await MemoryClient.connect({ servers: url, agent: "alice" });
process.once("message", (what) => {
  const editing = what === "block" ? editBlock(memory) : editNode(memory);
  void editing
    .catch((error: unknown) => ({ error: String(error) }))
    .then(async (told) => {
      await memory.close();
      process.send!(told, () => process.disconnect());
    });
});
process.send!("ready");
