import { color } from "../style/color.ts"
import { fieldsIn, numberIn, textIn, type Fields } from "../runtime/decode.ts"
import { scale, screenSize } from "../runtime/device.ts"
import type { Component, Drawing } from "./Component.ts"
import { element } from "./element.ts"

interface Source {
  readonly uri: string
  readonly width: number | undefined
  readonly scale: number | undefined
}

const sourceIn = (value: unknown): ReadonlyArray<Source> => {
  const source = fieldsIn(value)
  const uri = textIn(source["uri"])
  return uri === undefined || uri === ""
    ? []
    : [{ uri, width: numberIn(source["width"]), scale: numberIn(source["scale"]) }]
}

/** Of several sources the narrowest that is wide enough. */
const chosen = (value: unknown): Source | undefined => {
  const sources = (Array.isArray(value) ? value : [value]).flatMap(sourceIn)
  const wanted = screenSize().width * scale()
  const wide = sources.filter(({ width = 0 }) => width * scale() >= wanted)
  return sources.length < 2 ? sources[0] : (wide[0] ?? sources.at(-1))
}

/** An image that could be loaded, and the address at which it was. */
export interface Loaded {
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

const sizes: Readonly<Record<string, string>> = {
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

/** An image: of the app's own files, of data, or of an address that the sandbox refuses. */
export const image: Component = (own): Drawing => {
  const pixels = element("pixels")
  const drawn = element("view picture", pixels)
  let uri: string | undefined
  let loaded: Loaded | undefined

  const draw = (): void => {
    const props = own.props()
    const { style } = pixels
    const address = loaded === undefined ? "" : `url(${JSON.stringify(loaded.place)})`
    const mode = textIn(props["resizeMode"]) ?? "cover"
    const fitted = sizes[mode]
    const by = chosen(props["source"])?.scale ?? 1
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
    own.emit("topLoadStart", {})
    try {
      const found = await loadImage(own.assetUrls(wanted))
      if (uri !== wanted) return
      loaded = found
      draw()
      const { naturalHeight, naturalWidth } = found.image
      own.emit("topLoad", { source: { uri: wanted, width: naturalWidth, height: naturalHeight } })
    } catch (error) {
      own.notes.absent(wanted)
      if (uri !== wanted) return
      const stand = chosen(props["defaultSource"])
      if (stand !== undefined && stand.uri !== wanted)
        loaded = await loadImage(own.assetUrls(stand.uri)).catch(() => undefined)
      draw()
      own.emit("topError", { error: error instanceof Error ? error.message : String(error) })
    }
    own.emit("topLoadEnd", {})
  }

  return {
    element: drawn,
    laidOut: () => {
      if (!((textIn(own.props()["resizeMode"]) ?? "cover") in sizes)) draw()
    },
    update: (props) => {
      const next = chosen(props["source"])?.uri
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
