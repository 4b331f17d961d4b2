import { it } from "vitest";
import { expectPromises } from "./context-histories.js";

it("a window keeps its promises over generated conversations", () => expectPromises(200));
