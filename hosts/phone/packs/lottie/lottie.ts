import type { Pack } from "../../modules/Pack.ts"
import { numberIn, textIn, type Fields } from "../../runtime/decode.ts"
import { hasReducedMotion } from "../../runtime/device.ts"
import type { LottieAnimation } from "../../runtime/lottie.ts"
import type { Component, Own } from "../../views/Component.ts"
import { element } from "../../views/element.ts"
import { labelled } from "../../views/view.ts"
import { decodeAnimation, type Animation } from "./animation.ts"
import { advance, beginIn, type Range } from "./playhead.ts"

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
