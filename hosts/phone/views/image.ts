/** Images, gradients and blurs. */
import { type Fields, fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { scale, screenSize } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { type Box, type Component, type Drawing, element } from "./Component.ts"

/** An image: of the app's own files, of data, or of an address that the sandbox refuses. */
export const image: Component = (context): Drawing => {
  const pixels = element("pixels")
  const drawn = element("view picture", pixels)
  let uri: string | undefined
  let loaded: Loaded | undefined

  const draw = (): void => {
    const props = context.props()
    const { style } = pixels
    const address = loaded === undefined ? "" : `url(${JSON.stringify(loaded.place)})`
    const mode = textIn(props["resizeMode"]) ?? "cover"
    const fitted = fittedSizes[mode]
    const by = chosenSource(sourceOf(props))?.scale ?? 1
    const size =
      fitted ?? (loaded === undefined ? "auto" : ownSize(loaded, by, mode === "center", drawn.getBoundingClientRect()))
    const repeat = mode === "repeat" ? "repeat" : "no-repeat"
    const isTinted = props["tintColor"] !== undefined && props["tintColor"] !== null && loaded !== undefined
    style.backgroundImage = isTinted ? "" : address
    style.backgroundSize = size
    style.backgroundRepeat = repeat
    style.backgroundPosition = mode === "repeat" || mode === "none" ? "0 0" : "50%"
    const caps = capsOf(props["capInsets"])
    const isCapped = caps.some((cap) => cap > 0) && loaded !== undefined
    style.borderStyle = isCapped ? "solid" : ""
    style.borderWidth = isCapped ? caps.map((cap) => `${cap}px`).join(" ") : ""
    style.borderImage = isCapped ? `${address} ${caps.map((cap) => cap * by).join(" ")} fill` : ""
    if (isCapped) style.backgroundImage = ""
    style.backgroundColor = isTinted ? color(props["tintColor"]) : ""
    style.mask = isTinted ? `${address} ${repeat} 50% / ${size}` : ""
    const blur = numberIn(props["blurRadius"]) ?? 0
    style.filter = blur > 0 ? `blur(${blur / 2}px)` : ""
  }

  const load = async (props: Fields): Promise<void> => {
    const wanted = uri
    if (wanted === undefined) return
    context.emit("topLoadStart", {})
    try {
      const nextImage = await loadImage(context.assetUrls(wanted))
      if (uri !== wanted) return
      loaded = nextImage
      draw()
      const { naturalHeight, naturalWidth } = nextImage.image
      context.emit("topLoad", { source: { uri: wanted, width: naturalWidth, height: naturalHeight } })
    } catch (error) {
      context.notes.absent(wanted)
      if (uri !== wanted) return
      const stand = chosenSource(props["defaultSource"])
      if (stand !== undefined && stand.uri !== wanted)
        loaded = await loadImage(context.assetUrls(stand.uri)).catch(() => undefined)
      draw()
      context.emit("topError", { error: error instanceof Error ? error.message : String(error) })
    }
    context.emit("topLoadEnd", {})
  }

  return {
    element: drawn,
    laidOut: () => {
      if (!((textIn(context.props()["resizeMode"]) ?? "cover") in fittedSizes)) draw()
    },
    update: (props) => {
      const next = chosenSource(sourceOf(props))?.uri
      if (next === uri) {
        draw()
        return
      }
      uri = next
      loaded = undefined
      draw()
      void load(props)
    }
  }
}

interface Source {
  readonly uri: string
  readonly width: number | undefined
  readonly scale: number | undefined
}

/** What an image shows; older versions for Android have another name for it. */
const sourceOf = (props: Fields): unknown => props["source"] ?? props["src"]

/** Of several sources the narrowest that is wide enough. */
const chosenSource = (value: unknown): Source | undefined => {
  const sources = (Array.isArray(value) ? value : [value]).flatMap(sourceIn)
  const wanted = screenSize().width * scale()
  const wide = sources.filter(({ width = 0 }) => width * scale() >= wanted)
  return sources.length < 2 ? sources[0] : (wide[0] ?? sources.at(-1))
}

const sourceIn = (value: unknown): ReadonlyArray<Source> => {
  const source = fieldsIn(value)
  const uri = textIn(value) ?? textIn(source["uri"])
  return uri === undefined || uri === ""
    ? []
    : [{ uri, width: numberIn(source["width"]), scale: numberIn(source["scale"]) }]
}

const fittedSizes: Readonly<Record<string, string>> = {
  cover: "cover",
  contain: "contain",
  stretch: "100% 100%"
}

/** The size at which an image is drawn that isn't fitted. */
const ownSize = (loaded: Loaded, by: number, isCentred: boolean, room: DOMRect): string => {
  const [width, height] = [loaded.image.naturalWidth / by, loaded.image.naturalHeight / by]
  // `center` never enlarges, and shrinks what is too large.
  const fit = isCentred && room.width > 0 ? Math.min(1, room.width / width, room.height / height) : 1
  return `${width * fit}px ${height * fit}px`
}

/** How wide the edges of a picture are that aren't stretched: top, right, bottom, left. */
const capsOf = (value: unknown): ReadonlyArray<number> =>
  ["top", "right", "bottom", "left"].map((side) => numberIn(fieldsIn(value)[side]) ?? 0)

/** An image that could be loaded, and the address at which it was. */
interface Loaded {
  readonly image: HTMLImageElement
  readonly place: string
}

/** Loads an image from the first of these addresses that has one. */
export const loadImage = async (places: ReadonlyArray<string>): Promise<Loaded> => {
  let why: unknown
  for (const place of places) {
    const image = new Image()
    image.src = place
    try {
      await image.decode()
      return { image, place }
    } catch (error) {
      why = error
    }
  }
  throw new Error(`${places.at(-1) ?? "The image"} could not be loaded.`, { cause: why })
}

/** A view that is filled with a gradient: Expo's, and react-native-linear-gradient. */
export const linearGradient: Component = (context) => {
  const drawn = element("view")
  let size = { width: 1, height: 1 }
  const draw = (): void => {
    drawn.style.backgroundImage = gradientText(context.props(), size)
  }
  return {
    element: drawn,
    update: draw,
    laidOut: (box) => {
      size = box
      draw()
    }
  }
}

/**
 * A gradient between two points of a box, in CSS, which has it run through the middle at an angle: the places of the
 * colours are moved along that line.
 */
const gradientText = (props: Fields, { height, width }: Pick<Box, "height" | "width">): string => {
  const [startX, startY] = pointIn(props["startPoint"] ?? props["start"], 0.5, 0)
  const [endX, endY] = pointIn(props["endPoint"] ?? props["end"], 0.5, 1)
  if (props["useAngle"] === true) {
    const stops = listIn(props["colors"]).map((one, n) => [color(one), stopIn(listIn(props["locations"])[n])].join(" "))
    return `linear-gradient(${numberIn(props["angle"]) ?? 45}deg, ${stops.join()})`
  }
  const [x, y] = [(endX - startX) * width, (endY - startY) * height]
  const length = Math.max(0.001, Math.hypot(x, y))
  const [alongX, alongY] = [x / length, y / length]
  const whole = Math.abs(width * alongX) + Math.abs(height * alongY)
  const from = (startX - 0.5) * width * alongX + (startY - 0.5) * height * alongY + whole / 2
  const colors = listIn(props["colors"])
  const places = listIn(props["locations"]).map(Number)
  const stops = colors.map((one, n) => {
    const at = places[n] ?? n / Math.max(1, colors.length - 1)
    return `${color(one)} ${from + at * length}px`
  })
  return `linear-gradient(${Math.atan2(alongX, -alongY)}rad, ${stops.join()})`
}

const pointIn = (value: unknown, x: number, y: number): readonly [number, number] => {
  const [first, second] = Array.isArray(value) ? value : [fieldsIn(value)["x"], fieldsIn(value)["y"]]
  return [numberIn(first) ?? x, numberIn(second) ?? y]
}

const stopIn = (value: unknown): string => (numberIn(value) === undefined ? "" : `${Number(value) * 100}%`)

/** What is behind it, blurred. */
export const blur: Component = (context) => {
  const drawn = element("view")
  return {
    element: drawn,
    update: () => {
      const props = context.props()
      const strength = numberIn(props["intensity"]) ?? numberIn(props["blurAmount"]) ?? 50
      const isDark = /dark/i.test(textIn(props["tint"]) ?? textIn(props["blurType"]) ?? "")
      drawn.style.backdropFilter = `blur(${strength / 5}px)`
      drawn.style.backgroundColor = isDark ? `rgb(0 0 0/${strength / 200})` : `rgb(255 255 255/${strength / 200})`
    }
  }
}
