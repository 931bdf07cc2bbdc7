import { stylesheet } from "../ui/document.ts"

/** What a file holds. */
export const fileStyle = stylesheet(`
.columns.file { max-width: none }
.content { min-width: 0 }
.content > pre { max-height: 75vh; margin: 0 }
.content .notice + pre { margin-top: .75rem }
.content img, .content video { display: block; max-width: 100%; max-height: 80vh; border-radius: 6px; background: var(--sunken) }
.content audio { display: block; width: 100% }
.json { overflow-x: auto; font: .85rem/1.8 var(--mono) }
.json ul { margin: 0; padding: 0 0 0 1.1rem; border-left: 1px solid var(--line); list-style: none }
.json summary { cursor: pointer }
.json .key { color: var(--accent) }
.json .size { margin: 0 .2em; color: var(--muted) }
.json .string { color: var(--good) }
.json .number, .json .boolean { color: var(--wait) }
.json .null { color: var(--muted) }
@media (min-width: 60rem) {
  .columns.file { grid-template-columns: minmax(0, 1fr) minmax(0, 20rem) }
}
`)
