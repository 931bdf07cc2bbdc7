import { fieldsIn, numberIn } from "../runtime/decode.ts"
import type { Fields } from "../runtime/decode.ts"
import type { Component, Drawing, Own } from "./Component.ts"
import { element } from "./element.ts"
import { setScroller } from "./scroller.ts"
import { canSnap, isHorizontal, makeSnapping, snapOffsets } from "./snapping.ts"

/** What pulls down a list to load it again: the list tells it how far it is pulled, in points. */
export interface Pulled {
  readonly isRefreshing: () => boolean
  readonly release: (distance: number) => void
}

const refreshers = new Map<number, Pulled>()

export const setRefresher = (tag: number, pulled: Pulled | undefined): void => {
  if (pulled === undefined) refreshers.delete(tag)
  else refreshers.set(tag, pulled)
}

/** How far a list is moved down while it is loaded again. */
export const refreshHeight = 60

/** How much of a movement is left after a millisecond, when a finger has let go. */
const rates: Readonly<Record<string, number>> = { normal: 0.998, fast: 0.99 }

/** How long nothing moves until a movement is over, in milliseconds, where the browser doesn't tell. */
const rest = 150

const isNative = "onscrollend" in window

/** What scrolls: its content is larger than it, and is moved by wheels, fingers, a mouse that drags, keys and the app. */
export const scrollView: Component = (own): Drawing => {
  const drawn = element("view scroll")
  const snapping = makeSnapping(drawn)
  let refresher: Own | undefined
  let pulled = 0
  /** Who moves it: a person, the app, or nobody. */
  let mover: "person" | "app" | undefined
  let isHeld = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = { x: 0, y: 0, time: 0 }
  let velocity = { x: 0, y: 0 }
  let lastTold = 0
  let isSnapping = false
  let snap: string | undefined

  const content = (): Element | null => {
    for (const child of drawn.children) if (child.classList.contains("content")) return child
    return null
  }

  const state = (): Fields => {
    const within = content()
    const inside = within instanceof HTMLElement ? within : drawn
    return {
      contentOffset: { x: drawn.scrollLeft, y: drawn.scrollTop - pulled },
      contentSize: { width: inside.offsetWidth, height: inside.offsetHeight },
      layoutMeasurement: { width: drawn.clientWidth, height: drawn.clientHeight },
      contentInset: { top: 0, left: 0, bottom: 0, right: 0 },
      zoomScale: 1,
      velocity,
      responderIgnoreScroll: true,
      timestamp: performance.now()
    }
  }

  const tell = (name: string, more: Fields = {}): void => own.emit(name, { ...state(), ...more })

  const moved = (): void => {
    const now = performance.now()
    const passed = Math.max(1, now - last.time)
    velocity = { x: (drawn.scrollLeft - last.x) / passed, y: (drawn.scrollTop - last.y) / passed }
    last = { x: drawn.scrollLeft, y: drawn.scrollTop, time: now }
    if (now - lastTold < (numberIn(own.props()["scrollEventThrottle"]) ?? 0) - 4 && mover !== undefined) return
    lastTold = now
    tell("topScroll")
  }

  /** Has the browser stop at places again, as it does but for a mouse that drags. */
  const unfreeze = (): void => {
    if (snap !== undefined) drawn.style.scrollSnapType = snap
    snap = undefined
  }

  const ended = (): void => {
    if (isHeld || mover === undefined) return
    const who = mover
    mover = undefined
    unfreeze()
    lastTold = 0
    tell("topScroll")
    velocity = { x: 0, y: 0 }
    if (who === "person") tell("topScrollEndDrag", { targetContentOffset: { x: drawn.scrollLeft, y: drawn.scrollTop } })
    if (who === "person") tell("topMomentumScrollBegin")
    tell("topMomentumScrollEnd")
  }

  drawn.addEventListener(
    "scroll",
    () => {
      if (mover === undefined) {
        mover = "person"
        tell("topScrollBeginDrag")
      }
      moved()
      if (isNative) return
      clearTimeout(timer)
      timer = setTimeout(ended, rest)
    },
    { passive: true }
  )
  drawn.addEventListener("scrollend", ended, { passive: true })

  const offsetOf = () => ({ x: drawn.scrollLeft, y: drawn.scrollTop })

  const scrollTo = (x: number, y: number, isSmooth: boolean): void => {
    const before = offsetOf()
    mover = "app"
    // What snaps would not stop where the app wants it to.
    const snap = drawn.style.scrollSnapType
    if (!isSmooth) drawn.style.scrollSnapType = ""
    drawn.scrollTo({ left: x, top: y, behavior: isSmooth ? "smooth" : "instant" })
    if (!isSmooth) {
      const after = offsetOf()
      if (after.x === before.x && after.y === before.y) mover = undefined
      requestAnimationFrame(() => {
        drawn.style.scrollSnapType = snap
      })
    }
  }

  const pull = (by: number): void => {
    pulled = Math.max(0, by)
    const within = content()
    if (within instanceof HTMLElement) within.style.translate = pulled === 0 ? "" : `0 ${pulled}px`
  }

  const settle = (): void => {
    const isRefreshing = refresher !== undefined && refreshers.get(refresher.tag)?.isRefreshing() === true
    pull(isRefreshing ? refreshHeight : 0)
  }

  /** Where a list comes to rest that is let go at a place, at so many points a millisecond. */
  const restOf = (at: number, velocity: number, page: number, length: number): number => {
    const props = own.props()
    const given = props["decelerationRate"]
    const rate = numberIn(given) ?? rates[String(given)] ?? 0.998
    const reach = (velocity * -0.5) / Math.log(Math.min(0.9999, Math.max(0.5, rate)))
    const offsets = snapOffsets(props, page, length)
    if (offsets === undefined) return at + reach
    const isShort = props["pagingEnabled"] === true || props["disableIntervalMomentum"] === true
    const aim = at + (isShort ? Math.max(-page / 2, Math.min(page / 2, reach)) : reach)
    const nearest = (best: number, one: number) => (Math.abs(one - aim) < Math.abs(best - aim) ? one : best)
    return offsets.reduce(nearest, offsets[0] ?? aim)
  }

  /** Goes on after a mouse has let go, ever slower. */
  const glide = (x: number, y: number): void => {
    const isAcross = isHorizontal(own.props())
    const before = offsetOf()
    mover = "person"
    const left = isAcross ? restOf(before.x, x, drawn.clientWidth, drawn.scrollWidth) : before.x
    const top = isAcross ? before.y : restOf(before.y, y, drawn.clientHeight, drawn.scrollHeight)
    const far = isAcross
      ? Math.max(0, Math.min(left, drawn.scrollWidth - drawn.clientWidth)) - before.x
      : Math.max(0, Math.min(top, drawn.scrollHeight - drawn.clientHeight)) - before.y
    drawn.scrollTo({ left, top, behavior: "smooth" })
    // What doesn't move is never told to have come to rest.
    if (Math.abs(far) < 1) ended()
  }

  setScroller(drawn, {
    takes: (x, y) => {
      const props = own.props()
      if (props["scrollEnabled"] === false) return false
      const isAcross = Math.abs(x) > Math.abs(y)
      const [room, at, by] = isAcross
        ? [drawn.scrollWidth - drawn.clientWidth, drawn.scrollLeft, x]
        : [drawn.scrollHeight - drawn.clientHeight, drawn.scrollTop, y]
      if (!isAcross && y > 0 && at <= 0 && refresher !== undefined) return true
      return room > 0 && (by > 0 ? at > 0 : at < room)
    },
    begin: () => {
      isHeld = true
      mover = "person"
      snap ??= drawn.style.scrollSnapType
      drawn.style.scrollSnapType = "none"
      tell("topScrollBeginDrag")
    },
    move: (x, y) => {
      if (refresher !== undefined && (pulled > 0 || (y > 0 && drawn.scrollTop <= 0))) {
        pull(pulled + y / 2)
        tell("topScroll")
        return
      }
      drawn.scrollBy({ left: -x, top: -y, behavior: "instant" })
    },
    end: (x, y) => {
      isHeld = false
      tell("topScrollEndDrag", { targetContentOffset: { x: drawn.scrollLeft, y: drawn.scrollTop } })
      mover = undefined
      if (pulled > 0) {
        unfreeze()
        if (refresher !== undefined) refreshers.get(refresher.tag)?.release(pulled)
        settle()
        return
      }
      glide(-x, -y)
    }
  })

  return {
    element: drawn,
    update: (props, before) => {
      const { style } = drawn
      const isAcross = isHorizontal(props)
      const isFixed = props["scrollEnabled"] === false
      style.overflowX = !isFixed && isAcross ? "auto" : "hidden"
      style.overflowY = !isFixed && !isAcross ? "auto" : "hidden"
      style.touchAction = isFixed ? "none" : isAcross ? "pan-x" : "pan-y"
      const offset = fieldsIn(props["contentOffset"])
      if (props["contentOffset"] !== undefined && before["contentOffset"] === undefined) {
        requestAnimationFrame(() => scrollTo(numberIn(offset["x"]) ?? 0, numberIn(offset["y"]) ?? 0, false))
      }
    },
    laidOut: () => {
      const within = content()
      const props = own.props()
      if (!(within instanceof HTMLElement) || !(isSnapping || canSnap(props))) return
      isSnapping = true
      const isAcross = isHorizontal(props)
      snapping.set(
        props,
        isAcross ? drawn.clientWidth : drawn.clientHeight,
        isAcross ? within.offsetWidth : within.offsetHeight
      )
    },
    childrenChanged: (children) => {
      refresher = children.find(({ name }) => /^(?:RefreshControl|PullToRefreshView)$/.test(name))
    },
    commands: {
      scrollTo: (x, y, isSmooth) => scrollTo(Number(x) || 0, Number(y) || 0, isSmooth === true),
      scrollToEnd: (isSmooth) => {
        const isAcross = isHorizontal(own.props())
        scrollTo(isAcross ? drawn.scrollWidth : 0, isAcross ? 0 : drawn.scrollHeight, isSmooth === true)
      },
      flashScrollIndicators: () => {},
      zoomToRect: () => {},
      /** Asked for by what refreshes it. */
      settle
    }
  }
}

/** What is scrolled. */
export const scrollContent: Component = (): Drawing => ({ element: element("view content") })
