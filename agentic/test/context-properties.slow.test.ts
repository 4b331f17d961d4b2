import { it } from "vitest";
import { expectPromises } from "./context-histories.js";

it("a window keeps its guarantees over 1,500 generated conversations", () => expectPromises(1_500));
