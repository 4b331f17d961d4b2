import type { ForgetMatch } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Api } from "../../api.js";
import { Failure } from "../../notices.js";
import type { Place } from "./entry.js";

export interface ForgettingProps {
  readonly api: Api;
  readonly place: Place;
  readonly session?: string | undefined;
  /** Called with the number of entries that were forgotten. */
  readonly onForgotten: (count: number) => void;
}

interface Preview {
  readonly cascade: boolean;
  readonly deleted: number;
  readonly victims: readonly ForgetMatch[];
}

/**
 * Forgets an entry after a preview of all entries that are forgotten with it. It stays at the lower edge of the window,
 * because an entry can be long.
 */
export function Forgetting({ api, place, session, onForgotten }: ForgettingProps): VNode {
  const [preview, setPreview] = useState<Preview>();
  const [keptCount, setKeptCount] = useState(0);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (keptCount > 0) button.current?.focus();
  }, [keptCount]);
  const [failure, setFailure] = useState<Error>();
  const { key, ...where } = place;
  const ask = <T>(path: string, cascade: boolean) =>
    api.post<T>(path, { ...where, keys: [key], cascade }, { session });
  const look = (event: SubmitEvent) => {
    event.preventDefault();
    const cascade = new FormData(event.currentTarget as HTMLFormElement).has("cascade");
    setFailure(undefined);
    ask<Omit<Preview, "cascade">>("forget/preview", cascade).then(
      (seen) => setPreview({ ...seen, cascade }),
      setFailure,
    );
  };
  const forget = (cascade: boolean) => {
    ask<Preview>("forget", cascade).then(({ deleted }) => onForgotten(deleted), setFailure);
  };
  const keep = () => {
    setPreview(undefined);
    setKeptCount((count) => count + 1);
  };
  return html`<div class="footer">
    <${Failure} of=${failure} />
    ${preview !== undefined && html`<${Victims} preview=${preview} onForget=${() => forget(preview.cascade)} onKeep=${keep} />`}
    <form aria-label="Forget" onSubmit=${look} hidden=${preview !== undefined}>
      <button ref=${button} class="plain danger">Forget…</button>
      <label class="inline"><input type="checkbox" name="cascade" /> also forget derived entries</label>
    </form></div>`;
}

/** Replaces an entry that was forgotten. It takes the focus of the button, which is gone. */
export function Forgotten({ count }: { readonly count: number }): VNode {
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => text.current?.focus(), []);
  return html`<p role="status" tabindex="-1" ref=${text}>Forgotten: ${count} ${count === 1 ? "entry" : "entries"}.</p>`;
}

function Victims({
  preview,
  onForget,
  onKeep,
}: {
  readonly preview: Preview;
  readonly onForget: () => void;
  readonly onKeep: () => void;
}): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  // The heading is in sight already.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [preview]);
  const { deleted, victims } = preview;
  const more = deleted - victims.length;
  return html`<section aria-labelledby="victims">
    <h3 id="victims" ref=${heading} tabindex="-1">${deleted} ${deleted === 1 ? "entry" : "entries"} will be forgotten</h3>
    <ol class="card" tabindex="0" aria-labelledby="victims">${victims.map(
      (victim) => html`<li key=${`${victim.namespace} ${victim.key_hash}`}>
      ${victim.text || victim.key_hash} <span class="quiet">${victim.tier} · ${victim.namespace}${levelText(victim.level)}</span>
    </li>`,
    )}</ol>
    ${more > 0 && html`<p class="quiet">and ${more} more that cannot be listed</p>`}
    <button type="button" class="danger" onClick=${onForget}>Forget permanently</button>${" "}
    <button type="button" class="plain" onClick=${onKeep}>Cancel</button>
  </section>`;
}

function levelText(level: number): string {
  return level === 0 ? "" : `, derived${level === 1 ? "" : ` over ${level} steps`}`;
}
