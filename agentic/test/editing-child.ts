import { MemoryClient } from "@membus/agent-client";
import { FileError } from "../src/files/index.js";
import { Blocks, KnowledgeGraph, MemoryFiles, openConversation } from "../src/index.js";

/**
 * Edits the same block, node or file as another such process, as its parent requests, and reports the result.
 */
const [url, name, rounds] = process.argv.slice(2) as [string, string, string];
const ROUNDS = Number(rounds);

async function editBlock(memory: MemoryClient): Promise<object> {
  // On a loaded machine one process can lose many times in a row.
  const blocks = new Blocks(memory, { attemptsMax: 1_000 });
  await blocks.append("shared", `${name} counts 0`);
  for (let n = 1; n <= ROUNDS; n++) {
    await blocks.append("shared", `${name} appends ${n}`);
    await blocks.insert("shared", 0, `${name} inserts ${n}`);
    await blocks.replace("shared", `${name} counts ${n - 1}`, `${name} counts ${n}`);
  }
  return {};
}

/**
 * Both processes add a shared and a separate triple to a node with two names. One of them merges the names
 * repeatedly.
 */
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

/** Both count in a file, and take turns in moving it to one of two paths, which the other must find. */
async function editFile(memory: MemoryClient): Promise<object> {
  const files = new MemoryFiles(memory);
  let moved = 0;
  for (let n = 1; n <= ROUNDS; n++) {
    await retried(async (path) => void (await files.edit(path, `${name} ${n - 1}\n`, `${name} ${n}\n`)));
    await retried(async (path) => {
      await files.move(path, path === "/a/shared" ? "/b/shared" : "/a/shared");
      moved += 1;
    });
  }
  return { moved };
}

/** Both processes store a different long text in one message, and add long messages. */
async function editMessage(memory: MemoryClient): Promise<object> {
  const conversation = await openConversation(memory, { id: "shared" });
  for (let n = 1; n <= ROUNDS; n++) {
    const content = `${name} ${n}, `.repeat(50_000);
    await conversation.update("shared", { content });
    if (n % 4 === 0) await conversation.add({ id: `${name} ${n}`, message: { role: "user", content } });
  }
  return {};
}

/**
 * Calls `work` with a path of the file, and retries with its other path while another process moves the file.
 */
async function retried(work: (path: string) => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt % 2 === 0 ? "/a/shared" : "/b/shared");
    } catch (error) {
      const isOnItsWay =
        error instanceof FileError && ["not_found", "exists", "conflict"].includes(error.code);
      if (!isOnItsWay || attempt > 10_000) throw error;
    }
  }
}

const EDITS = { block: editBlock, node: editNode, file: editFile, message: editMessage };

const memory = await MemoryClient.connect({ servers: url, agent: "alice", timeoutMs: 60_000 });
process.once("message", (what: keyof typeof EDITS) => {
  void EDITS[what](memory)
    .catch((error: unknown) => ({ error: String(error) }))
    .then(async (told) => {
      await memory.close();
      process.send!(told, () => process.disconnect());
    });
});
process.send!("ready");
