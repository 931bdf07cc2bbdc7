/** Texts: the browser measures and draws them. */
import { type Fields, numberIn, textIn } from "../runtime/decode.ts"
import { isAndroid, settings } from "../runtime/device.ts"
import { type Component, type Drawing, element, type AvailableWidth, type Size } from "./Component.ts"

/** A paragraph: text, and what stands within it. */
export const text: Component = (context): Drawing => {
  const drawn = element("text")
  return {
    element: drawn,
    isText: true,
    prepare: () => freeText(drawn),
    measure: (room) => {
      context.layOutInline()
      const props = context.props()
      const { height, width } = fitText(drawn, props, room, (within) => measureText(drawn, within))
      return { width, height: height + fontPadding(drawn, props) }
    },
    laidOut: () => {
      cutText(drawn, context.props())
      if (context.props()["onTextLayout"] !== true || (drawn.textContent?.length ?? 0) > maxReported) return
      // Where it is in the document is seen when the whole commit is there.
      queueMicrotask(() => context.emit("topTextLayout", { lines: linesOf(drawn), target: context.tag }))
    },
    update: (props, before) => {
      const { style } = drawn
      if (props["numberOfLines"] !== before["numberOfLines"] || props["ellipsizeMode"] !== before["ellipsizeMode"]) {
        const lines = numberIn(props["numberOfLines"]) ?? 0
        const isCut = props["ellipsizeMode"] === "clip"
        style.display = lines > 0 ? "-webkit-box" : ""
        style.setProperty("-webkit-box-orient", lines > 0 ? "vertical" : "")
        style.setProperty("-webkit-line-clamp", lines > 0 && !isCut ? String(lines) : "")
        style.maxHeight = lines > 0 && isCut ? `${lines}lh` : ""
        style.overflow = lines > 0 ? "hidden" : ""
      }
      if (isAndroid()) style.alignContent = places[String(props["textAlignVertical"])] ?? "center"
      style.wordBreak = props["lineBreakStrategyIOS"] === "hangul-word" ? "keep-all" : ""
      highlight(drawn, props)
      if (props["selectable"] !== before["selectable"]) style.userSelect = props["selectable"] === true ? "text" : ""
    }
  }
}

/**
 * How much higher than its lines Android makes a text, in points: its font has room above the first line and below the last.
 */
const fontPadding = (drawn: HTMLElement, props: Fields): number => {
  if (!isAndroid() || props["includeFontPadding"] === false || props["lineHeight"] !== undefined) return 0
  return Number.parseFloat(getComputedStyle(drawn).fontSize) * 0.155
}

/** Shows that it is pressed, as iOS does of its own. */
const highlight = (drawn: HTMLElement, props: Fields): void => {
  drawn.classList.toggle("lit", props["isHighlighted"] === true)
}

/** Where a text of Android stands in its box. */
const places: Readonly<Record<string, string>> = { top: "start", bottom: "end" }

/** A text within another. */
export const span: Component = (): Drawing => {
  const drawn = document.createElement("span")
  drawn.className = "span"
  return { element: drawn, isText: true, update: (props) => highlight(drawn, props) }
}

/** The characters. */
export const characters: Component = (): Drawing => {
  const node = document.createTextNode("")
  return {
    element: noElement,
    node,
    isText: true,
    update: (props) => {
      node.data = textIn(props["text"]) ?? ""
    }
  }
}

/** What characters have for an element: they have no style. */
const noElement = document.createElement("span")

/** How large a text is when it has so much room. */
export const measureText = (drawn: HTMLElement, room: AvailableWidth): Size => {
  freeText(drawn)
  const { style } = drawn
  const used = getComputedStyle(drawn)
  const width = Number.parseFloat(used.width)
  if (room === undefined || width <= room) return { width, height: Number.parseFloat(used.height) }
  style.width = `${room}px`
  return { width: widestLine(drawn, used, room), height: Number.parseFloat(used.height) }
}

/**
 * Gives a text all the room that it likes, where it is or on the ruler. The browser lays out what was changed whenever a size
 * is asked for, so many texts are freed before the first of them is measured.
 */
const freeText = (drawn: HTMLElement): void => {
  if (!drawn.isConnected) ruler().append(drawn)
  const { style } = drawn
  // What is around it isn't measured; once it is laid out, it is a part of its size.
  style.boxSizing = "content-box"
  style.height = "auto"
  style.width = "max-content"
}

/** How wide an element is with what is around its content, in points, as nothing scales it. */
const outerWidth = (used: CSSStyleDeclaration): number =>
  [used.width, used.paddingLeft, used.paddingRight, used.borderLeftWidth, used.borderRightWidth]
    .map(Number.parseFloat)
    .reduce((sum, width) => sum + width)

/** How wide the widest line of a text is, in points, whatever it is scaled by. */
const widestLine = (drawn: HTMLElement, used: CSSStyleDeclaration, width: number): number => {
  const range = document.createRange()
  range.selectNodeContents(drawn)
  let left = Number.POSITIVE_INFINITY
  let right = Number.NEGATIVE_INFINITY
  for (const line of range.getClientRects()) {
    left = Math.min(left, line.left)
    right = Math.max(right, line.right)
  }
  const scale = drawn.getBoundingClientRect().width / outerWidth(used)
  // What isn't scaled differs by the rounding of the browser's own sizes.
  const by = Math.abs(scale - 1) < 0.02 || !(scale > 0) ? 1 : scale
  return right > left ? Math.min(width, (right - left) / by) : width
}

/** The parent of the elements that are measured and in no document yet. */
const ruler = (): HTMLElement => {
  if (rulerElement !== undefined) return rulerElement
  rulerElement = document.createElement("div")
  rulerElement.className = "ruler"
  rulerElement.ariaHidden = "true"
  // Beside the body, so that it isn't mistaken for a part of the app.
  document.documentElement.append(rulerElement)
  return rulerElement
}

/** Nothing outside of it depends on its size, so each measure lays out one element and not the page. */
let rulerElement: HTMLElement | undefined

/** Makes the letters of a text smaller until it fits into its lines, as `adjustsFontSizeToFit` asks; returns its size. */
const fitText = (
  drawn: HTMLElement,
  props: Fields,
  room: AvailableWidth,
  measure: (room: AvailableWidth) => Size
): Size => {
  const isFitted = props["adjustsFontSizeToFit"] === true && (numberIn(props["numberOfLines"]) ?? 0) > 0
  if (!isFitted) return measure(room)
  const isScaled = props["allowFontScaling"] !== false
  const whole = (numberIn(props["fontSize"]) ?? defaultFontSize) * (isScaled ? settings().textSize : 1)
  const least = Math.max(1, whole * (numberIn(props["minimumFontScale"]) ?? 0))
  const measured = (size: number): Size => {
    drawn.style.fontSize = `${size}px`
    return measure(room)
  }
  let size = measured(whole)
  // Lines that are cut off are still a part of what could be scrolled.
  for (
    let letters = whole - fontSizeStep;
    drawn.scrollHeight > size.height + 1 && letters >= least;
    letters -= fontSizeStep
  ) {
    size = measured(letters)
  }
  return size
}

/** The size of letters where no style says one, in points. */
const defaultFontSize = 14

/** By how much letters are made smaller at a time, in points. */
const fontSizeStep = 0.5

/**
 * Cuts a text of one line at its head or in its middle. What it says stays in the document, for tests and screen
 * readers; the shorter text is drawn over it.
 */
const cutText = (drawn: HTMLElement, props: Fields): void => {
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

type Cut = (text: string, kept: number) => string

/** How a text is cut so that so many of its characters are kept; at its end a browser does it by itself. */
const cuts: Readonly<Record<string, Cut>> = {
  head: (text, kept) => `…${text.slice(text.length - kept)}`,
  middle: (text, kept) => `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`
}

/** The lines that a text is broken into, where they are and what they say. */
const linesOf = (drawn: HTMLElement): ReadonlyArray<Fields> => {
  const around = drawn.getBoundingClientRect()
  const range = document.createRange()
  const lines: Array<{ x: number; y: number; width: number; height: number; text: string }> = []
  const nodes = document.createTreeWalker(drawn, NodeFilter.SHOW_TEXT)
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    const text = node.textContent ?? ""
    for (let at = 0; at < text.length; at += 1) {
      range.setStart(node, at)
      range.setEnd(node, at + 1)
      const place = range.getClientRects()[0]
      if (place === undefined) continue
      const last = lines.at(-1)
      // A character that begins left of the last one's end, and lower, begins a line.
      if (last === undefined || place.top - around.top > last.y + last.height / 2) {
        const { height, width, x, y } = place
        lines.push({ x: x - around.x, y: y - around.y, width, height, text: text.charAt(at) })
      } else {
        last.width = Math.max(last.width, place.right - around.x - last.x)
        last.text += text.charAt(at)
      }
    }
  }
  return lines.map((line) => ({
    ...line,
    ascender: line.height * 0.8,
    descender: line.height * 0.2,
    capHeight: 0,
    xHeight: 0
  }))
}

/** The most characters of a text whose lines are reported: finding them takes a while. */
const maxReported = 5000
