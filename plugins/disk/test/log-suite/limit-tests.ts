import { describe, expect, it } from "vitest";
import { append, contents } from "../log-fixture.js";
import { type CreateLog, type LogLimits, TestLog } from "./log-under-test.js";

export function registerLimitTests(create: CreateLog): void {
  const limitedTo = async (limits: LogLimits) => (await TestLog.create(create)).open(limits);
  describe("limits", () => {
    it("refuses a record over recordBytesMax and accepts one of that size", async () => {
      const log = await limitedTo({ recordBytesMax: 10 });
      await expect(append(log, "12345678901")).rejects.toMatchObject({
        code: "too_large",
        detail: { limit: "messageBytes", max: 10, got: 11 },
      });
      expect(await append(log, "1234567890")).toBe(1);
    });

    it("refuses more than queueCountMax queued records until they are durable", async () => {
      const log = await limitedTo({ queueCountMax: 2 });
      const taken = [append(log, "a"), append(log, "b")];
      const refused = append(log, "c");
      await expect(refused).rejects.toMatchObject({ code: "overloaded", detail: { retry_after_ms: 1 } });
      expect(await Promise.all(taken)).toEqual([1, 2]);
      expect(await append(log, "d")).toBe(3);
      expect(await contents(log)).toEqual(["1:a", "2:b", "3:d"]);
    });

    it("refuses once queueBytesMax bytes are queued", async () => {
      const log = await limitedTo({ queueBytesMax: 5 });
      const taken = [append(log, "1234"), append(log, "5678")];
      expect(log.stats).toMatchObject({ queuedCount: 2, queuedBytes: 8 });
      await expect(append(log, "9")).rejects.toMatchObject({ code: "overloaded" });
      await Promise.all(taken);
      expect(log.stats).toMatchObject({ queuedCount: 0, queuedBytes: 0 });
    });
  });
}
