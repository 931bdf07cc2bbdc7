/** lottie-react-native: the animation, the frames that are played, and the view. */
import type { Pack } from "../modules/Host.ts"
import { type Fields, fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { hasReducedMotion } from "../runtime/device.ts"
import type { LottieAnimation } from "../runtime/optionalScripts.ts"
import { type Component, element, type Own } from "../views/Component.ts"
import { labelled } from "../views/view.ts"

/** Frames that are played, from the first to the second; backwards if the speed is negative. */
type Range = readonly [from: number, to: number]

const endsOf = ([from, to]: Range, speed: number): Range => (speed < 0 ? [to, from] : [from, to])

/** The frame from which a range is played: the current one if it is in the range, and not where that ends. */
const beginIn = (range: Range, speed: number, current: number): number => {
  const [start, end] = endsOf(range, speed)
  const isWithin = Math.min(start, end) <= Math.trunc(current) && Math.trunc(current) < Math.max(start, end)
  return isWithin && current !== end ? current : start
}

/** The frame after so many frames of playing, and whether the range has ended. */
const advance = (range: Range, speed: number, current: number, frames: number, isLooping: boolean) => {
  const [start, end] = endsOf(range, speed)
  const length = Math.abs(end - start)
  const gone = Math.abs(current - start) + frames
  if (gone < length || (isLooping && length > 0))
    return { frame: start + Math.sign(end - start) * (gone % length), isDone: false }
  return { frame: end, isDone: true }
}

/** An animation of Lottie, decoded for one view: lottie-web changes its `json`. */
interface Animation {
  readonly json: Fields
  readonly frames: Range
  /** Frames in a second. */
  readonly rate: number
  readonly width: number
  readonly height: number
  /** What is played instead with reduced motion, as its marker says. */
  readonly reduced: Range | undefined
}

/** What is left of a key path below something with this name; `undefined` if the path leads elsewhere. */
const below = (path: ReadonlyArray<string>, name: unknown): ReadonlyArray<string> | undefined => {
  const [key, ...rest] = path
  if (key === "**") return rest[0] === name ? rest.slice(1) : rest.length === 0 ? [] : path
  return key === undefined || key === "*" || key === name ? rest : undefined
}

/** Gives the fills and strokes below a key path this color: `Boat.Sail` is all of the sail. */
const tint = (items: unknown, path: ReadonlyArray<string>, color: Fields, assets: ReadonlyArray<Fields>): void => {
  for (const item of listIn(items).map(fieldsIn)) {
    const rest = below(path, item["nm"])
    if (rest === undefined) continue
    if (rest.length === 0 && (item["ty"] === "fl" || item["ty"] === "st")) Object.assign(item, { c: color })
    const composition = assets.find(({ id }) => id !== undefined && id === item["refId"])
    for (const inner of [item["it"], item["shapes"], composition?.["layers"]]) tint(inner, rest, color, assets)
  }
}

const tintAll = (json: Fields, filters: unknown): void => {
  const assets = listIn(json["assets"]).map(fieldsIn)
  for (const { color, keypath } of listIn(filters).map(fieldsIn)) {
    const [path, bits] = [textIn(keypath), numberIn(color)]
    if (path === undefined || bits === undefined) continue
    const channels = [16, 8, 0, 24].map((shift) => ((bits >>> shift) & 255) / 255)
    tint(json["layers"], path.split("."), { a: 0, k: channels }, assets)
  }
}

const reducedIn = (json: Fields): Range | undefined => {
  const marker = listIn(json["markers"])
    .map(fieldsIn)
    .find(({ cm }) => /^reduced[ _-]?motion$/i.test(textIn(cm) ?? ""))
  const from = numberIn(marker?.["tm"])
  return from === undefined ? undefined : [from, from + (numberIn(marker?.["dr"]) ?? 0)]
}

/** Decodes the text of an animation, with color filters of the app. Throws if it is none. */
const decodeAnimation = (text: string, filters: unknown): Animation => {
  const json = fieldsIn(JSON.parse(text))
  const [first, last, rate, width, height] = ["ip", "op", "fr", "w", "h"].map((name) => numberIn(json[name]))
  if (
    first === undefined ||
    last === undefined ||
    rate === undefined ||
    width === undefined ||
    height === undefined ||
    !Array.isArray(json["layers"])
  )
    throw new Error("it has no layers, frames or size")
  // lottie-web would load them, one kind as a script. A phone has only the fonts of its app.
  for (const font of listIn(fieldsIn(json["fonts"])["list"])) Object.assign(fieldsIn(font), { fPath: "" })
  tintAll(json, filters)
  return { json, frames: [first, last], rate, width, height, reduced: reducedIn(json) }
}

const second = 1000

const sources = ["sourceJson", "sourceURL", "sourceName", "sourceDotLottieURI"] as const

const textOf = async (props: Fields, { assetUrls }: Own): Promise<string> => {
  const [json, uri, name] = sources.map((source) => textIn(props[source]) || undefined)
  if (json !== undefined) return json
  if (name !== undefined) throw new Error(`“${name}” is in the app’s binary, which a replay doesn’t have`)
  if (uri === undefined) throw new Error("a replay draws no .lottie files")
  for (const place of assetUrls(uri)) {
    const answer = await fetch(place).catch(() => undefined)
    if (answer?.ok === true) return answer.text()
  }
  throw new Error("a replay has only the app’s own files")
}

const speedIn = (props: Fields): number => numberIn(props["speed"]) ?? 1

/**
 * An animation. lottie-web draws its frames; which one is shown, and when an animation has ended, follows lottie-ios. Without
 * the player it is a labelled box, and ends when it would end: an app may wait for it.
 */
const animationView: Component = (own) => {
  const picture = element("view")
  const drawn = element("view", picture)
  // Assistive technology of a phone finds nothing in it.
  picture.setAttribute("aria-hidden", "true")
  picture.style.cssText = "inset:0;display:flex;align-items:center;justify-content:center;overflow:hidden"
  let message: HTMLElement | undefined
  let animation: Animation | undefined
  let player: LottieAnimation | undefined
  /** Changes with each source, and in the end. */
  let source = {}
  let current = 0
  /** What is played, also while it is being loaded. */
  let playing: Range | "all" | undefined
  let request = 0
  let drawnAt: number | undefined

  const show = (): void => {
    if (animation === undefined) return
    const [first, last] = animation.frames
    // At its last frame, which is the first after it, all layers would have ended.
    player?.goToAndStop(Math.max(0, Math.min(current, last - 0.001) - first), true)
  }
  const goTo = (progress: number): void => {
    const [first, last] = animation?.frames ?? [0, 0]
    current = first + (last - first) * progress
    show()
  }
  const fit = (): void => {
    const svg = picture.querySelector("svg")
    const mode = own.props()["resizeMode"]
    const isOwnSize = mode === "center" && animation !== undefined
    svg?.setAttribute("preserveAspectRatio", mode === "cover" ? "xMidYMid slice" : "xMidYMid meet")
    if (svg === null) return
    svg.style.flex = "none"
    svg.style.width = isOwnSize ? `${animation?.width}px` : "100%"
    svg.style.height = isOwnSize ? `${animation?.height}px` : "100%"
  }

  const finish = (isCancelled: boolean): void => {
    cancelAnimationFrame(request)
    playing = undefined
    if (animation !== undefined) own.emit("topAnimationFinish", { isCancelled })
  }
  const rangeOf = ({ frames, reduced }: Animation, wanted: Range | "all"): Range => {
    if (reduced !== undefined && hasReducedMotion()) return reduced
    const [first, last] = frames
    const within = (frame: number) => Math.min(last, Math.max(first, frame))
    return wanted === "all" ? frames : [within(wanted[0]), within(wanted[1])]
  }
  const step = (now: number): void => {
    if (animation === undefined || playing === undefined) return
    const props = own.props()
    const speed = speedIn(props)
    const frames = ((now - (drawnAt ?? now)) / second) * animation.rate * Math.abs(speed)
    drawnAt = now
    const next = advance(rangeOf(animation, playing), speed, current, frames, props["loop"] === true)
    current = next.frame
    show()
    if (next.isDone) finish(false)
    else request = requestAnimationFrame(step)
  }
  const run = (): void => {
    if (animation === undefined || playing === undefined) return
    current = beginIn(rangeOf(animation, playing), speedIn(own.props()), current)
    drawnAt = undefined
    cancelAnimationFrame(request)
    request = requestAnimationFrame(step)
  }
  const play = (range: Range | "all"): void => {
    // The library plays at once, and again as soon as the view is there.
    if (String(playing) === String(range)) return
    if (playing !== undefined) finish(true)
    playing = range
    run()
  }
  const pause = (): void => {
    if (playing !== undefined) finish(true)
  }

  const erase = (): void => {
    player?.destroy()
    player = undefined
    message?.remove()
    message = undefined
  }
  const label = (reason: string): void => {
    erase()
    own.notes.missing("component", own.name)
    message = labelled(`Lottie animation${reason}`)
    message.style.inset = "0"
    drawn.append(message)
  }
  const fail = (error: unknown): void => {
    cancelAnimationFrame(request)
    source = {}
    animation = undefined
    playing = undefined
    const reason = error instanceof Error ? error.message : String(error)
    label(`: ${reason}`)
    own.emit("topAnimationFailure", { error: `Unable to load the Lottie animation: ${reason}` })
  }

  const load = async (props: Fields, isOther: boolean): Promise<void> => {
    const mine = {}
    source = mine
    if (isOther) {
      cancelAnimationFrame(request)
      erase()
      animation = undefined
      playing = props["autoPlay"] === true ? "all" : undefined
    }
    try {
      const text = await textOf(props, own)
      const decoded = decodeAnimation(text, props["colorFilters"])
      const lottie = await own.loadLottie?.().catch((error: unknown) => void console.error(error))
      if (source !== mine) return
      animation = decoded
      if (lottie === undefined) label("")
      else {
        erase()
        player = lottie.loadAnimation({ container: picture, autoplay: false })
        player.addEventListener("error", () => fail(new Error("it can’t be drawn")))
        player.setupAnimation(decoded.json)
        if (source !== mine) return
        fit()
      }
      if (!isOther) {
        show()
        return
      }
      goTo(numberIn(own.props()["progress"]) ?? 0)
      own.emit("topAnimationLoaded", {})
      run()
    } catch (error) {
      if (source === mine) fail(error)
    }
  }

  return {
    element: drawn,
    update: (props, before) => {
      const isOther = sources.some((name) => props[name] !== before[name])
      const hasOtherColors = JSON.stringify(props["colorFilters"]) !== JSON.stringify(before["colorFilters"])
      if (isOther || (hasOtherColors && animation !== undefined)) void load(props, isOther)
      if (isOther) return
      if (props["resizeMode"] !== before["resizeMode"]) fit()
      if (props["progress"] !== before["progress"] && animation !== undefined) {
        pause()
        goTo(numberIn(props["progress"]) ?? 0)
      }
      if (props["speed"] !== before["speed"]) {
        if (speedIn(props) === 0) pause()
        else if (playing === undefined) play("all")
      }
      if (props["autoPlay"] === true && before["autoPlay"] !== true && playing === undefined) play("all")
    },
    unmounted: () => {
      source = {}
      cancelAnimationFrame(request)
      erase()
    },
    commands: {
      play: (from, to) => {
        const [start, end] = [numberIn(from) ?? -1, numberIn(to) ?? -1]
        play(start === -1 || end === -1 ? "all" : [start, end])
      },
      resume: () => play("all"),
      pause,
      reset: () => {
        pause()
        goTo(0)
      }
    }
  }
}

/** lottie-react-native */
export const lottie: Pack = { components: { LottieAnimationView: animationView } }
