import { it } from "vitest";
import { expectPromises } from "./context-histories.js";

it("a window keeps its guarantees over 4,000 generated conversations", () => expectPromises(4_000), 600_000);
