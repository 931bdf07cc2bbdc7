/** @shopify/react-native-skia, drawn by Canvas 2D. What that lacks, such as shaders of SkSL, labels the canvas. */
import type { Host, Pack } from "../modules/Host.ts"
import { type Fields, fieldsIn, listIn, textIn } from "../runtime/decode.ts"
import { type Component, element } from "../views/Component.ts"
import { systemFamily } from "../views/stylesheet.ts"
import { labelled } from "../views/view.ts"
import {
  blur,
  Canvas,
  colorIn,
  conical,
  cssOf,
  dropShadow,
  Effect,
  Font,
  Image,
  linear,
  Paint,
  Picture,
  PictureRecorder,
  sweep,
  TextBlob,
  Typeface
} from "./skiaCanvas.ts"
import { measured, number, pathOfCommands, SkiaMatrix, SkiaObject, SkiaPath } from "./skiaPath.ts"
import { pathIn, recorderOf } from "./skiaRecorder.ts"

interface View {
  readonly redraw: () => void
  readonly canvas: HTMLCanvasElement
}

const views = new Map<string, View>()
const pictures = new Map<string, unknown>()
let fontCount = 0

/** `Skia`, and the interface of its views. */
const makeApi = (host: Host) => {
  const { assetUrls, notes } = host
  const unsupported = (name: string): void => notes.missing("component", `Skia ${name}`)
  const missing = (name: string): null => {
    notes.missing("method", `Skia.${name}`)
    return null
  }
  /** A method that is reported when it is called, and so are its own members. */
  const absent = (name: string): object =>
    new Proxy(() => {}, {
      apply: () => missing(name),
      get: (target, key) =>
        typeof key !== "string" || key in target || key === "then" || key === "toJSON"
          ? Reflect.get(target, key)
          : absent(`${name}.${key}`)
    })
  /** An object whose other members are absent. Worklets share what has every key, as they do host objects. */
  const partly = (name: string, members: Fields): object =>
    new Proxy(
      { ...members },
      {
        get: (target, key) =>
          typeof key !== "string" || key in target || key === "then" || key === "toJSON"
            ? Reflect.get(target, key)
            : absent(`${name}${key}`),
        has: () => true
      }
    )
  const effect = (type: string, options?: ConstructorParameters<typeof Effect>[1]) => new Effect(type, options)
  const dataOf = async (bytes: Uint8Array<ArrayBuffer>) =>
    Object.assign(new SkiaObject("Data"), {
      bytes,
      // An image is made of it at once.
      bitmap: await createImageBitmap(new Blob([bytes])).catch(() => undefined)
    })
  const imageOf = (data: unknown): Image | null => {
    const { bitmap } = fieldsIn(data)
    return bitmap instanceof ImageBitmap ? new Image(bitmap) : null
  }
  const surfaceOf = (width: number, height: number) => {
    const canvas = new OffscreenCanvas(Math.max(1, Math.ceil(width)), Math.max(1, Math.ceil(height)))
    const context = canvas.getContext("2d")
    if (context === null) return null
    const drawn = new Canvas(context, unsupported)
    const copy = (): Image => {
      const still = new OffscreenCanvas(canvas.width, canvas.height)
      still.getContext("2d")?.drawImage(canvas, 0, 0)
      return new Image(still)
    }
    return Object.assign(new SkiaObject("Surface"), {
      getCanvas: () => drawn,
      flush: () => {},
      width: () => canvas.width,
      height: () => canvas.height,
      makeImageSnapshot: copy
    })
  }
  const typefaceOf = (family: unknown, style: unknown) => new Typeface(textIn(family) ?? systemFamily, fieldsIn(style))
  const fonts = {
    countFamilies: () => 1,
    getFamilyName: () => systemFamily,
    matchFamilyStyle: typefaceOf
  }
  const pathFactory = {
    Make: () => new SkiaPath(),
    MakeFromSVGString: (text: unknown) => new SkiaPath(String(text)),
    MakeFromCmds: pathOfCommands,
    Rect: (rect: unknown) => new SkiaPath().addRect(rect),
    Oval: (rect: unknown) => new SkiaPath().addOval(rect),
    Circle: (x: number, y: number, r: number) => new SkiaPath().addCircle(x, y, r),
    RRect: (rrect: unknown) => new SkiaPath().addRRect(rrect),
    Line: (from: unknown, to: unknown) => new SkiaPath().addPoly([from, to], false),
    Polygon: (points: unknown, isClosed: boolean) => new SkiaPath().addPoly(points, isClosed),
    Trim: (path: unknown, start: number, end: number, isComplement: boolean) =>
      pathIn(path).copy().trim(start, end, isComplement),
    AsWinding: (path: unknown) => pathIn(path).copy(),
    Interpolate: (from: unknown, to: unknown, weight: number) => pathIn(from).interpolate(to, weight)
  }
  const shaders = {
    MakeLinearGradient: linear,
    MakeRadialGradient: (c: unknown, r: unknown, colors: unknown, positions: unknown) =>
      conical(c, 0, c, r, colors, positions),
    MakeTwoPointConicalGradient: conical,
    MakeSweepGradient: (x: unknown, y: unknown, colors: unknown, positions: unknown, ...rest: ReadonlyArray<unknown>) =>
      sweep(x, y, rest[3], colors, positions),
    MakeColor: (color: unknown) => effect("Shader", { style: () => cssOf(colorIn(color)) })
  }
  const measuring = (path: unknown) => {
    const all = pathIn(path).contours().map(measured)
    return Object.assign(new SkiaObject("ContourMeasureIter"), {
      next: () => {
        const contour = all.shift()
        if (contour === undefined) return null
        return Object.assign(new SkiaObject("ContourMeasure"), {
          length: () => contour.length,
          isClosed: () => false,
          getPosTan: (distance: number) => {
            const { tangent, ...position } = contour.pointAt(distance)
            return [position, tangent]
          },
          getSegment: (from: number, to: number) => new SkiaPath(contour.between(from, to))
        })
      }
    })
  }
  const api = partly("", {
    Point: (x: number, y: number) => ({ x, y }),
    XYWHRect: (x: number, y: number, width: number, height: number) => ({
      x,
      y,
      width,
      height,
      setXYWH(...[nx, ny, w, h]: ReadonlyArray<number>) {
        Object.assign(this, { x: nx, y: ny, width: w, height: h })
      }
    }),
    RRectXY: (rect: unknown, rx: number, ry: number) => ({ rect, rx, ry }),
    Color: (value: unknown) => Float32Array.from(colorIn(value)),
    Paint: () => new Paint(),
    Matrix: (from?: unknown) => new SkiaMatrix(from),
    PictureRecorder: () => new PictureRecorder(),
    Picture: partly("Picture.", { MakePicture: () => new Picture() }),
    Recorder: () => recorderOf(),
    Path: partly("Path.", pathFactory),
    PathBuilder: partly("PathBuilder.", {
      Make: () => new SkiaPath(),
      MakeFromPath: (path: unknown) => pathIn(path).copy()
    }),
    ContourMeasureIter: measuring,
    Font: (typeface: unknown, size: unknown) => new Font(typeface, size),
    FontMgr: { System: () => fonts },
    Typeface: {
      MakeFreeTypeFaceFromData: (data: unknown) => {
        const { bytes } = fieldsIn(data)
        if (!(bytes instanceof Uint8Array)) return null
        const font = new FontFace(`Skia ${++fontCount}`, bytes.slice().buffer)
        font.load().then(
          () => {
            document.fonts.add(font)
            for (const { redraw } of views.values()) redraw()
          },
          () => notes.line("A font of Skia could not be loaded.")
        )
        return new Typeface(font.family.replaceAll('"', ""))
      }
    },
    TypefaceFontProvider: {
      Make: () => {
        const all = new Map<string, unknown>()
        return {
          registerFont: (typeface: unknown, family: unknown) => all.set(String(family), typeface),
          countFamilies: () => all.size,
          getFamilyName: (index: number) => [...all.keys()][index],
          matchFamilyStyle: (family: unknown, style: unknown) => all.get(String(family)) ?? typefaceOf(family, style)
        }
      }
    },
    Data: {
      fromURI: async (uri: unknown) => {
        for (const place of assetUrls(String(uri))) {
          const response = await fetch(place).catch(() => undefined)
          if (response?.ok === true) return dataOf(new Uint8Array(await response.arrayBuffer()))
        }
        notes.absent(String(uri))
        throw new Error(`${String(uri)} could not be loaded.`)
      },
      fromBytes: (bytes: unknown) => Object.assign(new SkiaObject("Data"), { bytes }),
      fromBase64: (text: unknown) =>
        Object.assign(new SkiaObject("Data"), { bytes: Uint8Array.fromBase64(String(text)) })
    },
    Image: partly("Image.", { MakeImageFromEncoded: imageOf, MakeNull: () => null }),
    Shader: partly("Shader.", shaders),
    MaskFilter: {
      MakeBlur: (_style: unknown, radius: unknown) => blur("MaskFilter", number(radius))
    },
    PathEffect: partly("PathEffect.", {
      MakeDash: (intervals: unknown, phase: unknown) =>
        effect("PathEffect", {
          dash: { intervals: listIn(intervals).map((one) => number(one)), phase: number(phase) }
        })
    }),
    ImageFilter: partly("ImageFilter.", {
      MakeBlur: (x: unknown) => blur("ImageFilter", number(x)),
      MakeDropShadow: (dx: unknown, dy: unknown, x: unknown, _y: unknown, color: unknown) =>
        dropShadow(dx, dy, x, color)
    }),
    ColorFilter: partly("ColorFilter.", {}),
    TextBlob: {
      MakeFromText: (text: unknown, font: Font) => new TextBlob(font, [{ text: String(text), x: 0, y: 0 }])
    },
    Surface: { Make: surfaceOf, MakeOffscreen: surfaceOf },
    RuntimeEffect: { Make: () => Object.assign(effect("RuntimeEffect"), runtimeEffect(missing)) }
  })
  const viewApi = {
    setJsiProperty: (id: unknown, name: unknown, value: unknown): void => {
      if (name !== "picture" && name !== "recorder") return
      pictures.set(String(id), name === "recorder" ? fieldsIn(value)["picture"] : value)
      views.get(String(id))?.redraw()
    },
    requestRedraw: (id: unknown) => views.get(String(id))?.redraw(),
    // The present values are read when it is drawn.
    applyUpdates: (id: unknown) => views.get(String(id))?.redraw(),
    size: (id: unknown) => {
      const canvas = views.get(String(id))?.canvas
      return { width: canvas?.clientWidth ?? 0, height: canvas?.clientHeight ?? 0 }
    },
    makeImageSnapshot: (id: unknown) => {
      const canvas = views.get(String(id))?.canvas
      const still = new OffscreenCanvas(Math.max(1, canvas?.width ?? 1), Math.max(1, canvas?.height ?? 1))
      if (canvas !== undefined) still.getContext("2d")?.drawImage(canvas, 0, 0)
      return new Image(still)
    }
  }
  return {
    api,
    viewApi: partly("SkiaViewApi.", {
      ...viewApi,
      makeImageSnapshotAsync: async (id: unknown) => viewApi.makeImageSnapshot(id)
    })
  }
}

/** The parts of a program of SkSL that apps read; it can't run here. */
const runtimeEffect = (missing: (name: string) => null) => ({
  source: () => "",
  getUniformCount: () => 0,
  getUniformName: () => "",
  makeShader: () => missing("RuntimeEffect.makeShader"),
  makeShaderWithChildren: () => missing("RuntimeEffect.makeShaderWithChildren")
})

const pictureView: Component = ({ notes, props }) => {
  const canvas = document.createElement("canvas")
  canvas.style.cssText = "position:absolute;inset:0;width:100%;height:100%"
  const root = element("view", canvas)
  const labels = new Set<string>()
  let id = ""
  let frame = 0
  let size = { width: 0, height: 0 }
  const unsupported = (name: string): void => {
    notes.missing("component", `Skia ${name}`)
    if (labels.has(name)) return
    labels.add(name)
    const label = labelled(`Skia ${name}`)
    label.classList.add("filled")
    label.style.inset = "0"
    root.append(label)
  }
  const draw = (): void => {
    frame = 0
    const context = canvas.getContext("2d")
    const picture = pictures.get(id)
    if (context === null || size.width === 0 || size.height === 0) return
    const scale = Math.max(1, window.devicePixelRatio)
    canvas.width = Math.round(size.width * scale)
    canvas.height = Math.round(size.height * scale)
    context.setTransform(scale, 0, 0, scale, 0, 0)
    if (picture instanceof Picture) picture.draw(new Canvas(context, unsupported))
  }
  const redraw = (): void => {
    if (frame === 0) frame = requestAnimationFrame(draw)
  }
  const leave = (): void => {
    views.delete(id)
    pictures.delete(id)
  }
  return {
    element: root,
    update: () => {
      const next = textIn(props()["nativeID"]) ?? ""
      if (next === id) return
      if (id !== "") leave()
      id = next
      views.set(id, { canvas, redraw })
      redraw()
    },
    laidOut: (box) => {
      size = box
      redraw()
    },
    unmounted: () => {
      cancelAnimationFrame(frame)
      leave()
    }
  }
}

const skia: Pack = {
  components: { SkiaPictureView: pictureView },
  modules: (host) => ({
    RNSkiaModule: {
      install: () => {
        const { api, viewApi } = makeApi(host)
        host.app["SkiaApi"] = api
        host.app["SkiaViewApi"] = viewApi
        return true
      }
    }
  })
}

/** Provides the pack for `loadSkia`. A script of its own calls this, which is loaded before an app that needs it runs. */
export const provideSkia = (): void => {
  window.skiaPack = skia
}
