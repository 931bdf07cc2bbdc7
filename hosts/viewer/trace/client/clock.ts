import { onceAFrame } from "../../ui/dom.ts"

/** The state of a page's clock; times are in milliseconds. */
export interface ClockState {
  readonly t: number
  /** The moment that a person selected last; the clock may get there later. */
  readonly sought: number
  readonly length: number
  readonly isPlaying: boolean
  readonly rate: number
}

/** Why a listener is called: a person selected a moment, or time passed. */
export type Move = "seek" | "tick"

export interface Clock {
  readonly state: () => ClockState
  readonly seek: (t: number) => void
  readonly play: () => void
  readonly pause: () => void
  readonly setRate: (rate: number) => void
  /** Extends the clock, because something longer was found. */
  readonly lengthen: (length: number) => void
  readonly onMove: (listener: (state: ClockState, move: Move) => void) => void
}

/** The time according to the video that is playing, if one is; `waiting` while it can't continue. */
export type Leader = (t: number) => number | "waiting" | undefined

/** A longer gap between two frames, in milliseconds, means that the page was hidden; that time doesn't count. */
const longestFrame = 500

/** A clock that follows its leader, or runs by itself without one. It calls its listeners at most once a frame. */
export const makeClock = (leader: Leader, beginsWith: number): Clock => {
  let [t, length, rate, isPlaying] = [0, beginsWith, 1, false]
  let [before, sought] = [0, 0]
  let move: Move = "tick"
  const listeners: Array<(state: ClockState, move: Move) => void> = []
  const state = () => ({ t, sought, length, rate, isPlaying })

  const notify = onceAFrame(() => {
    const moved = move
    move = "tick"
    for (const listener of listeners) listener(state(), moved)
  })

  const frame = (now: number): void => {
    if (!isPlaying) return
    // The leader gets the selected moment with the next frame.
    const led = move === "seek" ? "waiting" : leader(t)
    if (led !== "waiting") t = led ?? t + Math.min(Math.max(0, now - before), longestFrame) * rate
    before = now
    if (t >= length) {
      t = length
      isPlaying = false
    } else requestAnimationFrame(frame)
    notify()
  }

  const seek = (to: number): void => {
    sought = to
    t = Math.min(Math.max(to, 0), length)
    move = "seek"
    notify()
  }

  return {
    state,
    seek,
    play: () => {
      if (isPlaying || length === 0) return
      if (t >= length) seek(0)
      isPlaying = true
      sought = 0
      before = performance.now()
      requestAnimationFrame(frame)
      notify()
    },
    pause: () => {
      isPlaying = false
      notify()
    },
    setRate: (to) => {
      rate = to
      notify()
    },
    lengthen: (to) => {
      if (!(to > length) || !Number.isFinite(to)) return
      // The selected moment is later than the length known until now.
      if (sought > length && t === length && !isPlaying) t = Math.min(sought, to)
      length = to
      notify()
    },
    onMove: (listener) => {
      listeners.push(listener)
    }
  }
}
