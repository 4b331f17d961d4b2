import type { Check } from "../../../catalogue/check.js";
import { cursorAfterChecks } from "./cursor-after.js";
import { cursorCutChecks } from "./cursor-cut.js";
import { cursorHostChecks } from "./cursor-host.js";
import { cursorNearChecks } from "./cursor-near.js";
import { cursorPageChecks } from "./cursor-pages.js";

export const cursorChecks: readonly Check[] = [
  ...cursorPageChecks,
  ...cursorAfterChecks,
  ...cursorCutChecks,
  ...cursorHostChecks,
  ...cursorNearChecks,
];
