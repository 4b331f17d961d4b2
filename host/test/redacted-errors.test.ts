import { MemoryError } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const PATHS = [
  "/var/lib/membus/episodic/log/00000001.log",
  "'/srv/my data/membus.lock'",
  "C:\\membus\\log",
  "\\\\server\\share\\log",
  "file:///opt/membus/plugin.js",
  "~/memories",
];

/** Returns a plugin that fails with `text` in every kind of result. */
function failing(text: string): MapPlugin {
  const plugin = new MapPlugin({ list: true });
  const error = new MemoryError("unavailable", `cannot write (${text}): EIO`, { file: text, seq: 3 });
  const errors = [{ index: 0, error }];
  plugin.onForget = async () => Promise.reject(error);
  plugin.onStore = plugin.onStatus = async () => ({ receipts: [], errors, done: true });
  const honest = plugin.onRetrieve.bind(plugin);
  plugin.onRetrieve = async (selector, request) => {
    if (request.limit === 1) throw error;
    return { ...(await honest(selector, request)), degraded: error };
  };
  return Object.assign(plugin, { onList: async () => Promise.reject(error) });
}

describe("an error of a plugin", () => {
  it.each(PATHS)("with %s is redacted for the client and logged unchanged", async (path) => {
    const fixture = await HostFixture.start({ plugins: { working: failing(path) } });
    const answers = [
      await fixture.store([{ key: "a", content: 1 }]),
      await fixture.retrieve({ tier: "working" }),
      await fixture.retrieve({ limit: 1, tier: "working" }),
      await fixture.forget({ all: true, tier: "working" }),
      await fixture.ask("memory/list/req", { field: "tags", tier: "working" }),
      await fixture.ask("memory/status/req", { request_id: "a" }),
    ];
    for (const answer of answers) {
      const text = JSON.stringify(answer);
      expect(text).toContain("cannot write (<path>): EIO");
      for (const word of ["membus", "srv", "data", "share", "memories", "log", ":\\\\", "~"])
        expect(text).not.toContain(word);
    }
    const bare = JSON.stringify(path.replaceAll("'", "")).slice(1, -1);
    const logged = fixture.logger.lines.map(({ fields }) => String(fields.err));
    expect(logged.length).toBeGreaterThanOrEqual(answers.length);
    for (const line of logged) expect(JSON.stringify(line)).toContain(bare);
  });

  it.each([
    "entries[0].content: expected a/b",
    "namespace a/b/** of memory/store/req",
    "3 / 4 of http://127.0.0.1:8080/v1",
    "at 12:30:01, 100/s, and/or",
  ])("without a path is passed on unchanged: %s", async (text) => {
    const plugin = new MapPlugin();
    plugin.onForget = async () => Promise.reject(new MemoryError("unavailable", text, { limit: text }));
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    expect(await fixture.forget({ all: true })).toMatchObject({ message: text, detail: { limit: text } });
    expect(fixture.logger.lines).toEqual([]);
  });
});
