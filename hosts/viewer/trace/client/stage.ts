/** The screens and videos of a run, on the clock of the page. */
import { durationText } from "../../../../core/rules/amounts.ts"
import { beginning, make, markCurrent, part, parts, setText } from "../../ui/dom.ts"
import { clockText } from "../steps.ts"
import type { RecordingData } from "../traceData.ts"
import type { Clock, ClockState, Leader, Move } from "./clock.ts"
import { whyUnreadable } from "./download.ts"

/** The videos of a run, and the screenshot of the current moment. */
export interface Stage {
  readonly follow: (state: ClockState, move: Move) => void
  /** The first video that plays leads the clock. */
  readonly leads: Leader
  readonly hasVideo: boolean
  /** The times of the screenshots. */
  readonly shots: ReadonlyArray<number>
  /** The URL of the last screenshot before a moment. */
  readonly pictureAt: (t: number) => string | undefined
}

interface Picture {
  readonly t: number
  readonly name: string
  readonly link: HTMLAnchorElement
}

/** How many characters of a name are shown in a caption. */
const shownName = 80

/** A screenshot that is older by so many milliseconds may show another state than the moment's, so the caption says how old it is. */
const leastLag = 1000

const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey

const picturesOf = (root: HTMLElement, recordings: ReadonlyArray<RecordingData>): ReadonlyArray<Picture> =>
  parts(root, ".strip a", HTMLAnchorElement).flatMap((link) => {
    const recording = recordings[Number(link.dataset["recording"])]
    const t = recording?.startedAtMs
    return recording === undefined || t === undefined ? [] : [{ t, name: recording.name, link }]
  })

/** Shows the last screenshot before a moment in full size; a click on another one selects its moment. */
const makePictures = (root: HTMLElement, pictures: ReadonlyArray<Picture>, onPick: (t: number) => void) => {
  if (pictures.length === 0) return (): Picture | undefined => undefined
  const figure = part(root, ".shot", HTMLElement)
  const frame = part(figure, ".pictures", HTMLElement)
  const caption = part(figure, "figcaption", HTMLElement)
  const large = new Map<Picture, HTMLImageElement>()
  let shown: Picture | undefined
  figure.hidden = false
  caption.textContent = `The first screenshot is of ${clockText(pictures[0]?.t ?? 0)}`
  for (const { link, t } of pictures) {
    link.addEventListener("click", (event) => {
      if (!isPlain(event)) return
      event.preventDefault()
      onPick(t)
    })
  }

  const imageOf = (picture: Picture): HTMLImageElement => {
    const made = large.get(picture)
    if (made !== undefined) return made
    const image = make("img")
    image.alt = picture.name
    image.src = picture.link.href
    large.set(picture, image)
    frame.append(image)
    return image
  }

  const lag = make("span")

  return (t: number): Picture | undefined => {
    const now = pictures.findLast((picture) => picture.t <= t)
    if (now !== undefined) setText(lag, t - now.t < leastLag ? "" : `, ${durationText(t - now.t)} before this moment`)
    if (now === shown) return now
    if (shown !== undefined) imageOf(shown).hidden = true
    markCurrent(shown?.link, now?.link, "true")
    shown = now
    if (now === undefined) {
      caption.textContent = `The first screenshot is of ${clockText(pictures[0]?.t ?? 0)}`
      return now
    }
    imageOf(now).hidden = false
    caption.replaceChildren(make("bdi", "", beginning(now.name, shownName)), ` of ${clockText(now.t)}`, lag)
    const strip = now.link.closest("ul")
    strip?.scrollTo({
      left: now.link.offsetLeft - strip.offsetLeft - strip.clientWidth / 2,
      top: now.link.offsetTop - strip.offsetTop - strip.clientHeight / 2
    })
    return now
  }
}

/**
 * Shows either the video or the screenshot. Until a person chooses, that is the video while it plays, and the screenshot
 * at its own moment and at the end.
 */
const makeViews = (root: HTMLElement, near: number, around: HTMLElement) => {
  const [views] = parts(around, ".views:has([data-view])", HTMLElement)
  const [screens] = parts(root, ".screens:has(.player)", HTMLElement)
  if (views === undefined || screens === undefined || root.querySelector(".strip") === null) return () => undefined
  const buttons = parts(views, "button", HTMLButtonElement)
  views.hidden = false
  let chosen: string | undefined
  const show = (view: string): void => {
    screens.dataset["view"] = view
    for (const button of buttons) button.ariaPressed = String(button.dataset["view"] === view)
  }
  for (const button of buttons) {
    button.addEventListener("click", () => {
      chosen = button.dataset["view"]
      show(chosen ?? "video")
    })
  }
  return ({ isPlaying, length, t }: ClockState, picture: Picture | undefined): void => {
    const isOf = picture !== undefined && !isPlaying && (t - picture.t < near || t >= length)
    show(chosen ?? (isOf ? "shot" : "video"))
  }
}

/** Makes a stage of the part of a page that has the videos and screenshots. */
export const makeStage = (
  root: HTMLElement,
  recordings: ReadonlyArray<RecordingData>,
  on: {
    readonly pick: (t: number) => void
    readonly end: (t: number) => void
    /** How far from a screenshot, in milliseconds, it still shows the moment. */
    readonly near: number
    /** The part of the page that has the choice between video and screenshot, if that is for several stages. */
    readonly around?: HTMLElement
  }
): Stage => {
  const pictures = picturesOf(root, recordings)
  const showPicture = makePictures(root, pictures, on.pick)
  const showView = makeViews(root, on.near, on.around ?? root)
  const players = parts(root, "figure.player", HTMLElement).flatMap((figure) => {
    const recording = recordings[Number(figure.dataset["recording"])]
    return recording === undefined ? [] : [makePlayer(figure, recording, on.end)]
  })
  return {
    hasVideo: players.length > 0,
    shots: pictures.map(({ t }) => t),
    pictureAt: (at) => pictures.findLast(({ t }) => t <= at)?.link.href,
    follow: (state, move) => {
      for (const player of players) player.follow(state, move)
      showView(state, showPicture(state.t))
    },
    leads: (t) => {
      for (const player of players) {
        const led = player.leads(t)
        if (led !== undefined) return led
      }
      return undefined
    }
  }
}

/** Lets a click on a video play and pause. */
export const playByClick = (root: HTMLElement, clock: Clock): void => {
  for (const video of parts(root, "figure.player video", HTMLVideoElement)) {
    video.addEventListener("click", () => (clock.state().isPlaying ? clock.pause() : clock.play()))
  }
}

/** How far a video may deviate from the clock before it is corrected, in seconds: while playing, and while paused. */
const drift = { playing: 0.2, standing: 0.001 }

/** How many seconds before its end a video counts as ended: a recorder stops a little before what it records. */
const tolerance = 0.5

/** Longer than any video, in seconds. */
const beyond = 1e7

/** A video that follows the clock of its page, and leads it while it plays. */
interface Player {
  readonly follow: (state: ClockState, move: Move) => void
  readonly leads: Leader
}

/**
 * Makes a player of a figure with a video. `onEnd` gets the time at which the video ends, once that is known: a file that
 * was written while recording doesn't contain its length, so the player seeks to its end.
 */
const makePlayer = (
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
