import { protectedStart, unitsOf } from "./rounds.js";
import { sumTokens, type View, type ViewItem } from "./view.js";

export interface PackLimits {
  readonly targetTokens: number;
  readonly graceRounds: number;
  /** Goes on behind what does not fit; otherwise it ends there. */
  readonly gaps: boolean;
}

/**
 * What fits of a view, from the newest message to the oldest. The leading system message, the newest messages from the
 * assistant's on, and one message of the user stay, also where they alone are too much; then comes the summary, which is
 * as a message of the user's where there is no other.
 */
export function packBackward(view: View, { targetTokens, graceRounds, gaps }: PackLimits): View {
  const { system, items } = view;
  const start = protectedStart(items, graceRounds);
  const kept = new Set(items.slice(start));
  const before = items.slice(0, start);
  if (![...kept].some(isUser)) {
    const user = before.findLast(isUser);
    if (user !== undefined) kept.add(user);
  }
  let left = targetTokens - sumTokens([...kept]) - (system?.tokens ?? 0);
  const hasUser = [...kept].some(isUser);
  const summary = hasUser && (view.summary?.tokens ?? 0) > left ? undefined : view.summary;
  left -= summary?.tokens ?? 0;
  for (const unit of unitsOf(before).reverse()) {
    const added = unit.filter((item) => !kept.has(item));
    const tokens = sumTokens(added);
    if (tokens > left) {
      if (gaps) continue;
      break;
    }
    for (const item of added) kept.add(item);
    left -= tokens;
  }
  return { system, summary, items: items.filter((item) => kept.has(item)) };
}

function isUser({ raw }: ViewItem): boolean {
  return raw.role === "user";
}
