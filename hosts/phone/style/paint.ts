/** React Native's styles in CSS, but for colours and the layout. */
import { type Fields, fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { isAndroid, reading, settings } from "../runtime/device.ts"
import { color } from "./color.ts"

/** Writes to a style what is different in these properties from those before. */
export const paint = (style: CSSStyleDeclaration, props: Fields, before: Fields): void => {
  const due = new Set<Painter>()
  const look = (name: string): void => {
    const painter = props[name] === before[name] ? undefined : painters.get(name)
    if (painter !== undefined) due.add(painter)
  }
  for (const name in props) look(name)
  for (const name in before) look(name)
  for (const painter of due) painter(style, props)
}

/** Writes some of the properties of a component to a style, without those of the layout. */
type Painter = (style: CSSStyleDeclaration, props: Fields) => void

const painters = new Map<string, Painter>()

const paints = (names: string, painter: Painter): void => {
  for (const name of names.split(" ")) painters.set(name, painter)
}

const setStyle = (style: CSSStyleDeclaration, name: string, value: string): void => {
  if (name.startsWith("-")) style.setProperty(name, value)
  else Reflect.set(style, name, value)
}

/** What CSS calls the same, of the same values. */
for (const name of [
  "opacity borderStyle fontStyle textTransform textDecorationStyle textDecorationLine mixBlendMode",
  "isolation cursor backfaceVisibility userSelect outlineStyle"
]
  .join(" ")
  .split(" ")) {
  paints(name, (style, props) => setStyle(style, name, props[name] === undefined ? "" : String(props[name])))
}

for (const name of "letterSpacing outlineWidth outlineOffset".split(" ")) {
  paints(name, (style, props) => setStyle(style, name, length(props[name])))
}

for (const name of ["fontSize", "lineHeight"]) {
  paints(name, (style, props) => {
    const given = length(props[name])
    const isScaled = given !== "" && settings().textSize !== 1
    setStyle(style, name, isScaled ? `calc(${given} * var(--text-size, var(--device-text-size)))` : given)
  })
}

paints("allowFontScaling maxFontSizeMultiplier", (style, props) => {
  const most = numberIn(props["maxFontSizeMultiplier"]) ?? 0
  const bound = most >= 1 ? `min(var(--device-text-size), ${most})` : ""
  setStyle(style, "--text-size", props["allowFontScaling"] === false ? "1" : bound)
})

for (const name of "backgroundColor color textDecorationColor outlineColor".split(" ")) {
  paints(name, (style, props) => setStyle(style, name, color(props[name])))
}

/** The first of the properties that is given. */
const firstGiven = (props: Fields, names: ReadonlyArray<string>): unknown => {
  for (const name of names) if (props[name] !== undefined && props[name] !== null) return props[name]
  return undefined
}

const corners = ["TopLeft", "TopRight", "BottomLeft", "BottomRight"]

/** What else a corner is called, in the way the app is read: the more specific name first. */
const cornerNames = (corner: string): ReadonlyArray<string> => {
  const block = corner.startsWith("Top") ? "Start" : "End"
  const side = corner.endsWith("Left") === !reading.isRtl ? "Start" : "End"
  const top = corner.startsWith("Top") ? "Top" : "Bottom"
  return [`border${block}${side}Radius`, `border${top}${side}Radius`, `border${corner}Radius`, "borderRadius"]
}

paints(
  [
    "borderRadius",
    ...corners.map((corner) => `border${corner}Radius`),
    "borderTopStartRadius borderTopEndRadius borderBottomStartRadius borderBottomEndRadius",
    "borderStartStartRadius borderStartEndRadius borderEndStartRadius borderEndEndRadius"
  ].join(" "),
  (style, props) => {
    for (const corner of corners)
      setStyle(style, `border${corner}Radius`, length(firstGiven(props, cornerNames(corner))))
  }
)

paints(
  [
    "borderColor borderTopColor borderRightColor borderBottomColor borderLeftColor borderStartColor borderEndColor",
    "borderBlockColor borderBlockStartColor borderBlockEndColor"
  ].join(" "),
  (style, props) => {
    const [left, right] = reading.isRtl ? ["End", "Start"] : ["Start", "End"]
    const sides = {
      Top: ["borderBlockStartColor", "borderTopColor", "borderBlockColor"],
      Bottom: ["borderBlockEndColor", "borderBottomColor", "borderBlockColor"],
      Left: [`border${left}Color`, "borderLeftColor"],
      Right: [`border${right}Color`, "borderRightColor"]
    }
    for (const [side, names] of Object.entries(sides)) {
      setStyle(style, `border${side}Color`, color(firstGiven(props, [...names, "borderColor"])))
    }
  }
)

paints("transform", (style, props) => setStyle(style, "transform", transform(props["transform"])))

paints("transformOrigin", (style, props) =>
  setStyle(style, "transformOrigin", transformOrigin(props["transformOrigin"]))
)

const paintShadow: Painter = (style, props) => setStyle(style, "boxShadow", shadow(props))

paints("boxShadow shadowColor shadowOffset shadowOpacity shadowRadius", paintShadow)

paints("textShadowColor textShadowOffset textShadowRadius", (style, props) =>
  setStyle(style, "textShadow", textShadow(props))
)

paints("filter", (style, props) => setStyle(style, "filter", filter(props["filter"])))

paints("backgroundImage experimental_backgroundImage", (style, props) =>
  setStyle(style, "backgroundImage", backgroundImage(props["backgroundImage"] ?? props["experimental_backgroundImage"]))
)

const paintLayer: Painter = (style, props) => {
  // Android draws what is higher later.
  const elevation = isAndroid() ? numberIn(props["elevation"]) || undefined : undefined
  const layer = numberIn(props["zIndex"]) ?? elevation
  setStyle(style, "zIndex", layer === undefined ? "" : String(Math.round(layer)))
}

paints("zIndex", paintLayer)

paints("elevation", (style, props) => {
  paintShadow(style, props)
  paintLayer(style, props)
})

// What is cut off at the border must not become a place that can be scrolled.
paints("overflow", (style, props) =>
  setStyle(style, "overflow", props["overflow"] === "hidden" || props["overflow"] === "scroll" ? "clip" : "")
)

/** The designs of the system's font, by iOS's names, which few browsers know. */
const designs: ReadonlyMap<string, string> = new Map([
  ["ui-sans-serif", "var(--system-fonts)"],
  ["ui-rounded", "ui-rounded, var(--system-fonts)"],
  ["ui-serif", "ui-serif, serif"],
  ["ui-monospace", "ui-monospace, monospace"]
])

const families = new Set<string>()
let familyUsed = (_family: string): unknown => undefined

/** Calls `listener` when a family of fonts is first used that isn't the system's. */
export const onFamily = (listener: (family: string) => unknown): void => {
  familyUsed = listener
}

/** The fonts of a family in CSS: the system's has several names. */
export const fontFamily = (value: unknown): string => {
  const family = textIn(value)
  if (family === undefined) return ""
  const isSystem = isAndroid()
    ? androidFont.test(family)
    : /^(?:System|SF|\.AppleSystem|\.SF|-apple-system|system-ui)/.test(family)
  const design = designs.get(family)
  if (design !== undefined) return design
  if (isSystem) return "var(--system-fonts)"
  if (!families.has(family)) {
    families.add(family)
    familyUsed(family)
  }
  return `${JSON.stringify(family)}, var(--system-fonts)`
}

/** The families of Android's own font, whose weight may be a part of the name. */
const androidFont =
  /^(?:Roboto|sans-serif|System|normal)(?:[-_ ](thin|light|medium|bold|black))?(?:-condensed|-smallcaps)?$/i

const weights: Readonly<Record<string, string>> = {
  thin: "100",
  light: "300",
  medium: "500",
  bold: "700",
  black: "900"
}

paints("fontFamily fontWeight", (style, props) => {
  setStyle(style, "fontFamily", fontFamily(props["fontFamily"]))
  const [, weight = ""] = (isAndroid() && androidFont.exec(textIn(props["fontFamily"]) ?? "")) || []
  setStyle(style, "fontWeight", String(props["fontWeight"] ?? weights[weight.toLowerCase()] ?? ""))
})

/** In an app that is read from right to left, iOS swaps the two. */
const mirrored: Readonly<Record<string, string>> = { left: "right", right: "left" }

paints("textAlign", (style, props) => {
  const alignment = textIn(props["textAlign"]) ?? ""
  setStyle(
    style,
    "textAlign",
    (reading.isRtl ? mirrored[alignment] : undefined) ?? (alignment === "auto" ? "" : alignment)
  )
})

paints("fontVariant", (style, props) => {
  const variants = props["fontVariant"]
  setStyle(style, "fontVariant", Array.isArray(variants) ? variants.join(" ") : (textIn(variants) ?? ""))
})

paints("writingDirection", (style, props) => {
  const direction = textIn(props["writingDirection"])
  const isGiven = direction === "rtl" || direction === "ltr"
  setStyle(style, "direction", isGiven ? direction : "")
  // Otherwise each paragraph is read as its first letter is.
  setStyle(style, "unicodeBidi", isGiven ? "isolate" : "")
})

paints("pointerEvents", (style, props) =>
  setStyle(style, "pointerEvents", props["pointerEvents"] === "none" ? "none" : "")
)

/** React Native's `transform` in CSS. */
const transform = (value: unknown): string => {
  const text = textIn(value)
  if (text !== undefined) return text
  const steps = listIn(value)
  if (typeof steps[0] === "number") return `matrix3d(${steps.map(Number).join()})`
  return steps
    .map((one) =>
      Object.entries(fieldsIn(one))
        .map(([name, to]) => transformStep(name, to))
        .join(" ")
    )
    .join(" ")
}

const transformStep = (name: string, value: unknown): string => {
  const values = listIn(value)
  switch (name) {
    case "matrix":
      return values.length === 9
        ? `matrix(${[0, 1, 3, 4, 6, 7].map((at) => Number(values[at])).join()})`
        : `matrix3d(${values.map(Number).join()})`
    case "perspective":
      return `perspective(${length(value)})`
    case "translate":
      return `translate(${length(values[0]) || "0px"},${length(values[1]) || "0px"})`
    case "translateX":
    case "translateY":
      return `${name}(${length(value) || "0px"})`
    case "scale":
    case "scaleX":
    case "scaleY":
      return `${name}(${Array.isArray(value) ? values.map(Number).join() : Number(value)})`
    case "rotate":
    case "rotateX":
    case "rotateY":
    case "rotateZ":
    case "skewX":
    case "skewY":
      return `${name}(${angle(value)})`
    default:
      return ""
  }
}

/** React Native's `transformOrigin` in CSS. */
const transformOrigin = (value: unknown): string =>
  Array.isArray(value) ? value.map(length).join(" ") : (textIn(value) ?? "")

/** The shadow of a view in CSS. */
const shadow = (props: Fields): string =>
  props["boxShadow"] === undefined ? platformShadow(props) : boxShadow(props["boxShadow"])

const boxShadow = (value: unknown): string =>
  textIn(value) ??
  listIn(value)
    .map(fieldsIn)
    .map((one) => {
      const lengths = [one["offsetX"], one["offsetY"], one["blurRadius"], one["spreadDistance"]]
      const paint = one["color"] === undefined ? "#000" : color(one["color"])
      return `${one["inset"] === true ? "inset " : ""}${lengths.map((each) => lengthOrZero(length(each))).join(" ")} ${paint}`
    })
    .join()

/** The shadow of Android, which only what has a background throws: `elevation` is how far it is above what is behind it. */
const elevationShadow = (props: Fields): string => {
  const elevation = numberIn(props["elevation"]) ?? 0
  if (elevation <= 0 || (props["backgroundColor"] ?? undefined) === undefined) return ""
  const paint = props["shadowColor"] === undefined ? "#000" : color(props["shadowColor"])
  const part = (opacity: number): string => `color-mix(in srgb, ${paint} ${opacity}%, transparent)`
  return `0 ${elevation / 2}px ${elevation}px ${part(26)}, 0 0 ${elevation / 2}px ${part(12)}`
}

/** The shadow of iOS, which is a property for each of its parts. */
const platformShadow = (props: Fields): string => {
  if (isAndroid()) return elevationShadow(props)
  const opacity = numberIn(props["shadowOpacity"]) ?? 0
  if (opacity === 0) return ""
  const offset = fieldsIn(props["shadowOffset"])
  const [x, y] = [numberIn(offset["width"]) ?? 0, numberIn(offset["height"]) ?? -3]
  const paint = props["shadowColor"] === undefined ? "#000" : color(props["shadowColor"])
  const blur = (numberIn(props["shadowRadius"]) ?? 3) * 2
  return `${x}px ${y}px ${blur}px color-mix(in srgb, ${paint} ${Math.min(opacity, 1) * 100}%, transparent)`
}

const lengthOrZero = (text: string): string => (text === "" ? "0px" : text)

/** The shadow of a text in CSS. */
const textShadow = (props: Fields): string => {
  if (props["textShadowColor"] === undefined) return ""
  const offset = fieldsIn(props["textShadowOffset"])
  const lengths = [offset["width"], offset["height"], props["textShadowRadius"]]
  return `${lengths.map((each) => lengthOrZero(length(each))).join(" ")} ${color(props["textShadowColor"])}`
}

/** React Native's `filter` in CSS. */
const filter = (value: unknown): string =>
  textIn(value) ??
  listIn(value)
    .flatMap((one) => Object.entries(fieldsIn(one)))
    .map(([name, to]) => oneFilter(name, to))
    .join(" ")

const oneFilter = (name: string, value: unknown): string => {
  if (name === "dropShadow") {
    const one = fieldsIn(value)
    const lengths = [one["offsetX"], one["offsetY"], one["standardDeviation"]].map((each) => lengthOrZero(length(each)))
    return `drop-shadow(${lengths.join(" ")} ${color(one["color"] ?? "#000")})`
  }
  if (name === "blur") return `blur(${length(value)})`
  if (name === "hueRotate") return `hue-rotate(${typeof value === "number" ? `${value}deg` : angle(value)})`
  return `${name}(${String(value)})`
}

/** React Native's `backgroundImage` (`experimental_backgroundImage`) in CSS. */
const backgroundImage = (value: unknown): string => textIn(value) ?? listIn(value).map(fieldsIn).map(gradient).join()

const gradient = (value: Fields): string => {
  const stops = listIn(value["colorStops"])
    .map(fieldsIn)
    .map((stop) => {
      const at = [...listIn(stop["positions"]), stop["position"]].map(length).join(" ")
      return `${color(stop["color"])} ${at}`.trim()
    })
  if (/radial/.test(String(value["type"]))) {
    const size = textIn(value["size"]) ?? ""
    const place = Object.entries(fieldsIn(value["position"])).map(([edge, by]) => `${edge} ${length(by)}`)
    const shape = `${textIn(value["shape"]) ?? ""} ${size} ${place.length === 2 ? `at ${place.join(" ")}` : ""}`.trim()
    return `radial-gradient(${[...(shape === "" ? [] : [shape]), ...stops].join()})`
  }
  const direction = fieldsIn(value["direction"])
  const to = direction["value"]
  const head = to === undefined ? [] : [typeof to === "number" ? `${to}deg` : String(to)]
  return `linear-gradient(${[...head, ...stops].join()})`
}

/** A length in CSS: a number is one of points, a text stands as it is; `""` for none. */
const length = (value: unknown): string => {
  const points = numberIn(value)
  return points === undefined ? (textIn(value) ?? "") : `${points}px`
}

/** An angle in CSS: a number is one of radians. */
const angle = (value: unknown): string => {
  const radians = numberIn(value)
  return radians === undefined ? (textIn(value) ?? "0") : `${radians}rad`
}
