import { comparePositions, type PluginRetrieveRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Found } from "../reference/row.js";
import { cursorCutMutants } from "./cursor-cut.js";
import { cursorHostMutants } from "./cursor-host.js";

type PageArguments = Parameters<ReferencePlugin["page"]>;

/** The reference plugin with another selection of the entries after `after`. */
function continuing(
  behind: (
    found: readonly Found[],
    after: NonNullable<PluginRetrieveRequest["after"]>,
    plugin: Positions,
  ) => readonly Found[],
): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override page(...[found, request]: PageArguments) {
      const { after, ...first } = request;
      if (after === undefined) return super.page(found, request);
      const positions = { of: (one: Found) => this.position(one, request.order), order: request.order };
      return { ...super.page(behind(found, after, positions), first), total: found.length };
    }
  })();
}

interface Positions {
  readonly order: PluginRetrieveRequest["order"];
  of(found: Found): NonNullable<PluginRetrieveRequest["after"]>;
}

/** Returns the correct entries after `after`. */
function soundlyBehind(
  found: readonly Found[],
  after: NonNullable<PluginRetrieveRequest["after"]>,
  { of, order }: Positions,
) {
  return found.filter((one) => comparePositions(after, of(one), order) < 0);
}

/**
 * Continues after the last entry of the page. If that entry is missing, returns the entries of `otherwise`.
 */
function goingOnFromTheEntry(otherwise: (found: readonly Found[]) => readonly Found[]): ReferencePlugin {
  return continuing((found, after, positions) => {
    const isThere = found.some(({ row }) => row.key_hash === after.key_hash);
    return isThere ? soundlyBehind(found, after, positions) : otherwise(found);
  });
}

const pluginMutants: readonly Mutant[] = [
  pluginMutant({
    id: "cursor-time-alone",
    defect: "a page continues after the time of the last entry, so that entries of the same time are missed",
    check: "cursor/pages-by-time-hold-all-once",
    names: /ids and namespaces on all pages of a retrieve of 11 entries/,
    createPlugin: () =>
      continuing((found, after, { of, order }) => {
        if (order === "relevance") return soundlyBehind(found, after, { of, order });
        const direction = order === "oldest" ? 1 : -1;
        return found.filter((one) => direction * (of(one).rank - after.rank) > 0);
      }),
  }),
  pluginMutant({
    id: "cursor-score-alone",
    defect:
      "a page continues below the score of the last entry, so that entries of the same score are missed",
    check: "cursor/pages-by-score-hold-all-once",
    names: /ids and namespaces on all pages of a retrieve of 11 entries with \{"query"/,
    createPlugin: () =>
      continuing((found, after, { of, order }) =>
        order === "relevance"
          ? found.filter((one) => of(one).rank < after.rank)
          : soundlyBehind(found, after, { of, order }),
      ),
  }),
  pluginMutant({
    id: "cursor-pages-by-namespace",
    defect: "pages of a subtree cover one namespace after another, though each page is in order",
    check: "cursor/pages-of-a-subtree-hold-all-once",
    names: /ids and namespaces on all pages of a retrieve of 10 entries/,
    createPlugin: () =>
      continuing((found, after, positions) => {
        const behind = soundlyBehind(found, after, positions);
        const same = behind.filter(({ row }) => row.scope.namespace === after.namespace);
        return same.length > 0 ? same : behind.filter(({ row }) => row.scope.namespace > after.namespace);
      }),
  }),
  pluginMutant({
    id: "cursor-total-of-the-rest",
    defect: "the total counts only the entries after the cursor",
    check: "cursor/total-is-the-same-on-every-page",
    names: /totals of these pages/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...[found, request]: PageArguments) {
          const { after, order } = request;
          const page = super.page(found, request);
          if (after === undefined) return page;
          const positions = { of: (one: Found) => this.position(one, order), order };
          return { ...page, total: soundlyBehind(found, after, positions).length };
        }
      })(),
  }),
  pluginMutant({
    id: "cursor-entry-gone",
    defect:
      "a page starts after the last entry of the previous page, and from the first entry if that was forgotten",
    check: "cursor/unchanged-entries-once-while-others-write",
    names: /unchanged ids on pages of 2 of the ids 1 to 10 by newest/,
    createPlugin: () => goingOnFromTheEntry((found) => found),
  }),
  pluginMutant({
    id: "cursor-place-of-an-entry",
    defect: "`after` is looked up among the entries, and replaced with the nearest of the same time",
    check: "cursor/after-is-a-place-in-time",
    names: /key hashes of onRetrieve with order newest, limit 3 and after/,
    createPlugin: () =>
      continuing((found, after, positions) => {
        const exact = found.findIndex(({ row }) => row.key_hash === after.key_hash);
        const near = found.findIndex((one) => positions.of(one).rank === after.rank);
        if (positions.order === "relevance" || exact >= 0 || near < 0)
          return soundlyBehind(found, after, positions);
        return found.slice(near + 1);
      }),
  }),
  pluginMutant({
    id: "cursor-score-rounded",
    defect: "the score of `after` is rounded to two decimals, unlike the scores of entries",
    check: "cursor/after-is-a-place-by-score",
    names: /key hashes of onRetrieve with order relevance, limit 3 and after/,
    createPlugin: () =>
      continuing((found, after, positions) =>
        soundlyBehind(found, { ...after, rank: Math.round(after.rank * 100) / 100 }, positions),
      ),
  }),
];

export const cursorMutants: readonly Mutant[] = [...pluginMutants, ...cursorCutMutants, ...cursorHostMutants];
