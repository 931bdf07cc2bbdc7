/** What scrolls, the places where it stops, and what loads it again. */
import { Display } from "yoga-layout/load"
import { type Fields, fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { insets, isAndroid, reading, screenSize } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { type Component, type Drawing, element, type ComponentContext } from "./Component.ts"

/** What scrolls: its content is larger than it, and is moved by wheels, fingers, a mouse that drags, keys and the app. */
export const scrollView: Component = (context): Drawing => {
  const drawn = element("view scroll")
  const snapping = makeSnapping(drawn)
  const keeper = makeScrollAnchor(drawn)
  let refresher: ComponentContext | undefined
  let pulled = 0
  /** The cause of a movement: a person, the app, the browser (for a test or the focus), or none. */
  let mover: "person" | "app" | "browser" | undefined
  /** When a person last did what moves it. */
  let handled = Number.NEGATIVE_INFINITY
  let isHeld = false
  /** Where it glides to. */
  let goal: { readonly x: number; readonly y: number } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = { x: 0, y: 0, time: 0 }
  let velocity = { x: 0, y: 0 }
  let lastTold = 0
  let isSnapping = false
  let snap: string | undefined
  /** How far its content begins below its upper end, in points: an app's offset 0 is there. */
  let inset = 0

  const content = (): Element | null => {
    for (const child of drawn.children) if (child.classList.contains("content")) return child
    return null
  }

  /** On Android, what is scrolled is a plain view, and what loads it again is around the list. */
  const adoptContent = (): void => {
    const [only] = drawn.children
    if (isAndroid() && only?.classList.contains("view") === true) only.classList.add("content")
  }
  const refresherOf = (): ComponentContext | undefined => {
    const around = isAndroid() ? context.parent() : undefined
    return around !== undefined && refreshers.has(around.tag) ? around : refresher
  }

  /** A list that is read from right to left begins at its right end; a browser counts from there downwards. */
  const sign = (): number => (reading.isRtl && isHorizontal(context.props()) ? -1 : 1)

  /** How far it is scrolled sideways from where it begins. */
  const across = (): number => drawn.scrollLeft * sign() || 0

  const state = (): Fields => {
    const within = content()
    const inside = within instanceof HTMLElement ? within : drawn
    return {
      contentOffset: { x: across(), y: drawn.scrollTop - inset - pulled },
      contentSize: { width: inside.offsetWidth, height: inside.offsetHeight },
      layoutMeasurement: { width: drawn.clientWidth, height: drawn.clientHeight },
      contentInset: insetsOf(context.props()["contentInset"]),
      zoomScale: 1,
      velocity,
      responderIgnoreScroll: true,
      timestamp: performance.now()
    }
  }

  const emit = (name: string, more: Fields = {}): void => context.emit(name, { ...state(), ...more })

  /** A person begins to move it; the keyboard may go then. */
  const dragged = (): void => {
    emit("topScrollBeginDrag")
    const { activeElement } = document
    const mode = context.props()["keyboardDismissMode"]
    if (mode !== "on-drag" && mode !== "interactive") return
    if (activeElement instanceof HTMLElement && activeElement.matches(".input")) activeElement.blur()
  }

  /** What depends on how large the content is, once all of it is where it belongs. */
  const arrange = (): void => {
    const within = content()
    if (!(within instanceof HTMLElement)) return
    const props = context.props()
    keeper.keep(props)
    keeper.look(within, props)
    const isAcross = isHorizontal(props)
    const [page, length] = isAcross
      ? [drawn.clientWidth, within.offsetWidth]
      : [drawn.clientHeight, within.offsetHeight]
    if (isSnapping || canSnap(props)) {
      isSnapping = true
      snapping.set(props, page, length)
    }
    const room = props["centerContent"] === true ? Math.max(0, page - length) / 2 : 0
    const aside = props["centerContent"] === true ? Math.max(0, drawn.clientWidth - within.offsetWidth) / 2 : 0
    within.style.margin = room > 0 || aside > 0 ? `${isAcross ? 0 : room}px 0 0 ${isAcross ? room : aside}px` : ""
  }

  const moved = (): void => {
    const now = performance.now()
    const passed = Math.max(1, now - last.time)
    velocity = { x: (across() - last.x) / passed, y: (drawn.scrollTop - last.y) / passed }
    last = { x: across(), y: drawn.scrollTop, time: now }
    if (now - lastTold < (numberIn(context.props()["scrollEventThrottle"]) ?? 0) - 4 && mover !== undefined) return
    lastTold = now
    emit("topScroll")
  }

  /** Leaves room for what covers its ends, and for the insets of the app. */
  const makeRoom = (): void => {
    const props = context.props()
    const given = insetsOf(props["contentInset"])
    const covered = isAdjusted(props) ? coveredBy(drawn) : { top: 0, bottom: 0 }
    inset = given.top + covered.top
    const bottom = given.bottom + covered.bottom
    drawn.toggleAttribute("data-inset", given.right > 0 || bottom > 0)
    drawn.toggleAttribute("data-below", covered.top > 0)
    drawn.style.setProperty("--top", `${inset}px`)
    drawn.style.setProperty("--right", `${given.right}px`)
    drawn.style.setProperty("--bottom", `${bottom}px`)
  }
  roomMakers.set(drawn, makeRoom)

  /** Has the browser stop at places again, as it does but for a mouse that drags. */
  const unfreeze = (): void => {
    if (snap !== undefined) drawn.style.scrollSnapType = snap
    snap = undefined
  }

  /** Whether it still glides to where it comes to rest: a browser tells the end of each movement before as well. */
  const isUnderWay = (): boolean => goal !== undefined && Math.hypot(goal.x - across(), goal.y - drawn.scrollTop) > 1

  const ended = (): void => {
    if (isHeld || mover === undefined || isUnderWay()) return
    goal = undefined
    const who = mover
    mover = undefined
    unfreeze()
    lastTold = 0
    emit("topScroll")
    if (who === "browser") return
    velocity = { x: 0, y: 0 }
    if (who === "person") emit("topScrollEndDrag", { targetContentOffset: offsetOf() })
    if (who === "person") emit("topMomentumScrollBegin")
    emit("topMomentumScrollEnd")
  }

  for (const name of ["wheel", "touchmove", "keydown"]) {
    drawn.addEventListener(
      name,
      () => {
        handled = performance.now()
        goal = undefined
      },
      { passive: true }
    )
  }

  drawn.addEventListener(
    "scroll",
    () => {
      // After a person's scroll event, an app treats the next touch as one that stops it.
      if (mover === undefined) {
        mover = performance.now() - handled < inputTime ? "person" : "browser"
        if (mover === "person") dragged()
      }
      moved()
      const within = content()
      if (within !== null) keeper.look(within, context.props())
      if (hasScrollEnd) return
      clearTimeout(timer)
      timer = setTimeout(ended, restTime)
    },
    { passive: true }
  )
  drawn.addEventListener("scrollend", ended, { passive: true })

  const offsetOf = () => ({ x: across(), y: drawn.scrollTop - inset })

  const scrollTo = (x: number, y: number, isSmooth: boolean): void => {
    const before = offsetOf()
    mover = "app"
    goal = undefined
    // What snaps would not stop where the app wants it to.
    const snap = drawn.style.scrollSnapType
    if (!isSmooth) drawn.style.scrollSnapType = ""
    drawn.scrollTo({ left: x * sign(), top: y + inset, behavior: isSmooth ? "smooth" : "instant" })
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
    const above = refreshers.get(refresherOf()?.tag ?? -1)
    above?.pulled?.(pulled)
    if (above?.isOver === true) return
    const within = content()
    if (within instanceof HTMLElement) within.style.translate = pulled === 0 ? "" : `0 ${pulled}px`
  }

  const settle = (): void => {
    const isRefreshing = refreshers.get(refresherOf()?.tag ?? -1)?.isRefreshing() === true
    pull(isRefreshing ? refreshHeight : 0)
  }

  /** Where a list comes to rest that is let go at a place, at so many points a millisecond. */
  const restOf = (at: number, velocity: number, page: number, length: number): number => {
    const props = context.props()
    const given = props["decelerationRate"]
    const rate = numberIn(given) ?? rates[String(given)] ?? 0.998
    const reach = (velocity * -0.5) / Math.log(Math.min(0.9999, Math.max(0.5, rate)))
    const isShort = props["pagingEnabled"] === true || props["disableIntervalMomentum"] === true
    return snapped(props, at + (isShort ? Math.max(-page / 2, Math.min(page / 2, reach)) : reach), page, length)
  }

  /** Continues after a mouse was released, ever slower. */
  const glide = (x: number, y: number): void => {
    const isAcross = isHorizontal(context.props())
    const before = { x: across(), y: drawn.scrollTop }
    mover = "person"
    const left = isAcross ? restOf(before.x, x * sign(), drawn.clientWidth, drawn.scrollWidth) : before.x
    const top = isAcross ? before.y : restOf(before.y, y, drawn.clientHeight, drawn.scrollHeight)
    goal = {
      x: Math.max(0, Math.min(left, drawn.scrollWidth - drawn.clientWidth)),
      y: Math.max(0, Math.min(top, drawn.scrollHeight - drawn.clientHeight))
    }
    drawn.scrollTo({ left: left * sign(), top, behavior: "smooth" })
    // Without a movement there is no event for its end.
    ended()
  }

  /** How much of it is beyond its left edge. */
  const atLeft = (): number => drawn.scrollLeft + (sign() < 0 ? drawn.scrollWidth - drawn.clientWidth : 0)

  setScroller(drawn, {
    takes: (x, y) => {
      const props = context.props()
      if (props["scrollEnabled"] === false) return false
      const isAcross = Math.abs(x) > Math.abs(y)
      const [room, at, by] = isAcross
        ? [drawn.scrollWidth - drawn.clientWidth, atLeft(), x]
        : [drawn.scrollHeight - drawn.clientHeight, drawn.scrollTop, y]
      if (!isAcross && y > 0 && at <= 0 && refresherOf() !== undefined) return true
      return room > 0 && (by > 0 ? at > 0 : at < room)
    },
    begin: () => {
      isHeld = true
      goal = undefined
      mover = "person"
      snap ??= drawn.style.scrollSnapType
      drawn.style.scrollSnapType = "none"
      dragged()
    },
    move: (x, y) => {
      if (refresherOf() !== undefined && (pulled > 0 || (y > 0 && drawn.scrollTop <= 0))) {
        pull(pulled + y / 2)
        emit("topScroll")
        return
      }
      drawn.scrollBy({ left: -x, top: -y, behavior: "instant" })
    },
    end: (x, y) => {
      isHeld = false
      emit("topScrollEndDrag", { targetContentOffset: offsetOf() })
      mover = undefined
      if (pulled > 0) {
        unfreeze()
        refreshers.get(refresherOf()?.tag ?? -1)?.release(pulled)
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
      style.direction = sign() < 0 ? "rtl" : ""
      style.touchAction = isFixed ? "none" : isAcross ? "pan-x" : "pan-y"
      makeRoom()
      const offset = fieldsIn(props["contentOffset"])
      if (props["contentOffset"] !== undefined && before["contentOffset"] === undefined) {
        requestAnimationFrame(() => scrollTo(numberIn(offset["x"]) ?? 0, numberIn(offset["y"]) ?? 0, false))
      }
    },
    laidOut: () => {
      adoptContent()
      makeRoom()
      if (
        arrangedProps.some((name) => context.props()[name] !== undefined && context.props()[name] !== false) ||
        isSnapping
      )
        queueMicrotask(arrange)
    },
    childrenChanged: (children) => {
      refresher = children.find(({ name }) => /^(?:RefreshControl|PullToRefreshView)$/.test(name))
    },
    commands: {
      scrollTo: (x, y, isSmooth) => scrollTo(Number(x) || 0, Number(y) || 0, isSmooth === true),
      scrollToEnd: (isSmooth) => {
        const isAcross = isHorizontal(context.props())
        scrollTo(isAcross ? drawn.scrollWidth : 0, isAcross ? -inset : drawn.scrollHeight, isSmooth === true)
      },
      flashScrollIndicators: () => {},
      zoomToRect: () => {},
      /** Asked for by what refreshes it. */
      settle
    }
  }
}

/** The insets of an app, in points. */
const insetsOf = (given: unknown) => {
  const fields = fieldsIn(given)
  const at = (side: string): number => numberIn(fields[side]) ?? 0
  return { top: at("top"), left: at("left"), bottom: at("bottom"), right: at("right") }
}

/** Whether a list begins below the bars that cover it; by default an app leaves room for them itself. */
const isAdjusted = (props: Fields): boolean =>
  /^(?:automatic|always|scrollableAxes)$/.test(textIn(props["contentInsetAdjustmentBehavior"]) ?? "") &&
  !isHorizontal(props)

/** The height of the translucent bar over the upper end of a screen, by the screen's element. */
const bars = new WeakMap<Element, number>()

const roomMakers = new WeakMap<Element, () => void>()

/** Sets how much of a screen its translucent bar covers, in points: the lists in it make room. */
export const setCover = (screen: Element, height: number): void => {
  if (bars.get(screen) === height) return
  bars.set(screen, height)
  for (const list of screen.querySelectorAll(".scroll")) roomMakers.get(list)?.()
}

/** How much of a list bars and the device cover at its ends, in points. */
const coveredBy = (drawn: HTMLElement) => {
  const { height } = screenSize()
  const device = insets()
  let y = 0
  let bar: number | undefined
  for (let at: Element | null = drawn; at instanceof HTMLElement; at = at.offsetParent) {
    if (bar === undefined && bars.has(at)) bar = Math.max(0, (bars.get(at) ?? 0) - y)
    y += at.offsetTop - (at === drawn ? 0 : at.scrollTop)
  }
  const bottom = Math.min(device.bottom, Math.max(0, y + drawn.offsetHeight - (height - device.bottom)))
  return { top: bar ?? Math.min(device.top, Math.max(0, device.top - y)), bottom }
}

/** How much of a movement is left after a millisecond, when a finger has let go. */
const rates: Readonly<Record<string, number>> = { normal: 0.998, fast: 0.99 }

/** How long after a wheel, a finger or a key what is moved is moved by it, in milliseconds. */
const inputTime = 1000

/** How long nothing moves until a movement is over, in milliseconds, if the browser has no event for it. */
const restTime = 150

const hasScrollEnd = "onscrollend" in window

/** The properties by which something depends on how large the content is. */
const arrangedProps = [
  "pagingEnabled",
  "snapToInterval",
  "snapToOffsets",
  "centerContent",
  "maintainVisibleContentPosition"
] as const

/** What is scrolled. */
export const scrollContent: Component = (): Drawing => ({ element: element("view content") })

/** What stands above a list that is loaded again by pulling it down. */
export const refreshControl: Component = (context): Drawing => {
  const wheel = element("wheel")
  wheel.style.cssText =
    "position:absolute;left:50%;top:20px;width:20px;height:20px;margin-left:-10px;border-radius:50%;" +
    "mask:radial-gradient(farthest-side,transparent 62%,#000 64%);animation:phone-turn 1s steps(8) infinite"
  const title = element("title")
  title.style.cssText = "position:absolute;left:0;right:0;top:44px;text-align:center;font-size:12px"
  const drawn = element("view", wheel, title)
  drawn.style.cssText = "left:0;right:0;top:0;height:0;z-index:1;pointer-events:none"
  drawn.setAttribute("role", "progressbar")
  const isRefreshing = () => context.props()["refreshing"] === true

  const draw = (): void => {
    const props = context.props()
    const tint = props["tintColor"]
    const lower = numberIn(props["progressViewOffset"]) ?? 0
    wheel.style.top = `calc(var(--top, 0px) + ${20 + lower}px)`
    title.style.marginTop = `calc(var(--top, 0px) + ${lower}px)`
    title.textContent = textIn(props["title"]) ?? ""
    title.style.color = color(props["titleColor"])
    title.style.display = isRefreshing() ? "" : "none"
    wheel.style.background = `conic-gradient(transparent, ${tint === undefined || tint === null ? "#999" : color(tint)})`
    wheel.style.display = isRefreshing() ? "" : "none"
    const list = drawn.parentElement
    for (const child of list?.children ?? []) {
      if (!(child instanceof HTMLElement) || !child.classList.contains("content")) continue
      child.style.transition = "translate .2s"
      child.style.translate = isRefreshing() ? `0 ${refreshHeight}px` : ""
    }
  }

  setRefresher(context.tag, {
    isRefreshing,
    release: (distance) => {
      if (distance >= refreshHeight && !isRefreshing()) context.emit("topRefresh", {})
    }
  })
  return {
    element: drawn,
    isPlaced: true,
    shape: (node) => node.setDisplay(Display.None),
    update: draw,
    laidOut: draw,
    commands: { setNativeRefreshing: draw },
    unmounted: () => setRefresher(context.tag, undefined)
  }
}

/** What pulls down a list to load it again: the list tells it how far it is pulled, in points. */
interface PullToRefresh {
  readonly isRefreshing: () => boolean
  readonly release: (distance: number) => void
  /** Whether it comes down over the list, which stays where it is. */
  readonly isOver?: true
  readonly pulled?: (distance: number) => void
}

export const setRefresher = (tag: number, pulled: PullToRefresh | undefined): void => {
  if (pulled === undefined) refreshers.delete(tag)
  else refreshers.set(tag, pulled)
}

const refreshers = new Map<number, PullToRefresh>()

/** How far a list is moved down while it is loaded again. */
const refreshHeight = 60

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

/** Says that this element can be scrolled by dragging it. */
export const setScroller = (drawn: Element, scroller: Scroller): void => {
  scrollers.set(drawn, scroller)
}

/** What can be scrolled around an element, the innermost first. */
export const scrollersAround = (drawn: Element): ReadonlyArray<Scroller> => {
  const around: Array<Scroller> = []
  for (let at: Element | null = drawn; at !== null; at = at.parentElement) {
    const scroller = scrollers.get(at)
    if (scroller !== undefined) around.push(scroller)
  }
  return around
}

const scrollers = new WeakMap<Element, Scroller>()

/**
 * Has the browser stop at places: it does so for wheels, fingers and keys alike. They are marked in the content by
 * elements of no size.
 */
const makeSnapping = (drawn: HTMLElement) => {
  const marks = element("marks")
  marks.style.cssText = "position:absolute;top:0;inset-inline-start:0;width:0;height:0;pointer-events:none"
  let lastMarks = ""

  return {
    set: (props: Fields, page: number, content: number): void => {
      const isAcross = isHorizontal(props)
      const offsets = snapOffsets(props, page, content)
      const parts = offsets === undefined ? [] : freeParts(props, offsets, content - page)
      const next = JSON.stringify([offsets, isAcross, parts])
      if (next === lastMarks) return
      lastMarks = next
      const stop = props["disableIntervalMomentum"] === true || props["pagingEnabled"] === true ? "always" : "normal"
      drawn.style.scrollSnapType = offsets === undefined ? "" : `${isAcross ? "x" : "y"} mandatory`
      if (offsets === undefined) {
        marks.remove()
        return
      }
      const mark = (from: number, to: number): HTMLElement => {
        const markElement = element("")
        const place = isAcross
          ? `${reading.isRtl ? "right" : "left"}:${from}px;width:${to - from}px`
          : `top:${from}px;height:${to - from}px`
        markElement.style.cssText = `position:absolute;${place};scroll-snap-align:start;scroll-snap-stop:${stop}`
        return markElement
      }
      // A place at the edge of such a part isn't marked again: of marks that lie in one another only the inner one counts.
      const isEdge = (offset: number): boolean => parts.some(({ from, to }) => offset === from || offset === to)
      const marked = offsets.filter((offset) => !isEdge(offset))
      marks.replaceChildren(
        ...marked.map((offset) => mark(offset, offset + page)),
        // What is longer than a page can be scrolled to wherever the page lies within it.
        ...parts.map(({ from, to }) => mark(from, to + page))
      )
      if (marks.parentElement !== drawn) drawn.append(marks)
    }
  }
}

/** Where a list that is let go comes to rest, if it would come so far: at the nearest of its places. */
const snapped = (props: Fields, aim: number, page: number, content: number): number => {
  const offsets = snapOffsets(props, page, content)
  if (offsets === undefined) return aim
  const isFree = freeParts(props, offsets, content - page).some(({ from, to }) => aim > from && aim < to)
  const nearest = (best: number, one: number) => (Math.abs(one - aim) < Math.abs(best - aim) ? one : best)
  return isFree ? aim : offsets.reduce(nearest, offsets[0] ?? aim)
}

/** Whether a list stops at places; where they are depends on how large it is. */
const canSnap = (props: Fields): boolean =>
  props["pagingEnabled"] === true || props["snapToInterval"] !== undefined || props["snapToOffsets"] !== undefined

/** Whether a list is horizontal: its style has that on every platform. */
const isHorizontal = (props: Fields): boolean => props["horizontal"] === true || props["flexDirection"] === "row"

/** Where a list stops to be scrolled, in points from its beginning; `undefined` where it stops anywhere. */
const snapOffsets = (props: Fields, page: number, content: number): ReadonlyArray<number> | undefined => {
  const end = Math.max(0, content - page)
  const within = (offset: number): number => Math.max(0, Math.min(end, offset))
  const given = listIn(props["snapToOffsets"]).flatMap((one) => numberIn(one) ?? [])
  if (given.length > 0) {
    // A list stops at its beginning and its end as well, unless a property turns that off.
    const [first, last] = [props["snapToStart"] === false ? [] : [0], props["snapToEnd"] === false ? [] : [end]]
    return [...new Set([...first, ...given.slice(0, maxMarks).map(within), ...last])]
  }
  const isPaged = props["pagingEnabled"] === true
  const interval = numberIn(props["snapToInterval"]) ?? (isPaged ? page : 0)
  if (interval <= 0) return undefined
  const lead = isPaged ? 0 : (leads[String(props["snapToAlignment"])]?.(page, interval) ?? 0)
  const count = Math.min(maxMarks, Math.ceil(content / interval))
  return [...new Set(Array.from({ length: count }, (_, n) => within(n * interval - lead)))]
}

/** How far before the place of an interval a list stops, by `snapToAlignment`. */
const leads: Readonly<Record<string, (page: number, interval: number) => number>> = {
  center: (page, interval) => (page - interval) / 2,
  end: (page, interval) => page - interval
}

/** The parts of a list in which it stops anywhere: before the first of its places, or after the last. */
const freeParts = (props: Fields, offsets: ReadonlyArray<number>, end: number) => [
  ...(props["snapToStart"] === false ? [{ from: 0, to: Math.min(...offsets) }] : []),
  ...(props["snapToEnd"] === false ? [{ from: Math.max(...offsets), to: end }] : [])
]

/** The most places of one list that are marked. */
const maxMarks = 2000

/** Keeps what is seen of a list where it is when something is put before it: `maintainVisibleContentPosition`. */
const makeScrollAnchor = (drawn: HTMLElement) => {
  let seen: { readonly row: HTMLElement; readonly at: number } | undefined

  const placeOf = (row: HTMLElement, props: Fields): number => (isHorizontal(props) ? row.offsetLeft : row.offsetTop)

  return {
    /** Remembers the first row that is seen. */
    look: (content: Element, props: Fields): void => {
      const least = numberIn(fieldsIn(props["maintainVisibleContentPosition"])["minIndexForVisible"])
      seen = undefined
      if (least === undefined) return
      const [scrolled, length] = isHorizontal(props)
        ? ([drawn.scrollLeft, "offsetWidth"] as const)
        : ([drawn.scrollTop, "offsetHeight"] as const)
      for (const row of Array.from(content.children).slice(least)) {
        if (!(row instanceof HTMLElement) || placeOf(row, props) + row[length] <= scrolled) continue
        seen = { row, at: placeOf(row, props) }
        return
      }
    },
    /** Puts that row back to where it was seen. */
    keep: (props: Fields): void => {
      if (seen === undefined || !seen.row.isConnected) return
      const by = placeOf(seen.row, props) - seen.at
      if (by === 0) return
      const near = numberIn(fieldsIn(props["maintainVisibleContentPosition"])["autoscrollToTopThreshold"])
      const scrolled = isHorizontal(props) ? drawn.scrollLeft : drawn.scrollTop
      const [left, top] = isHorizontal(props) ? [by, 0] : [0, by]
      drawn.scrollBy({ left, top, behavior: "instant" })
      if (near !== undefined && scrolled <= near) drawn.scrollTo({ left: 0, top: 0, behavior: "smooth" })
    }
  }
}
