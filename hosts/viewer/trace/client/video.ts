import { clockText } from "../clockText.ts"
import type { RecordingData } from "../traceData.ts"
import type { ClockState, Leader, Move } from "./clock.ts"
import { part, setText } from "../../ui/dom.ts"
import { whyUnreadable } from "./download.ts"

/** How far a video may deviate from the clock before it is corrected, in seconds: while playing, and while paused. */
const drift = { playing: 0.2, standing: 0.001 }

/** How many seconds before its end a video counts as ended: a recorder stops a little before what it records. */
const tolerance = 0.5

/** Longer than any video, in seconds. */
const beyond = 1e7

/** A video that follows the clock of its page, and leads it while it plays. */
export interface Player {
  readonly follow: (state: ClockState, move: Move) => void
  readonly leads: Leader
}

/**
 * Makes a player of a figure with a video. `onEnd` gets the time at which the video ends, once that is known: a file that
 * was written while recording doesn't contain its length, so the player seeks to its end.
 */
export const makePlayer = (
  figure: HTMLElement,
  { durationMs, startedAtMs = 0, url }: RecordingData,
  onEnd: (t: number) => void
): Player => {
  const video = part(figure, "video", HTMLVideoElement)
  const state = part(figure, ".state", HTMLElement)
  let length = durationMs === undefined ? Infinity : durationMs / 1000
  let [isReady, isBroken] = [false, false]
  let wanted = 0
  let sought: number | undefined

  // One seek at a time: the last one asked for meanwhile follows when it is done.
  const goTo = (seconds: number): void => {
    wanted = seconds
    if (!isReady || video.seeking || sought === seconds) return
    sought = seconds
    if (Math.abs(video.currentTime - seconds) >= drift.standing) video.currentTime = seconds
  }

  const ready = (): void => {
    if (Number.isFinite(video.duration)) length = video.duration
    if (Number.isFinite(length)) onEnd(startedAtMs + length * 1000)
    isReady = true
    goTo(wanted)
  }

  const measure = (): void => {
    video.addEventListener(
      "seeked",
      () => {
        if (!Number.isFinite(video.duration)) length = video.currentTime
        ready()
      },
      { once: true }
    )
    video.currentTime = beyond
  }

  const begin = (): void => (Number.isFinite(video.duration) || Number.isFinite(length) ? ready() : measure())

  video.controls = false
  video.addEventListener("seeked", () => goTo(wanted))
  video.addEventListener("error", () => {
    isBroken = true
    void whyUnreadable(url).then((why) => {
      setText(state, why ?? "This browser can't play it.")
    })
  })
  if (video.error !== null) video.dispatchEvent(new Event("error"))
  else if (video.readyState >= video.HAVE_METADATA) begin()
  else video.addEventListener("loadedmetadata", begin, { once: true })

  return {
    follow: ({ isPlaying, rate, t }, move) => {
      if (isBroken) return
      const seconds = (t - startedAtMs) / 1000
      const isWithin = seconds >= 0 && seconds < length
      const isLate = isPlaying && isWithin && video.readyState < video.HAVE_FUTURE_DATA
      setText(
        state,
        seconds < 0
          ? `begins at ${clockText(startedAtMs)}`
          : seconds > length + tolerance
            ? "is over"
            : isLate
              ? "is loading"
              : ""
      )
      if (!isPlaying || !isWithin || !isReady) {
        if (!video.paused) video.pause()
        goTo(Math.min(Math.max(seconds, 0), length))
        return
      }
      if (video.playbackRate !== rate) video.playbackRate = rate
      if (!video.paused && !video.seeking) sought = undefined
      if (move === "seek" || Math.abs(video.currentTime - seconds) > drift.playing) goTo(seconds)
      // If the browser doesn't let it play, it is sought to each moment of the clock.
      if (video.paused) video.play().catch(() => goTo(seconds))
    },
    leads: (t) => {
      const seconds = (t - startedAtMs) / 1000
      if (isBroken || seconds < 0 || seconds >= length || video.ended) return undefined
      if (!isReady || video.seeking || video.readyState < video.HAVE_FUTURE_DATA) return "waiting"
      return video.paused ? undefined : startedAtMs + video.currentTime * 1000
    }
  }
}
