import type { Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { SteerablePlugin } from "../reference/steerable-plugin.js";
import { rewriteReplies, rewriteRequests } from "./intercept.js";
import { without } from "./rewrite-entries.js";

const plugins = { working: () => new SteerablePlugin() };

/** Adds a cursor to replies to requests with `name`. */
function withCursor(name: string): (bus: Bus) => Bus {
  return (bus) =>
    rewriteReplies(bus, (message, { asked }) => {
      const isPage = message.type === "memory/retrieve/resp" && Boolean(asked?.[name]);
      return isPage ? { ...message, cursor: "eyJhZnRlciI6MX0" } : message;
    });
}

/** Drops `name` from requests without a query or an embedding. */
function leftOut(name: string): (bus: Bus) => Bus {
  const isRanked = ({ query, order = "relevance" }: Message) => Boolean(query) && order === "relevance";
  return (bus) =>
    rewriteRequests(bus, (fields) => (isRanked(fields) ? fields : (without(fields, name) as Message)));
}

function onePageMutants(feature: "diversity" | "rerank"): readonly Mutant[] {
  return [
    hostMutant({
      id: `${feature}-has-a-cursor`,
      defect: `a page with \`${feature}\` has a cursor`,
      check: `${feature}/gives-one-page`,
      names: /cursor of a page of 2 of 5 entries with/,
      plugins,
      bus: withCursor(feature),
    }),
    hostMutant({
      id: `${feature}-left-out-of-a-listing`,
      defect: `\`${feature}\` is dropped from unranked requests instead of refused`,
      check: `${feature}/needs-a-ranking`,
      names: /a retrieve with \{/,
      plugins,
      bus: leftOut(feature),
    }),
  ];
}

export const steeringHostMutants: readonly Mutant[] = [
  ...onePageMutants("diversity"),
  ...onePageMutants("rerank"),
  hostMutant({
    id: "host-plugins-unsteered-tiers-not-named",
    defect: "tiers that do not declare `recency` answer without it and without a report",
    check: "host-plugins/tiers-that-cannot-be-steered-are-named",
    names: /tiers of the entries of a retrieve of two tiers with `recency`/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) =>
        fields.tier == null && fields.recency ? (without(fields, "recency") as Message) : fields,
      ),
  }),
];
