import { protectedStart, unitsOf } from "./rounds.js";
import { sumTokens, type View, type ViewItem } from "./view.js";

export interface PackLimits {
  readonly targetTokens: number;
  readonly graceRounds: number;
  /** True to continue with older messages after one that does not fit. False to stop there. */
  readonly gaps: boolean;
}

/**
 * Keeps the messages that fit, from the newest to the oldest. The leading system message, the newest rounds,
 * and one user message always stay, even if they exceed the target. The summary comes next. It also always
 * stays if there is no user message, because it takes that role.
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
