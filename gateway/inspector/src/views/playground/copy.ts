import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

/** Copies a text. Browsers allow it only on loopback and with TLS. */
export function Copy({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const [copied, setCopied] = useState<{ readonly text: string; readonly is: boolean }>();
  const copy = async () => {
    const is = await (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"))).then(
      () => true,
      () => false,
    );
    setCopied({ text, is });
  };
  const status = copied?.text !== text ? "" : copied.is ? "Copied" : "Select the text to copy it";
  return html`<span><span role="status" class="quiet">${status}</span>${" "}
    <button type="button" class="plain small" aria-label=${label} onClick=${() => void copy()}>Copy</button></span>`;
}
