import { stylesheet } from "../ui/document.ts"

/** Tables of pairs where there is no room for their columns: the two sides beside each other, or below. */
export const compareStyle = stylesheet(`
.fit { container-type: inline-size }
.pairs .difference::first-letter { text-transform: uppercase }
.pairs .go { min-height: 1.5rem }
@container (max-width: 52rem) {
  .pairs, .pairs tbody { display: block }
  .pairs { font-size: .85rem }
  .pairs thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  .pairs tbody tr {
    display: grid; grid-template-columns: repeat(10, minmax(0, 1fr)); row-gap: .15rem; padding: .6rem .5rem .7rem;
    border-top: 1px solid var(--line);
  }
  .fit .pairs tbody tr > :is(th, td) { grid-column: span 5; width: auto; padding: 0 .5rem 0 0; border: 0 }
  .fit .pairs tbody tr > .difference { order: -1; grid-column: span 4; padding: 0; text-align: end }
  .fit .pairs tbody tr > th { order: -2; grid-column: span 6 }
  .pairs pre { max-height: 12rem }
  .pairs td .type { display: inline }
  .pairs td:not(.difference)::before { display: inline-block; width: 2.6rem; color: var(--muted); font-size: .75rem; font-weight: 400 }
  .pairs td:nth-child(2)::before { content: "Left" }
  .pairs td:nth-child(3)::before { content: "Right" }
  .pairs tr[aria-current] { border-radius: 4px }
}
@container (max-width: 26rem) {
  .fit .pairs tbody tr > td:not(.difference) { grid-column: 1 / -1; padding: 0 }
}
`)
