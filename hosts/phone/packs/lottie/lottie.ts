import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn, numberIn, textIn, type Fields } from "../../runtime/decode.ts"
import type { Component } from "../../views/Component.ts"
import { labelled } from "../../views/view.ts"

const second = 1000

const animationIn = (props: Fields): Fields => {
  try {
    return fieldsIn(JSON.parse(textIn(props["sourceJson"]) ?? "{}"))
  } catch {
    return {}
  }
}

/** An animation that isn't drawn, and ends when it would end: an app may wait for it. */
const animation: Component = (own) => {
  own.notes.missing("component", own.name)
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = (): void => clearTimeout(timer)
  const play = (): void => {
    stop()
    const props = own.props()
    if (props["loop"] === true) return
    const { fr, ip, op } = animationIn(props)
    const frames = (numberIn(op) ?? 0) - (numberIn(ip) ?? 0)
    const length = (frames / (numberIn(fr) || 30) / Math.abs(numberIn(props["speed"]) || 1)) * second
    timer = setTimeout(() => own.emit("topAnimationFinish", { isCancelled: false }), Math.max(0, length))
  }
  return {
    element: labelled("Lottie animation"),
    update: (props, before) => {
      if (props["sourceJson"] === before["sourceJson"]) return
      queueMicrotask(() => own.emit("topAnimationLoaded", {}))
      if (props["autoPlay"] === true) play()
    },
    unmounted: stop,
    commands: { play, resume: play, pause: stop, reset: stop }
  }
}

/** lottie-react-native */
export const lottie: Pack = { components: { LottieAnimationView: animation } }
