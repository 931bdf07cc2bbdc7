import { hashOf, momentIn } from "../moment.ts"
import type { Clock } from "./clock.ts"

/** For how long nobody moves before the address says where they are: browsers take only so many changes. */
const rest = 300

/**
 * Keeps a clock and the address of its page together: links to moments go there, and the address names the moment once
 * somebody went to another one than that of now, or stopped there.
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
