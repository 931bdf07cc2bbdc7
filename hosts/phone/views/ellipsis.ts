import { numberIn, type Fields } from "../runtime/decode.ts"
import { measureText } from "./measureText.ts"
import { element } from "./element.ts"

type Cut = (text: string, kept: number) => string

/** How a text is cut so that so many of its characters are kept; at its end a browser does it by itself. */
const cuts: Readonly<Record<string, Cut>> = {
  head: (text, kept) => `…${text.slice(text.length - kept)}`,
  middle: (text, kept) => `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`
}

/**
 * Cuts a text of one line at its head or in its middle. What it says stays in the document, for tests and screen
 * readers; the shorter text is drawn over it.
 */
export const cutText = (drawn: HTMLElement, props: Fields): void => {
  const cut = numberIn(props["numberOfLines"]) === 1 ? cuts[String(props["ellipsizeMode"])] : undefined
  const text = drawn.textContent ?? ""
  if (cut === undefined || text === "") {
    delete drawn.dataset["cut"]
    return
  }
  const { paddingLeft, paddingRight } = getComputedStyle(drawn)
  const width = drawn.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
  const sample = element("text")
  sample.style.cssText = drawn.style.cssText
  const fits = (short: string): boolean => {
    sample.textContent = short
    return measureText(sample, undefined).width <= width + 0.5
  }
  if (fits(text)) delete drawn.dataset["cut"]
  else {
    let [least, most] = [0, text.length]
    while (least < most) {
      const half = Math.ceil((least + most) / 2)
      if (fits(cut(text, half))) least = half
      else most = half - 1
    }
    drawn.dataset["cut"] = cut(text, least)
  }
  sample.remove()
}
