import type { Health, ModelBudgets, Overview } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { counted, countText, sizeText } from "../../figures.js";
import type { Loaded } from "../../loaded.js";
import { hrefOf } from "../../route.js";
import { figuresOf, unservedText } from "../host-figures.js";
import { spentText } from "./spending.js";

export interface TilesProps {
  readonly overview: Overview | undefined;
  readonly health: Loaded<Health>;
  readonly budgets: Loaded<ModelBudgets>;
  readonly agent: string;
}

interface Tile {
  readonly title: string;
  readonly value: string;
  readonly note: string;
  readonly href: string;
}

/** Shows the most important figures. Each is a link to its view. */
export function Tiles({ overview, health, budgets, agent }: TilesProps): VNode {
  const tiles = [...memoryTiles(overview), hostTile(health), queueTile(health), costTile(budgets, agent)];
  const item = ({ title, value, note, href }: Tile) => html`<li key=${title}>
    <a class="tile" href=${href} data-tile=${title}><span class="label">${title}</span>
      <strong>${value}</strong><span class="quiet">${note}</span></a></li>`;
  return html`<ul class="tiles" aria-label="Figures">${tiles.map(item)}</ul>`;
}

function memoryTiles(overview: Overview | undefined): Tile[] {
  const pending = overview === undefined ? "…" : undefined;
  const entries = sumOf(overview?.tiers.map((tier) => tier.entries));
  const bytes = sumOf(overview?.tiers.map((tier) => tier.bytes));
  return [
    {
      title: "Entries",
      value: pending ?? countText(entries),
      note: pending !== undefined ? "counting" : bytes === null ? "size unknown" : sizeText(bytes),
      href: hrefOf("memories", { namespace: "**" }),
    },
    {
      title: "Users",
      value: pending ?? countText(overview?.users),
      note: "in namespaces, chats",
      href: hrefOf("users"),
    },
    {
      title: "Namespaces",
      value: pending ?? countText(overview?.namespaces),
      note: "with entries",
      href: hrefOf("memories"),
    },
  ];
}

/** Returns null if a figure is unknown. */
function sumOf(figures: readonly (number | null)[] | undefined): number | null {
  if (figures === undefined || figures.includes(null)) return null;
  return figures.reduce<number>((sum, figure) => sum + (figure ?? 0), 0);
}

function hostTile({ value, failure }: Loaded<Health>): Tile {
  const href = hrefOf("health");
  if (failure !== undefined) return { title: "Health", value: "unknown", note: failure.message, href };
  if (value === undefined) return { title: "Health", value: "…", note: "asking the hosts", href };
  const { hosts } = value;
  const unserved = unservedText(hosts);
  const isServing = unserved === undefined && hosts.every(({ state }) => state === "serving");
  const text = hosts.length === 0 ? "no answer" : isServing ? "serving" : "not ready";
  const notes = [counted(hosts.length, "host"), unserved];
  return { title: "Health", value: text, note: notes.filter(Boolean).join(", "), href };
}

function queueTile({ value, failure }: Loaded<Health>): Tile {
  const href = hrefOf("health");
  if (value === undefined && failure === undefined)
    return { title: "Queue", value: "…", note: "asking the hosts", href };
  const queue = value && figuresOf(value.hosts);
  const notes = [
    "waiting calls",
    queue?.backlog !== undefined && `${countText(queue.backlog)} to flush`,
    value?.queued_writes !== undefined && `${countText(value.queued_writes)} in the outbox`,
  ];
  return { title: "Queue", value: countText(queue?.waiting), note: notes.filter(Boolean).join(", "), href };
}

function costTile({ value, failure }: Loaded<ModelBudgets>, agent: string): Tile {
  const href = hrefOf("health");
  if (agent === "") return { title: "Cost", value: "per agent", note: "choose an agent", href };
  if (failure !== undefined) return { title: "Cost", value: "unknown", note: failure.message, href };
  const [budget] = value?.budgets ?? [];
  if (value === undefined) return { title: "Cost", value: "…", note: "", href };
  if (budget === undefined) return { title: "Cost", value: "no budget", note: "no calls counted", href };
  return { title: "Cost", value: spentText(budget), note: `per ${budget.per}`, href };
}
