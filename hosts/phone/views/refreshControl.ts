import { Display } from "yoga-layout/load"
import { numberIn, textIn } from "../runtime/decode.ts"
import { color } from "../style/color.ts"
import type { Component, Drawing } from "./Component.ts"
import { element } from "./element.ts"
import { refreshHeight, setRefresher } from "./scrollView.ts"

/** What stands above a list that is loaded again by pulling it down. */
export const refreshControl: Component = (own): Drawing => {
  const wheel = element("wheel")
  wheel.style.cssText =
    "position:absolute;left:50%;top:20px;width:20px;height:20px;margin-left:-10px;border-radius:50%;" +
    "mask:radial-gradient(farthest-side,transparent 62%,#000 64%);animation:phone-turn 1s steps(8) infinite"
  const title = element("title")
  title.style.cssText = "position:absolute;left:0;right:0;top:44px;text-align:center;font-size:12px"
  const drawn = element("view", wheel, title)
  drawn.style.cssText = "left:0;right:0;top:0;height:0;z-index:1;pointer-events:none"
  drawn.setAttribute("role", "progressbar")
  const isRefreshing = () => own.props()["refreshing"] === true

  const draw = (): void => {
    const props = own.props()
    const tint = props["tintColor"]
    const lower = numberIn(props["progressViewOffset"]) ?? 0
    wheel.style.top = `${20 + lower}px`
    title.style.marginTop = `${lower}px`
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

  setRefresher(own.tag, {
    isRefreshing,
    release: (distance) => {
      if (distance >= refreshHeight && !isRefreshing()) own.emit("topRefresh", {})
    }
  })
  return {
    element: drawn,
    isPlaced: true,
    shape: (node) => node.setDisplay(Display.None),
    update: draw,
    laidOut: draw,
    commands: { setNativeRefreshing: draw },
    unmounted: () => setRefresher(own.tag, undefined)
  }
}
