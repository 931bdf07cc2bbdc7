/** What a finger, or a mouse in its place, does to what scrolls. */
export interface Scroller {
  /** Whether the browser doesn't move it by a finger itself. */
  readonly isForFingers?: true
  /** Whether it goes along with a movement in this direction, which begins so far from the left edge of the screen. */
  readonly takes: (x: number, y: number, startX: number) => boolean
  readonly begin: () => void
  /** Moves by so many points since the last time. */
  readonly move: (x: number, y: number) => void
  /** Lets go, at so many points a millisecond. */
  readonly end: (velocityX: number, velocityY: number) => void
}

const scrollers = new WeakMap<Element, Scroller>()

/** Says that this element can be scrolled by dragging it. */
export const setScroller = (drawn: Element, scroller: Scroller): void => {
  scrollers.set(drawn, scroller)
}

/** What can be scrolled around an element, the innermost first. */
export const scrollersAround = (drawn: Element): ReadonlyArray<Scroller> => {
  const found: Array<Scroller> = []
  for (let at: Element | null = drawn; at !== null; at = at.parentElement) {
    const scroller = scrollers.get(at)
    if (scroller !== undefined) found.push(scroller)
  }
  return found
}
