import { describe, expect, it } from "vitest";
import { registerStorageSuite } from "../src/storage-suite/index.js";
import { registered, SOUND } from "./storage-mutants/failure-of.js";

registerStorageSuite({ describe, it }, SOUND);

describe("options of the suite", () => {
  it("are rejected if they are unknown or out of range", () => {
    expect(() => registered(SOUND, { killCout: 1 } as object)).toThrow(/killCout.*did you mean `killCount`/);
    expect(() => registered(SOUND, { rowCount: 1 })).toThrow(/rowCount/);
  });
});
