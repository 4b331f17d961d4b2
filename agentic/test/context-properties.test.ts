import { it } from "vitest";
import { expectPromises } from "./context-histories.js";

it("a window keeps its guarantees over generated conversations", () => expectPromises(60));
