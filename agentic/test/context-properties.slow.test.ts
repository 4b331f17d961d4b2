import { it } from "vitest";
import { expectPromises } from "./context-histories.js";

it(
  "a window keeps its guarantees over 10,000 generated conversations",
  () => expectPromises(10_000),
  3_600_000,
);
