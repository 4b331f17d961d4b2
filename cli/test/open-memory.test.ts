import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exampleOf } from "../../docs/test/code-blocks.js";
import { filesWith } from "../../plugins/lancedb/test/storage-fixture.js";
import { openMemory } from "../src/index.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "membus-memory-"));
});

afterEach(async () => {
  await rm(data, { recursive: true, force: true });
});

describe("openMemory", () => {
  it("remembers a preference in a folder without a server, also after a restart", async () => {
    const first = await openMemory({ data, agent: "tests" });
    await first.add("I prefer tea to coffee", { user: "ada" });
    await expect(openMemory({ data })).rejects.toMatchObject({ code: "conflict" });
    await first.close();
    const second = await openMemory({ data, agent: "tests" });
    const [found] = await second.search("What does Ada drink?", { user: "ada" });
    expect(found?.text).toBe("I prefer tea to coffee");
    await second.close();
    await second.close();
  });

  it("leaves no byte of a forgotten user in the folder", async () => {
    const memory = await openMemory({ data, agent: "tests" });
    await memory.add("adaline likes s3cret tea", { user: "adaline" });
    await memory.add([{ role: "user", content: "my s3cret" }], { user: "adaline" });
    await memory.add("I prefer coffee", { user: "bob" });
    const receipt = await memory.forget("adaline", { purge: true });
    expect(receipt).toMatchObject({ deleted: 3, byKind: { fact: 2, message: 1 }, purged: true });
    expect(await filesWith(data, "s3cret")).toEqual([]);
    const names = receipt.remains.find(({ what }) => what === "names of emptied namespaces");
    expect(names?.reason).toContain("The log keeps them for retries");
    // The id itself is only in replies of the log and in the list of recently used namespaces.
    const withId = (await filesWith(data, "adaline")).map((path) => path.replace(/\d+\.log$/, "log"));
    expect([...new Set(withId)].sort()).toEqual(["episodic/folder.json", "episodic/log/log"]);
    expect(await memory.search("coffee", { user: "bob" })).toHaveLength(1);
    await memory.close();
    expect(await filesWith(data, "s3cret")).toEqual([]);
  });

  it("finds the memories of a renamed user, and no entry under the old name", async () => {
    const memory = await openMemory({ data, agent: "tests" });
    await memory.add([{ role: "user", content: "I like tea" }], { user: "adaline" });
    expect(await memory.rename("adaline", "ann")).toEqual({ renamed: 2 });
    const { items } = await memory.client.list({ namespace: "**" });
    expect(items.map(({ value }) => value)).toEqual(["about/user:ann", "conversations"]);
    expect(await memory.search("tea", { user: "ann" })).toHaveLength(1);
    await memory.close();
  });

  it("runs the first example of the README", async () => {
    const code = exampleOf(await readFile(`${ROOT}README.md`, "utf8"), "memory");
    const args = ["--conditions", "membus-source", "--import", "tsx", "--input-type=module", "--eval", code];
    const env = { ...process.env, MEMBUS_DATA: data };
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
    expect(stdout).toBe("I prefer tea to coffee\n");
  });

  it("rejects unknown options", async () => {
    await expect(openMemory({ folder: data } as never)).rejects.toThrow("folder");
  });
});
