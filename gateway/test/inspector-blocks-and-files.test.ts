import { type AgentMemory, MemoryClient } from "@membus/agent-client";
import { Blocks, MemoryFiles } from "@membus/agentic";
import { keyHash, systemClock } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeClock } from "../../host/test/fake-clock.js";
import { filesRoute, listBlocks } from "../src/inspector/blocks-and-files.js";
import { GatewayFixture } from "./gateway-fixture.js";

const fixture = new GatewayFixture({ hasOwnHost: true });
const clock = new FakeClock();
const listFiles = filesRoute({ clock: systemClock });
let memory: AgentMemory;

beforeAll(async () => {
  await fixture.start({}, clock);
  memory = await MemoryClient.connect({ bus: await fixture.bus(), agent: "alice", timeoutMs: 60_000 });
});

afterAll(() => fixture.stop());

describe("the blocks of an agent", () => {
  it("have their value, its length in characters and the limit", async () => {
    const blocks = new Blocks(memory);
    await blocks.create("human", { description: "The user", value: "Ada 😀", limit: 50 });
    await blocks.append("human", "drinks tea");
    await new Blocks(memory.forAgent("bob")).create("other", { value: "of bob" });
    const { blocks: listed, truncated } = await listBlocks(memory);
    expect(truncated).toBe(false);
    expect(listed).toMatchObject([
      {
        label: "human",
        description: "The user",
        value: "Ada 😀\ndrinks tea",
        length: 16,
        limit: 50,
        read_only: false,
        tier: "episodic",
        namespace: "blocks",
      },
    ]);
  });

  it("are listed with the latest change first", async () => {
    const dora = memory.forAgent("dora");
    const [own, team] = [new Blocks(dora), new Blocks(dora, { namespace: "team" })];
    await team.create("plan", { value: "Rome" });
    await own.create("human", { value: "Ada" });
    await clock.advance(1_000);
    await team.append("plan", "by train");
    const { blocks } = await listBlocks(dora);
    expect(blocks.map(({ label }) => label)).toEqual(["plan", "human"]);
  });

  it("are empty for an agent without blocks", async () => {
    expect(await listBlocks(memory.forAgent("eve"))).toEqual({ blocks: [], truncated: false, degraded: [] });
  });
});

describe("the files of an agent", () => {
  it("are listed by folder, in the tier where they are", async () => {
    const files = new MemoryFiles(memory);
    for (const path of ["/b.md", "/a.md", "/notes/c.md"]) await files.write(path, "text");
    await new MemoryFiles(memory, { tier: "semantic" }).write("/shared.md", "text");
    const { folders, truncated } = await listFiles(memory);
    expect(truncated).toBe(false);
    const shown = folders.map(({ tier, namespace, files: of }) => [
      tier,
      namespace,
      of.map(({ path }) => path),
    ]);
    expect(shown).toEqual([
      ["episodic", "files", ["a.md", "b.md"]],
      ["episodic", "files/notes", ["notes/c.md"]],
      ["semantic", "files", ["shared.md"]],
    ]);
    expect(folders[0]!.files[0]!.key_hash).toBe(keyHash({ file: "a.md" }));
  });

  it("are marked as incomplete beyond 200 files in a folder", async () => {
    const carol = memory.forAgent("carol");
    const entries = Array.from({ length: 201 }, (_, n) => ({
      key: { file: `f${n}` },
      content: { text: "" },
      metadata: { kind: "file", bytes: 0 },
      tier: "episodic" as const,
    }));
    await carol.inNamespace("files").store(entries);
    const { folders, truncated } = await listFiles(carol);
    expect([folders[0]!.files.length, truncated]).toEqual([200, true]);
  });

  it("are complete with 100 folders in a tier, and incomplete with 101", async () => {
    const frank = memory.forAgent("frank");
    const write = (n: number) => new MemoryFiles(frank).write(`/f${n}/a.md`, "text");
    await Promise.all(Array.from({ length: 100 }, (_, n) => write(n)));
    const listed = async () => {
      const { folders, truncated } = await listFiles(frank);
      return [folders.filter(({ tier }) => tier === "episodic").length, truncated];
    };
    expect(await listed()).toEqual([100, false]);
    await write(100);
    expect(await listed()).toEqual([100, true]);
  });
});
