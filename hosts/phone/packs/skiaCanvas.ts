/** Canvas 2D as Skia's canvas: its paints, effects, fonts, images and pictures. */
import { type Fields, functionIn, listIn, numberIn } from "../runtime/decode.ts"
import { systemFamily } from "../views/stylesheet.ts"
import { matrixIn, number, pointIn, type Rect, rectIn, SkiaMatrix, SkiaObject, SkiaPath } from "./skiaPath.ts"

type Context = OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D

const blendModes =
  "destination-out source-over destination source-over destination-over source-in destination-in source-out destination-out source-atop destination-atop xor lighter multiply screen overlay darken lighten color-dodge color-burn hard-light soft-light difference exclusion multiply hue saturation color luminosity".split(
    " "
  )
/** The names of the modes as properties have them, in the order of the modes. */
const blendNames =
  "clear src dst srcOver dstOver srcIn dstIn srcOut dstOut srcATop dstATop xor plus modulate screen overlay darken lighten colorDodge colorBurn hardLight softLight difference exclusion multiply hue saturation color luminosity".split(
    " "
  )
const caps = ["butt", "round", "square"] as const
const joins = ["miter", "round", "bevel"] as const

/** An enumeration's value by its number, or by its name. */
const oneOf = <A extends string>(list: ReadonlyArray<A>, value: unknown): A | undefined =>
  typeof value === "number" ? list[value] : list.find((one) => one === value)

let probe: Context | undefined
/** A context that draws nothing that is seen, to read colors and measure texts. */
const probeContext = (): Context => {
  probe ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true }) ?? undefined
  if (probe === undefined) throw new Error("The browser has no Canvas 2D.")
  return probe
}

type Color = readonly [red: number, green: number, blue: number, alpha: number]
const knownColors = new Map<string, Color>()

/** A color as fractions: of a text, a number or a list of fractions. */
export const colorIn = (value: unknown): Color => {
  if (typeof value === "number")
    return [((value >>> 16) & 255) / 255, ((value >>> 8) & 255) / 255, (value & 255) / 255, (value >>> 24) / 255]
  if (typeof value === "string") {
    const known = knownColors.get(value)
    if (known !== undefined) return known
    const context = probeContext()
    context.fillStyle = "#000"
    context.fillStyle = value
    const css = context.fillStyle
    const hex = /^#(..)(..)(..)$/
      .exec(css)
      ?.slice(1)
      .map((one) => Number.parseInt(one, 16))
    const [r = 0, g = 0, b = 0, a = 1] = hex ?? Array.from(css.matchAll(/[\d.]+/g), Number)
    const color: Color = [r / 255, g / 255, b / 255, a]
    knownColors.set(value, color)
    return color
  }
  const [red = 0, green = 0, blue = 0, alpha = 1] = Array.from(
    value instanceof Float32Array ? value : listIn(value),
    (one) => number(one)
  )
  return [red, green, blue, alpha]
}

export const cssOf = ([red, green, blue, alpha]: Color, opacity = 1): string =>
  `rgb(${red * 255} ${green * 255} ${blue * 255} / ${alpha * opacity})`

/** What a shader, a filter or an effect does to the context before a shape is drawn. */
export class Effect extends SkiaObject {
  readonly style: ((context: Context) => CanvasGradient | CanvasPattern | string | undefined) | undefined
  readonly filter: ((scale: number) => string) | undefined
  readonly dash: { readonly intervals: ReadonlyArray<number>; readonly phase: number } | undefined

  constructor(type: string, { dash, filter, style }: Partial<Pick<Effect, "style" | "filter" | "dash">> = {}) {
    super(type)
    this.style = style
    this.filter = filter
    this.dash = dash
  }
}

const gradient =
  (colors: unknown, positions: unknown, make: (context: Context) => CanvasGradient) =>
  (context: Context): CanvasGradient => {
    const made = make(context)
    const all = listIn(colors)
    all.forEach((color, index) => {
      const at = numberIn(listIn(positions)[index]) ?? (all.length < 2 ? 0 : index / (all.length - 1))
      made.addColorStop(Math.min(1, Math.max(0, at)), cssOf(colorIn(color)))
    })
    return made
  }

export const linear = (start: unknown, end: unknown, colors: unknown, positions: unknown): Effect => {
  const [from, to] = [pointIn(start), pointIn(end)]
  return new Effect("Shader", {
    style: gradient(colors, positions, (context) => context.createLinearGradient(from.x, from.y, to.x, to.y))
  })
}
export const conical = (
  start: unknown,
  startR: unknown,
  end: unknown,
  endR: unknown,
  colors: unknown,
  positions: unknown
) => {
  const [from, to] = [pointIn(start), pointIn(end)]
  return new Effect("Shader", {
    style: gradient(colors, positions, (context) =>
      context.createRadialGradient(from.x, from.y, Math.max(0, number(startR)), to.x, to.y, Math.max(0, number(endR)))
    )
  })
}
export const sweep = (x: unknown, y: unknown, from: unknown, colors: unknown, positions: unknown): Effect =>
  new Effect("Shader", {
    style: gradient(colors, positions, (context) =>
      context.createConicGradient((number(from) * Math.PI) / 180, number(x), number(y))
    )
  })
export const blur = (type: string, radius: number): Effect =>
  new Effect(type, { filter: (scale) => `blur(${radius * scale}px)` })
export const dropShadow = (dx: unknown, dy: unknown, radius: unknown, color: unknown): Effect =>
  new Effect("ImageFilter", {
    filter: (scale) =>
      `drop-shadow(${number(dx) * scale}px ${number(dy) * scale}px ${number(radius) * scale}px ${cssOf(colorIn(color))})`
  })

/** The colors, lines and effects of shapes. */
export class Paint extends SkiaObject {
  color: Color = [0, 0, 0, 1]
  isStroke = false
  width = 0
  cap: CanvasLineCap = "butt"
  join: CanvasLineJoin = "miter"
  miter = 4
  blend = "source-over"
  effects: Readonly<Record<string, Effect | null>> = {}

  constructor() {
    super("Paint")
  }

  assign(from: Paint): void {
    Object.assign(this, from)
  }

  copy(): Paint {
    const paint = new Paint()
    paint.assign(this)
    return paint
  }

  reset(): void {
    this.assign(new Paint())
  }

  private effect(name: string, value: unknown): void {
    this.effects = { ...this.effects, [name]: value instanceof Effect ? value : null }
  }

  getColor() {
    return Float32Array.from(this.color)
  }

  getAlphaf() {
    return this.color[3]
  }

  getStrokeWidth() {
    return this.width
  }

  getStrokeMiter() {
    return this.miter
  }

  getStrokeCap() {
    return caps.findIndex((one) => one === this.cap)
  }

  getStrokeJoin() {
    return joins.findIndex((one) => one === this.join)
  }

  setAlphaf(alpha: number): void {
    this.color = [this.color[0], this.color[1], this.color[2], alpha]
  }

  setColor(color: unknown): void {
    this.color = colorIn(color)
  }

  setAntiAlias(): void {}

  setDither(): void {}

  setStyle(style: unknown): void {
    this.isStroke = style === 1 || style === "stroke"
  }

  setStrokeWidth(width: number): void {
    this.width = width
  }

  setStrokeMiter(miter: number): void {
    this.miter = miter
  }

  setStrokeCap(cap: unknown): void {
    this.cap = oneOf(caps, cap) ?? "butt"
  }

  setStrokeJoin(join: unknown): void {
    this.join = oneOf(joins, join) ?? "miter"
  }

  setBlendMode(mode: unknown): void {
    const index = typeof mode === "number" ? mode : blendNames.indexOf(String(mode))
    this.blend = blendModes[index] ?? "source-over"
  }
  setShader(shader: unknown): void {
    this.effect("shader", shader)
  }

  setImageFilter(filter: unknown): void {
    this.effect("image", filter)
  }

  setMaskFilter(filter: unknown): void {
    this.effect("mask", filter)
  }

  setColorFilter(filter: unknown): void {
    this.effect("color", filter)
  }

  setPathEffect(effect: unknown): void {
    this.effect("path", effect)
  }

  /** The properties that an element has: others are inherited. */
  change(props: Fields): void {
    const { blendMode, color, opacity, strokeCap, strokeJoin, strokeMiter, strokeWidth, style } = props
    if (opacity !== undefined) this.setAlphaf(this.color[3] * number(opacity, 1))
    if (color !== undefined) {
      const [red, green, blue, alpha] = colorIn(color)
      this.color = [red, green, blue, alpha * this.color[3]]
    }
    if (strokeWidth !== undefined) this.width = number(strokeWidth)
    if (blendMode !== undefined) this.setBlendMode(blendMode)
    if (style !== undefined) this.setStyle(style)
    if (strokeJoin !== undefined) this.setStrokeJoin(strokeJoin)
    if (strokeCap !== undefined) this.setStrokeCap(strokeCap)
    if (strokeMiter !== undefined) this.miter = number(strokeMiter)
  }

  /** Sets up the context for a shape; whether it is stroked. */
  apply(context: Context): boolean {
    const { a, b } = context.getTransform()
    const scale = Math.hypot(a, b) || 1
    const { color, image, mask, path, shader } = this.effects
    context.globalAlpha *= shader?.style === undefined ? 1 : this.color[3]
    Reflect.set(context, "globalCompositeOperation", this.blend)
    const filters = [mask, image, color].flatMap((one) => one?.filter?.(scale) ?? [])
    if (filters.length > 0) context.filter = filters.join(" ")
    const style = shader?.style?.(context) ?? cssOf(this.color)
    context.fillStyle = context.strokeStyle = style
    context.lineWidth = this.width || 1 / scale
    context.lineCap = this.cap
    context.lineJoin = this.join
    context.miterLimit = this.miter
    context.setLineDash([...(path?.dash?.intervals ?? [])])
    context.lineDashOffset = -(path?.dash?.phase ?? 0) || 0
    return this.isStroke
  }
}

export class Image extends SkiaObject {
  readonly bitmap: ImageBitmap | OffscreenCanvas

  constructor(bitmap: ImageBitmap | OffscreenCanvas) {
    super("Image")
    this.bitmap = bitmap
  }

  width = () => this.bitmap.width
  height = () => this.bitmap.height
  getImageInfo = () => ({
    width: this.bitmap.width,
    height: this.bitmap.height,
    colorType: 4,
    alphaType: 2
  })
  makeNonTextureImage = () => this
  makeShaderOptions = (_x: unknown, _y: unknown, _filter: unknown, _mipmap: unknown, matrix: unknown) =>
    imageShader(this, matrixIn(matrix))
  makeShaderCubic = this.makeShaderOptions
}

export const imageShader = ({ bitmap }: Image, matrix: DOMMatrix): Effect =>
  new Effect("Shader", {
    style: (context) => {
      const pattern = context.createPattern(bitmap, "repeat")
      pattern?.setTransform(matrix)
      return pattern ?? undefined
    }
  })

export class Typeface extends SkiaObject {
  readonly family: string
  readonly style: Fields

  constructor(family: string, style: Fields = {}) {
    super("Typeface")
    this.family = family
    this.style = style
  }
}

export class Font extends SkiaObject {
  typeface: Typeface | undefined
  size: number

  constructor(typeface: unknown, size: unknown) {
    super("Font")
    this.typeface = typeface instanceof Typeface ? typeface : undefined
    this.size = number(size, 12)
  }

  get css(): string {
    const { family = systemFamily, style = {} } = this.typeface ?? {}
    return `${number(style["slant"]) > 0 ? "italic " : ""}${number(style["weight"], 400)} ${this.size}px "${family}", sans-serif`
  }

  private measure(text: string): TextMetrics {
    const context = probeContext()
    context.font = this.css
    return context.measureText(text)
  }

  getSize = () => this.size
  setSize = (size: number): void => void (this.size = size)
  getTypeface = () => this.typeface ?? null
  getTextWidth = (text: unknown) => this.measure(String(text)).width
  measureText = (text: unknown): Rect => {
    const { actualBoundingBoxAscent: up, actualBoundingBoxDescent: down, width } = this.measure(String(text))
    return { x: 0, y: -up, width, height: up + down }
  }
  getMetrics = () => {
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = this.measure("x")
    return { ascent: -up, descent: down, leading: 0 }
  }
  // The glyphs of this phone are code points.
  getGlyphIDs = (text: unknown) => Array.from(String(text), (one) => one.codePointAt(0) ?? 0)
  getGlyphWidths = (glyphs: unknown) =>
    listIn(glyphs).map((one) => this.measure(String.fromCodePoint(number(one))).width)
}

/** The setters of a font that change nothing that is seen. */
for (const name of "Edging EmbeddedBitmaps Hinting LinearMetrics ScaleX SkewX Embolden Subpixel Typeface".split(" "))
  Reflect.set(Font.prototype, `set${name}`, () => {})

export class TextBlob extends SkiaObject {
  readonly font: Font
  readonly glyphs: ReadonlyArray<{ readonly text: string; readonly x: number; readonly y: number }>

  constructor(font: Font, glyphs: TextBlob["glyphs"]) {
    super("TextBlob")
    this.font = font
    this.glyphs = glyphs
  }
}

/** What is drawn later, or more than once. */
export class Picture extends SkiaObject {
  draw: (canvas: Canvas) => void = () => {}

  constructor() {
    super("Picture")
  }
}

/** Draws shapes as Skia's canvas does. */
export class Canvas extends SkiaObject {
  private context: Context
  private readonly stack: Array<{ readonly below?: Context; readonly paint?: Paint | undefined }> = []
  readonly unsupported: (name: string) => void

  constructor(context: Context, unsupported: (name: string) => void) {
    super("Canvas")
    this.context = context
    this.unsupported = unsupported
  }

  private paint(paint: unknown, draw: (context: Context, isStroke: boolean) => void): void {
    const { context } = this
    context.save()
    const isStroke = (paint instanceof Paint ? paint : new Paint()).apply(context)
    draw(context, isStroke)
    context.restore()
  }

  private shape(path: SkiaPath, paint: unknown, isStroked = false): void {
    const shape = path.path2d()
    this.paint(paint, (context, isStroke) => {
      if (isStroke || isStroked) context.stroke(shape)
      else context.fill(shape, path.fillType % 2 === 1 ? "evenodd" : "nonzero")
    })
  }

  drawPaint(paint: unknown): void {
    this.paint(paint, (context) => {
      const inverse = context.getTransform().inverse()
      context.transform(inverse.a, inverse.b, inverse.c, inverse.d, inverse.e, inverse.f)
      // A gradient stays where it is.
      if (typeof context.fillStyle !== "string") context.setTransform(inverse.inverse())
      context.fillRect(-1e5, -1e5, 2e5, 2e5)
    })
  }

  drawColor(color: unknown): void {
    const paint = new Paint()
    paint.setColor(color)
    this.drawPaint(paint)
  }

  clear(color: unknown): void {
    const { context } = this
    context.save()
    context.resetTransform()
    context.clearRect(0, 0, context.canvas.width, context.canvas.height)
    context.restore()
    this.drawColor(color)
  }

  drawRect = (rect: unknown, paint: unknown): void => this.shape(new SkiaPath().addRect(rect), paint)
  drawRRect = (rrect: unknown, paint: unknown): void => this.shape(new SkiaPath().addRRect(rrect), paint)
  drawOval = (oval: unknown, paint: unknown): void => this.shape(new SkiaPath().addOval(oval), paint)
  drawCircle = (x: number, y: number, r: number, paint: unknown): void =>
    this.shape(new SkiaPath().addCircle(x, y, r), paint)
  drawLine = (x1: number, y1: number, x2: number, y2: number, paint: unknown): void =>
    this.shape(new SkiaPath().moveTo(x1, y1).lineTo(x2, y2), paint, true)
  drawDRRect = (outer: unknown, inner: unknown, paint: unknown): void =>
    this.shape(new SkiaPath().addRRect(outer).addRRect(inner).setFillType(1), paint)
  drawArc = (oval: unknown, start: number, swept: number, isWedge: boolean, paint: unknown): void => {
    const { height, width, x, y } = rectIn(oval)
    const path = new SkiaPath()
    if (isWedge)
      path
        .moveTo(x + width / 2, y + height / 2)
        .arcToOval(oval, start, swept, false)
        .close()
    else path.addArc(oval, start, swept)
    this.shape(path, paint)
  }
  drawPath = (path: unknown, paint: unknown): void => {
    if (path instanceof SkiaPath) this.shape(path, paint)
  }
  drawPoints = (mode: unknown, points: unknown, paint: unknown): void => {
    const all = listIn(points).map(pointIn)
    const path = new SkiaPath()
    all.forEach(({ x, y }, index) => {
      const isNew =
        mode === 0 || mode === "points" || ((mode === 1 || mode === "lines") && index % 2 === 0) || index === 0
      if (isNew) path.moveTo(x, y)
      if (mode === 0 || mode === "points" || !isNew) path.lineTo(x, y)
    })
    this.shape(path, paint, true)
  }
  drawText = (text: unknown, x: number, y: number, paint: unknown, font: unknown): void => {
    if (font instanceof Font) this.drawTextBlob(new TextBlob(font, [{ text: String(text), x: 0, y: 0 }]), x, y, paint)
  }
  drawTextBlob = (blob: unknown, x: number, y: number, paint: unknown): void => {
    if (!(blob instanceof TextBlob)) return
    this.paint(paint, (context, isStroke) => {
      context.font = blob.font.css
      for (const { text, x: dx, y: dy } of blob.glyphs) {
        if (isStroke) context.strokeText(text, x + dx, y + dy)
        else context.fillText(text, x + dx, y + dy)
      }
    })
  }
  drawGlyphs = (glyphs: unknown, positions: unknown, x: number, y: number, font: unknown, paint: unknown): void => {
    if (!(font instanceof Font)) return
    const all = listIn(glyphs).map((glyph, index) => ({
      text: String.fromCodePoint(number(glyph)),
      ...pointIn(listIn(positions)[index])
    }))
    this.drawTextBlob(new TextBlob(font, all), x, y, paint)
  }
  drawImage = (image: unknown, x: number, y: number, paint: unknown): void => {
    if (!(image instanceof Image)) return
    this.paint(paint, (context) => context.drawImage(image.bitmap, x, y))
  }
  drawImageCubic = (image: unknown, x: number, y: number, _b: unknown, _c: unknown, paint: unknown): void =>
    this.drawImage(image, x, y, paint)
  drawImageOptions = this.drawImageCubic
  drawImageRect = (image: unknown, from: unknown, to: unknown, paint: unknown): void => {
    if (!(image instanceof Image)) return
    const [source, target] = [rectIn(from), rectIn(to)]
    this.paint(paint, (context) =>
      context.drawImage(
        image.bitmap,
        ...([source.x, source.y, source.width, source.height] as const),
        ...([target.x, target.y, target.width, target.height] as const)
      )
    )
  }
  drawImageRectCubic = (image: unknown, from: unknown, to: unknown, _b: unknown, _c: unknown, paint: unknown): void =>
    this.drawImageRect(image, from, to, paint)
  drawImageRectOptions = this.drawImageRectCubic
  drawPicture = (picture: unknown): void => {
    if (picture instanceof Picture) picture.draw(this)
  }

  save(): number {
    this.context.save()
    return this.stack.push({})
  }

  /** What is drawn until `restore` is drawn with the paint then. */
  saveLayer(paint?: unknown): number {
    const below = this.context
    below.save()
    const context = new OffscreenCanvas(below.canvas.width, below.canvas.height).getContext("2d")
    if (context === null) return this.stack.push({})
    context.setTransform(below.getTransform())
    this.context = context
    return this.stack.push({ below, paint: paint instanceof Paint ? paint.copy() : undefined })
  }

  restore(): void {
    const { below, paint } = this.stack.pop() ?? {}
    if (below !== undefined) {
      const { canvas } = this.context
      const scale = Math.hypot(below.getTransform().a, below.getTransform().b)
      this.context = below
      below.save()
      paint?.apply(below)
      // The paint's filters are of the size of what they are applied to.
      if (paint !== undefined) below.globalAlpha = paint.getAlphaf()
      below.resetTransform()
      if (scale > 0) below.drawImage(canvas, 0, 0)
      below.restore()
    }
    this.context.restore()
  }

  restoreToCount(count: number): void {
    while (this.stack.length >= Math.max(1, count)) this.restore()
  }

  getSaveCount = () => this.stack.length + 1
  translate = (x: number, y: number): void => this.context.translate(x, y)
  scale = (x: number, y = x): void => this.context.scale(x, y)
  skew = (x: number, y: number): void => this.context.transform(1, y, x, 1, 0, 0)
  rotate = (angle: number, x = 0, y = 0): void => {
    this.context.translate(x, y)
    this.context.rotate((angle * Math.PI) / 180)
    this.context.translate(-x, -y)
  }
  concat = (matrix: unknown): void => {
    const { a, b, c, d, e, f } = matrixIn(matrix)
    this.context.transform(a, b, c, d, e, f)
  }
  getTotalMatrix = () => {
    const { a, b, c, d, e, f } = this.context.getTransform()
    return new SkiaMatrix([a, c, e, b, d, f, 0, 0, 1])
  }
  clipPath = (path: unknown, operation: unknown): void => {
    if (!(path instanceof SkiaPath)) return
    const clip = path.path2d()
    // The first operation leaves out what is within the path.
    if (operation === 0) clip.rect(-1e5, -1e5, 2e5, 2e5)
    this.context.clip(clip, operation === 0 || path.fillType % 2 === 1 ? "evenodd" : "nonzero")
  }
  clipRect = (rect: unknown, operation: unknown): void => this.clipPath(new SkiaPath().addRect(rect), operation)
  clipRRect = (rrect: unknown, operation: unknown): void => this.clipPath(new SkiaPath().addRRect(rrect), operation)
}

for (const name of "drawVertices drawPatch drawAtlas drawSvg drawImageNine readPixels drawTextPath drawParagraph drawSkottie".split(
  " "
))
  Reflect.set(Canvas.prototype, name, function (this: Canvas) {
    this.unsupported(name)
  })

/** A copy of what an app changes after it has passed it. */
const copied = (value: unknown): unknown =>
  value instanceof Paint || value instanceof SkiaPath ? value.copy() : Array.isArray(value) ? [...value] : value

/** Records the calls of a canvas, for a picture. */
export class PictureRecorder extends SkiaObject {
  calls: Array<readonly [name: string, values: ReadonlyArray<unknown>]> = []

  constructor() {
    super("PictureRecorder")
  }

  beginRecording = (): object => {
    const { calls } = this
    let depth = 1
    return new Proxy(
      {},
      {
        get: (_, name) =>
          typeof name !== "string" || name === "then"
            ? undefined
            : (...values: ReadonlyArray<unknown>) => {
                calls.push([name, values.map(copied)])
                if (name === "save" || name === "saveLayer") return depth++
                if (name === "restore") depth--
                return name === "getSaveCount" ? depth : undefined
              }
      }
    )
  }

  finishRecordingAsPicture = (): Picture => {
    const { calls } = this
    this.calls = []
    const picture = new Picture()
    picture.draw = (canvas) => {
      for (const [name, values] of calls) functionIn(Reflect.get(canvas, name))?.apply(canvas, [...values])
    }
    return picture
  }
}
