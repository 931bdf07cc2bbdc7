import { durationText } from "../../../../core/rules/amounts.ts"
import { clockText } from "../clockText.ts"
import type { RecordingData } from "../traceData.ts"
import type { Clock, ClockState, Leader, Move } from "./clock.ts"
import { beginning, make, markCurrent, part, parts, setText } from "../../ui/dom.ts"
import { makePlayer } from "./video.ts"

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
