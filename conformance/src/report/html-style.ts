/** Style sheet of the HTML report. It follows the reader's light or dark mode and can be printed. */
export const HTML_STYLE = `
:root {
  --page: #f6f7f9; --sheet: #ffffff; --ink: #1c2330; --soft: #5b6678; --line: #dfe3ea; --code: #f0f2f6;
  --good: #1a7f4b; --good-soft: #e2f5ea; --bad: #c0271d; --bad-soft: #fdeae8; --warn: #92600a; --warn-soft: #fdf3dc;
  --none: #5b6678; --none-soft: #eceff4; --link: #1f5fbf;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11151c; --sheet: #191f29; --ink: #e4e8ef; --soft: #9aa6b8; --line: #2c3543; --code: #232b38;
    --good: #58c98c; --good-soft: #16352a; --bad: #ff8a80; --bad-soft: #42201f; --warn: #e8b858; --warn-soft: #3b2f16;
    --none: #9aa6b8; --none-soft: #29313e; --link: #84b4ff;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header, main { max-width: 70rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; }
h1, h2, h3, h4, h5, p, dl, dd, ul { margin: 0; }
h1 { font-size: 1.7rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: 1rem; }
h4 { font-size: .8rem; color: var(--soft); font-weight: 600; }
h5 { font: 600 .8rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, monospace; font-size: .85em; }
pre { margin: .25rem 0 0; padding: .6rem .75rem; background: var(--code); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
a { color: var(--link); }
small { color: var(--soft); font-weight: 400; }
ul { padding-left: 1.2rem; }
li + li { margin-top: .35rem; }
.kind { color: var(--soft); font-size: .8rem; letter-spacing: .08em; text-transform: uppercase; }
.verdict { margin-top: .9rem; padding: .7rem 1rem; border-radius: 8px; font-weight: 600; }
header.good .verdict { background: var(--good-soft); color: var(--good); }
header.bad .verdict { background: var(--bad-soft); color: var(--bad); }
header.partial .verdict { background: var(--warn-soft); color: var(--warn); }
header dl { display: flex; flex-wrap: wrap; gap: .4rem 2rem; margin-top: 1rem; }
header dt { color: var(--soft); font-size: .75rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .75rem; }
.card, article, details, .scroll { background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; }
.card { padding: .8rem 1rem; }
.card p { color: var(--soft); font-size: .85rem; }
.card .must { color: var(--ink); font-size: .95rem; margin-top: .25rem; }
.card .must strong { font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.card.unclaimed { border-style: dashed; }
.bar { height: 6px; margin: .4rem 0 .5rem; border-radius: 3px; background: var(--bad); overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--good); }
article { padding: 1rem 1.1rem; margin-bottom: .9rem; border-left: 4px solid var(--bad); }
article h3 { font-family: ui-monospace, monospace; font-size: .95rem; overflow-wrap: anywhere; }
.clause { margin-top: .35rem; color: var(--soft); font-size: .9rem; }
.known { margin-top: .5rem; padding: .35rem .6rem; border-radius: 6px; background: var(--warn-soft); color: var(--warn); }
.case { margin-top: .9rem; }
.case > dl { margin-top: .3rem; border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
.case > dl > div { display: grid; grid-template-columns: 6rem 1fr; }
.case > dl > div + div { border-top: 1px solid var(--line); }
.case dt { padding: .35rem .7rem; color: var(--soft); font-size: .8rem; }
.case > dl dd { padding: .35rem .7rem; overflow-wrap: anywhere; white-space: pre-wrap; }
.expected dd { background: var(--good-soft); }
.got dd { background: var(--bad-soft); }
.expected dd, .got dd { font: .85rem/1.5 ui-monospace, monospace; }
details { margin-top: .6rem; padding: .45rem .8rem; }
details p, details pre { margin-top: .4rem; }
details .scroll { margin: .6rem 0 .2rem; border-width: 1px 0 0; border-radius: 0; }
summary { cursor: pointer; color: var(--soft); font-size: .85rem; }
.call { margin-top: .6rem; }
.call dl { display: grid; grid-template-columns: 3.5rem 1fr; }
.call dt { padding: 0; }
.call dd { overflow-wrap: anywhere; }
.rerun { margin-top: .9rem; color: var(--soft); font-size: .8rem; }
.badge { display: inline-block; padding: 0 .5rem; border-radius: 999px; font: 600 .72rem/1.6 system-ui, sans-serif; white-space: nowrap; }
.badge.pass { background: var(--good-soft); color: var(--good); }
.badge.fail, .badge.suite-error { background: var(--bad-soft); color: var(--bad); }
.badge.untestable { background: var(--warn-soft); color: var(--warn); }
.badge.not-applicable, .badge.blocked, .badge.none { background: var(--none-soft); color: var(--none); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .88rem; }
th, td { padding: .45rem .8rem; text-align: left; vertical-align: top; }
tbody tr { border-top: 1px solid var(--line); }
thead th { color: var(--soft); font-size: .75rem; font-weight: 600; }
tbody th { font: 600 .82rem/1.6 ui-monospace, monospace; white-space: nowrap; }
.checks { margin-top: .25rem; color: var(--soft); }
.checks code { display: inline-block; margin-right: .6rem; overflow-wrap: anywhere; }
.checks code.pass { color: var(--good); }
.checks code.fail, .checks code.suite-error { color: var(--bad); }
.checks code.untestable { color: var(--warn); }
main { padding-bottom: 4rem; }
@media (max-width: 40rem) { .case > dl > div { grid-template-columns: 1fr; } .case dt { padding-bottom: 0; } }
@media print { body { background: none; } article { break-inside: avoid; } }
`;
