import { hashOf, momentIn } from "../moment.ts"
import type { Clock } from "./clock.ts"

/** How long the moment must stay the same before the address changes: browsers limit the rate of such changes. */
const rest = 300

/**
 * Connects a clock with the fragment of the page's address. A link to a moment sets the clock. The address names the
 * moment once a person has selected one or stopped there.
 */
export const keepAddress = (clock: Clock): void => {
  let writing: ReturnType<typeof setTimeout> | undefined
  let written = clock.state().t

  const go = (hash: string): void => {
    const t = momentIn(hash)
    if (t !== undefined) clock.seek(t)
  }

  const write = (): void => {
    const { isPlaying, t } = clock.state()
    if (isPlaying || t === written) return
    written = t
    history.replaceState(null, "", hashOf(t))
  }

  addEventListener("hashchange", () => go(location.hash))
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#t="]') : null
    if (link instanceof HTMLAnchorElement) go(link.hash)
  })
  let wasPlaying = false
  clock.onMove(({ isPlaying }, move) => {
    const isMeant = move === "seek" || (wasPlaying && !isPlaying)
    wasPlaying = isPlaying
    if (!isMeant) return
    clearTimeout(writing)
    writing = setTimeout(write, rest)
  })
}
