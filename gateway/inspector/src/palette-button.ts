import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLoaded } from "./loaded.js";
import { Failure } from "./notices.js";
import type { PaletteProps } from "./palette/palette.js";

/** Opens the command palette, also with Ctrl+K or Cmd+K. Its code is loaded when it is first opened. */
export function PaletteButton(props: PaletteProps): VNode {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const { value, failure } = useLoaded(
    async () => (isOpen ? import("./palette/palette.js") : undefined),
    [isOpen],
  );
  return html`<button type="button" class="picked jump" onClick=${() => setOpen(true)}>
      <span>Jump to…</span><kbd>Ctrl K</kbd></button>
    ${isOpen && html`<${Failure} of=${failure} />`}
    ${isOpen && value !== undefined && html`<${value.Palette} ...${props} onClose=${() => setOpen(false)} />`}`;
}
