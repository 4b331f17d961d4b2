/** Style of the page, light or dark as the reader's system. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#c8ccd4, #444b57); --link: light-dark(#0b5cad, #8ab8ff); }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; font: 1rem/1.5 system-ui, sans-serif;
  background: light-dark(#ffffff, #16181d); color: light-dark(#1c1f26, #e6e8ec); }
a { color: var(--link); }
code, pre, nav a { font-family: ui-monospace, monospace; font-size: 0.875rem; }
pre { overflow-x: auto; margin: 0.25rem 0; padding: 0.5rem; background: light-dark(#f3f4f7, #20242c); }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1rem; }
h4 { margin: 0.75rem 0 0.25rem; font-size: 0.875rem; }
small { font-weight: normal; }
nav h2 { margin: 1rem 0 0; font-size: 1rem; }
nav ul { margin: 0; padding: 0; list-style: none; overflow-wrap: anywhere; }
article { margin: 0 0 1rem; padding: 1rem; border: 1px solid var(--line); border-radius: 0.5rem; overflow-wrap: anywhere; }
article:target { border-color: var(--link); }
article p { margin: 0.25rem 0 0; }
dl { margin: 0; } dt { margin-top: 0.25rem; } dd { margin-left: 1.5rem; }
@media (min-width: 60rem) {
  body { display: grid; grid-template: "head head" auto "nav main" 1fr / 18rem 1fr; column-gap: 2rem; }
  header { grid-area: head; }
  nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; }
}
`;
