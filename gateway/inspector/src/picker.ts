import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.js";

export interface Choice {
  readonly name: string;
  readonly href: string;
  /** Number of entries. Absent: unknown. */
  readonly count?: number | undefined;
}

export interface PickerProps {
  /** Name of the choice, for example "Agent". */
  readonly label: string;
  readonly chosen: string;
  readonly choices: readonly Choice[];
  /** Explains why the list may not be complete. */
  readonly note?: string | undefined;
  /** Returns the address for a name that the user typed. */
  readonly hrefOf: (name: string) => string;
  readonly children?: unknown;
}

/** Number of choices that are shown. The search finds the others. */
const SHOWN_MAX = 100;

/** A button that opens a list of links with a search. A name that is not listed can be typed. */
export function Picker(props: PickerProps): VNode {
  const { label, chosen } = props;
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const outside = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", outside);
    addEventListener("focusin", outside);
    return () => {
      removeEventListener("pointerdown", outside);
      removeEventListener("focusin", outside);
    };
  }, [isOpen]);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === "Escape" && isOpen) close();
  };
  return html`<div class="picker" ref=${root} onKeyDown=${onKeyDown}>
    <button type="button" class="picked" ref=${button} aria-expanded=${isOpen} aria-controls=${id}
      onClick=${() => setOpen(!isOpen)}><span class="label">${label}</span>
      <span class="value">${chosen}</span><${Icon} name="down" /></button>
    <div id=${id} class="popup" hidden=${!isOpen}>${isOpen && html`<${Panel} ...${props} onClose=${close} />`}</div>
  </div>`;
}

function Panel({
  label,
  chosen,
  choices,
  note,
  hrefOf,
  children,
  onClose,
}: PickerProps & { readonly onClose: () => void }): VNode {
  const [words, setWords] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const found = choices.filter(({ name }) => name.toLowerCase().includes(words.trim().toLowerCase()));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const typed = words.trim();
    if (typed === "") return;
    location.hash = found.find(({ name }) => name === typed)?.href ?? hrefOf(typed);
    onClose();
  };
  const item = ({ name, href, count }: Choice) => html`<li key=${name}>
    <a href=${href} aria-current=${name === chosen ? "true" : undefined} onClick=${onClose}>
      <span>${name}</span>${count !== undefined && html` <span class="count">${count.toLocaleString()}</span>`}</a></li>`;
  return html`<form role="search" aria-label=${label} onSubmit=${submit}>
      <label>Find or type ${aOrAn(label)} ${label.toLowerCase()}
        <input ref=${field} type="search" maxlength="512" autocomplete="off" value=${words}
          onInput=${({ currentTarget }: { currentTarget: HTMLInputElement }) => setWords(currentTarget.value)} /></label>
    </form>
    <ul class="choices">${found.slice(0, SHOWN_MAX).map(item)}</ul>
    ${found.length === 0 && html`<p class="quiet">${words === "" ? "None are known." : "Press Enter to open the typed name."}</p>`}
    ${found.length > SHOWN_MAX && html`<p class="quiet">${found.length - SHOWN_MAX} more. Type to find them.</p>`}
    ${note !== undefined && html`<p class="quiet">${note}</p>`}
    ${children}`;
}

function aOrAn(label: string): string {
  return /^[aeiou]/i.test(label) ? "an" : "a";
}
