import type { Pack } from "../modules/Host.ts"
import { type Fields, fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { color } from "../style/color.ts"
import type { Component, ComponentContext } from "../views/Component.ts"

const namespace = "http://www.w3.org/2000/svg"

const write = (drawn: Element, name: string, value: unknown): void => {
  if (value === undefined || value === null) drawn.removeAttribute(name)
  else drawn.setAttribute(name, String(value))
}

/** What something is filled or drawn with: a colour, a gradient by its name, or what is around it says. */
const brush = (value: unknown): string | undefined => {
  if (value === undefined) return undefined
  if (value === null) return "none"
  const { brushRef, payload, type } = fieldsIn(value)
  if (type === 0) return color(payload)
  if (type === 1) return `url(#${String(brushRef)})`
  if (type === 2) return "currentColor"
  if (type === 3) return "context-fill"
  if (type === 4) return "context-stroke"
  return color(value)
}

const lengthText = (value: unknown): string | undefined => {
  const number = numberIn(value)
  return number === undefined ? textIn(value) : String(number)
}

const lengths = (value: unknown): string | undefined =>
  value === undefined || value === null
    ? undefined
    : Array.isArray(value)
      ? value.map(lengthText).join(" ")
      : lengthText(value)

/** The names of what every shape may say, in React Native and in SVG. */
const common: ReadonlyArray<readonly [name: string, attribute: string, text: (value: unknown) => string | undefined]> =
  [
    ["fill", "fill", brush],
    ["stroke", "stroke", brush],
    ["fillOpacity", "fill-opacity", lengthText],
    ["strokeOpacity", "stroke-opacity", lengthText],
    ["strokeWidth", "stroke-width", lengthText],
    ["strokeDasharray", "stroke-dasharray", lengths],
    ["strokeDashoffset", "stroke-dashoffset", lengthText],
    ["strokeMiterlimit", "stroke-miterlimit", lengthText],
    ["fillRule", "fill-rule", (value) => (value === undefined ? undefined : value === 0 ? "evenodd" : "nonzero")],
    ["strokeLinecap", "stroke-linecap", (value) => ["butt", "round", "square"][numberIn(value) ?? -1]],
    ["strokeLinejoin", "stroke-linejoin", (value) => ["miter", "round", "bevel"][numberIn(value) ?? -1]],
    ["clipPath", "clip-path", (value) => (textIn(value) === undefined ? undefined : `url(#${String(value)})`)],
    ["mask", "mask", (value) => (textIn(value) === undefined || value === "" ? undefined : `url(#${String(value)})`)],
    ["vectorEffect", "vector-effect", (value) => (value === 1 ? "non-scaling-stroke" : undefined)],
    [
      "matrix",
      "transform",
      (value) => (listIn(value).length === 6 ? `matrix(${listIn(value).map(Number).join()})` : undefined)
    ],
    ["name", "id", (value) => textIn(value)]
  ]

const describe = (drawn: Element, props: Fields): void => {
  const ownProps = new Set(listIn(props["propList"]))
  for (const [name, attribute, text] of common) {
    // What isn't on the list is as what is around it says, whatever the property's default is.
    const isBrush = name === "fill" || name === "stroke"
    const isOwn = !isBrush || ownProps.has(name)
    // What is on the list and isn't given is nothing: `none`.
    const isNone = isBrush && ownProps.has(name) && props[name] === undefined
    write(drawn, attribute, isNone ? "none" : isOwn ? text(props[name]) : undefined)
  }
  const opacity = numberIn(props["opacity"])
  if (drawn instanceof SVGElement) drawn.style.opacity = opacity === undefined ? "" : String(opacity)
}

/** An element with these attributes, which have the names of its properties; `more` writes what else it says. */
const shape =
  (
    tag: string,
    attributes = "",
    more: (drawn: Element, props: Fields, context: ComponentContext) => void = () => {}
  ): Component =>
  (context) => {
    const drawn = document.createElementNS(namespace, tag)
    const names = attributes.split(" ").filter((name) => name !== "")
    return {
      element: drawn,
      isText: true,
      update: (props) => {
        for (const name of names) write(drawn, name, lengths(props[name]))
        describe(drawn, props)
        more(drawn, props, context)
      }
    }
  }

const aspects: Readonly<Record<string, string>> = { 0: "meet", 1: "slice" }

/** The picture itself: a component with a place in the layout. */
const picture: Component = () => {
  const drawn = document.createElementNS(namespace, "svg")
  drawn.setAttribute("class", "view")
  return {
    element: drawn,
    update: (props) => {
      const box = ["minX", "minY", "vbWidth", "vbHeight"].map((name) => numberIn(props[name]))
      write(drawn, "viewBox", box[2] === undefined ? undefined : box.map((one) => one ?? 0).join(" "))
      const align = textIn(props["align"])
      const meet = aspects[String(props["meetOrSlice"])]
      const aspect = props["meetOrSlice"] === 2 ? "none" : align === undefined ? undefined : `${align} ${meet ?? ""}`
      write(drawn, "preserveAspectRatio", aspect?.trim())
      const tint = props["tintColor"] ?? props["color"]
      drawn.style.color = tint === undefined || tint === null ? "" : color(tint)
      write(drawn, "fill", props["fill"] === undefined ? undefined : brush(props["fill"]))
    },
    isText: true
  }
}

const stops = (value: unknown): ReadonlyArray<Element> => {
  const list = listIn(value).map(Number)
  return Array.from({ length: Math.floor(list.length / 2) }, (_, n) => {
    const stop = document.createElementNS(namespace, "stop")
    const bits = (list[n * 2 + 1] ?? 0) >>> 0
    stop.setAttribute("offset", String(list[n * 2] ?? 0))
    stop.setAttribute("stop-color", color(bits))
    return stop
  })
}

const gradient = (tag: string, attributes: string): Component =>
  shape(tag, attributes, (drawn, props) => {
    write(drawn, "gradientUnits", props["gradientUnits"] === 1 ? "userSpaceOnUse" : undefined)
    const matrix = listIn(props["gradientTransform"])
    write(drawn, "gradientTransform", matrix.length === 6 ? `matrix(${matrix.map(Number).join()})` : undefined)
    drawn.replaceChildren(...stops(props["gradient"]))
  })

const words = shape("text", "x y dx dy rotate", (drawn, props) => {
  const font = fieldsIn(props["font"])
  write(drawn, "font-size", lengthText(font["fontSize"]))
  write(drawn, "font-weight", lengthText(font["fontWeight"]))
  write(drawn, "font-family", textIn(font["fontFamily"]))
  write(drawn, "text-anchor", textIn(font["textAnchor"]))
})

const wordsWithin = shape("tspan", "x y dx dy", (drawn, props) => {
  const text = textIn(props["content"])
  if (text !== undefined) drawn.textContent = text
})

const photo = shape("image", "x y width height", (drawn, props, context) => {
  const uri = textIn(fieldsIn(props["src"])["uri"])
  write(drawn, "href", uri === undefined ? undefined : context.assetUrls(uri)[0])
})

/** What is defined elsewhere, drawn again. */
const copy = shape("use", "x y width height", (drawn, props) => {
  const href = textIn(props["href"])
  write(drawn, "href", href === undefined ? undefined : `#${href}`)
})

const tags: Readonly<Record<string, Component>> = {
  SvgView: picture,
  SvgViewAndroid: picture,
  Group: shape("g"),
  Path: shape("path", "d"),
  Circle: shape("circle", "cx cy r"),
  Rect: shape("rect", "x y width height rx ry"),
  Ellipse: shape("ellipse", "cx cy rx ry"),
  Line: shape("line", "x1 y1 x2 y2"),
  Polygon: shape("polygon", "points"),
  Polyline: shape("polyline", "points"),
  Defs: shape("defs"),
  ClipPath: shape("clipPath"),
  Mask: shape("mask", "x y width height"),
  Symbol: shape("symbol"),
  Use: copy,
  Marker: shape("marker", "refX refY markerWidth markerHeight orient"),
  Pattern: shape("pattern", "x y width height"),
  LinearGradient: gradient("linearGradient", "x1 y1 x2 y2"),
  RadialGradient: gradient("radialGradient", "fx fy cx cy rx ry"),
  Text: words,
  TSpan: wordsWithin,
  Image: photo,
  ForeignObject: shape("foreignObject", "x y width height")
}

/** react-native-svg */
export const svg: Pack = {
  components: Object.fromEntries(Object.entries(tags).map(([name, component]) => [`RNSVG${name}`, component])),
  modules: () => ({ RNSVGSvgViewModule: {}, RNSVGRenderableModule: {} })
}
