import type { Move } from "./clock.ts"
import { make, onceAFrame } from "../../ui/dom.ts"

/** How high each line is, in CSS pixels: the stylesheet says the same. */
const lineHeight = 28

/** How many lines are drawn above and below those to be seen, so that scrolling shows no gap. */
const spare = 8

/** How many lines up to a moment are searched for the current one. */
const mostMeant = 1000

/** The lines of a list, ordered by time. */
export interface Lines {
  readonly count: () => number
  readonly timeOf: (index: number) => number
  /** Whether a line is to be the current one, although later lines up to the moment exist. */
  readonly isMeant: (index: number) => boolean
  /** Writes a line into an element that may have had another one. */
  readonly draw: (element: HTMLElement, index: number) => void
  /** A person selected a line. */
  readonly pick: (index: number) => void
  /** The current line has changed, or there is none any more. */
  readonly current: (index: number | undefined) => void
}

export interface TimeList {
  /** Lines were appended. */
  readonly grow: () => void
  /** All lines were replaced. */
  readonly replace: () => void
  /** Selects the next line, and after the last one the first. */
  readonly next: () => void
  /** Marks the last line up to a moment, and scrolls to it; as time passes, only until a person scrolls elsewhere. */
  readonly show: (t: number, move: Move) => void
}

/** A list that draws only its visible lines, however long it is. One line is the current one. */
export const makeTimeList = (scroller: HTMLElement, all: HTMLElement, lines: Lines): TimeList => {
  const drawn = new Map<number, HTMLElement>()
  let fresh = new Set<number>()
  let current: number | undefined
  let picked: number | undefined
  let moment = 0
  let isFollowing = true

  const mark = (element: HTMLElement, index: number): void => {
    if (index === current) element.setAttribute("aria-current", "true")
    else element.removeAttribute("aria-current")
    element.setAttribute("aria-selected", String(index === current))
  }

  /** The element of a line; a new line gets the element of one that is out of view. */
  const elementFor = (index: number, free: Array<number>): HTMLElement => {
    const old = drawn.has(index) ? index : free.pop()
    const element = old === undefined ? undefined : drawn.get(old)
    if (old !== undefined && element !== undefined) {
      drawn.delete(old)
      fresh.delete(old)
      drawn.set(index, element)
      return element
    }
    const made = make("div")
    made.setAttribute("role", "option")
    all.append(made)
    drawn.set(index, made)
    return made
  }

  /** Marks the current line for screen readers, if it is drawn. */
  const nameCurrent = (): void => {
    const isDrawn = current !== undefined && drawn.has(current)
    if (isDrawn) scroller.setAttribute("aria-activedescendant", `${scroller.id}-${current}`)
    else scroller.removeAttribute("aria-activedescendant")
  }

  const render = (): void => {
    const { clientHeight, scrollTop } = scroller
    const first = Math.max(0, Math.floor(scrollTop / lineHeight) - spare)
    const end = Math.min(lines.count(), Math.ceil((scrollTop + clientHeight) / lineHeight) + spare)
    const free = [...drawn.keys()].filter((index) => index < first || index >= end)
    for (let index = first; index < end; index += 1) {
      if (fresh.has(index)) continue
      const element = elementFor(index, free)
      element.id = `${scroller.id}-${index}`
      element.style.transform = `translateY(${index * lineHeight}px)`
      element.setAttribute("aria-posinset", String(index + 1))
      lines.draw(element, index)
      mark(element, index)
      fresh.add(index)
    }
    for (const index of free) {
      drawn.get(index)?.remove()
      drawn.delete(index)
      fresh.delete(index)
    }
    for (const element of drawn.values()) element.setAttribute("aria-setsize", String(lines.count()))
    nameCurrent()
  }
  const draw = onceAFrame(render)

  scroller.addEventListener("scroll", draw, { passive: true })
  new ResizeObserver(draw).observe(scroller)

  const indexAt = (t: number): number | undefined => {
    if (picked !== undefined && picked < lines.count() && lines.timeOf(picked) === t) return picked
    let [low, high] = [0, lines.count()]
    while (low < high) {
      const middle = (low + high) >> 1
      if (lines.timeOf(middle) <= t) low = middle + 1
      else high = middle
    }
    if (low === 0) return undefined
    for (let index = low - 1; index >= Math.max(0, low - mostMeant); index -= 1) {
      if (lines.isMeant(index)) return index
    }
    return low - 1
  }

  const bringIntoView = (index: number): void => {
    const top = index * lineHeight
    const { clientHeight, scrollTop } = scroller
    if (top >= scrollTop + lineHeight && top + 2 * lineHeight <= scrollTop + clientHeight) return
    scroller.scrollTop = top - clientHeight / 2
  }

  const moveTo = (index: number | undefined): void => {
    if (index !== current) {
      const [before, now] = [current, index].map((one) => (one === undefined ? undefined : drawn.get(one)))
      const old = current
      current = index
      if (before !== undefined && old !== undefined) mark(before, old)
      if (now !== undefined && index !== undefined) mark(now, index)
      nameCurrent()
      lines.current(index)
    }
    if (index !== undefined && isFollowing) bringIntoView(index)
    draw()
  }

  const pick = (index: number): void => {
    if (lines.count() === 0) return
    picked = Math.min(Math.max(index, 0), lines.count() - 1)
    isFollowing = true
    lines.pick(picked)
  }

  const look = (): void => {
    isFollowing = false
  }
  for (const type of ["wheel", "touchmove", "pointerdown"]) scroller.addEventListener(type, look, { passive: true })

  all.addEventListener("click", (event) => {
    const element = event.target instanceof Element ? event.target.closest('[role="option"]') : null
    for (const [index, one] of drawn) if (one === element) pick(index)
  })

  scroller.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(scroller.clientHeight / lineHeight) - 1)
    const from = current ?? -1
    const to = new Map([
      ["ArrowDown", from + 1],
      ["ArrowUp", from - 1],
      ["PageDown", from + page],
      ["PageUp", from - page],
      ["Home", 0],
      ["End", lines.count() - 1]
    ]).get(event.key)
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    pick(to)
  })

  const resize = (): void => {
    all.style.height = `${lines.count() * lineHeight}px`
    moveTo(indexAt(moment))
  }

  return {
    grow: resize,
    replace: () => {
      fresh = new Set()
      picked = undefined
      current = undefined
      lines.current(undefined)
      resize()
    },
    next: () => pick(((current ?? -1) + 1) % lines.count()),
    show: (t, move) => {
      moment = t
      if (move === "seek") isFollowing = true
      moveTo(indexAt(t))
    }
  }
}
