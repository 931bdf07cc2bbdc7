/** The elements of a canvas of Skia, which are recorded and drawn with the present values of their properties. */
import { type Fields, fieldsIn, listIn, numberIn } from "../runtime/decode.ts"
import {
  blur,
  Canvas,
  colorIn,
  conical,
  cssOf,
  dropShadow,
  Effect,
  Image,
  imageShader,
  linear,
  Paint,
  Picture,
  sweep
} from "./skiaCanvas.ts"
import { number, pointIn, radiiIn, type Rect, rectIn, SkiaObject, SkiaPath, transformIn } from "./skiaPath.ts"

const isShared = (value: unknown): boolean => fieldsIn(value)["_isReanimatedSharedValue"] === true

/** Properties with the present values of shared ones. */
const present = (props: unknown): Fields =>
  Object.fromEntries(
    Object.entries(fieldsIn(props)).map(([name, value]) => {
      if (isShared(value)) return [name, fieldsIn(value)["value"]]
      const { __key: key, __sv: shared } = fieldsIn(value)
      return [name, isShared(shared) ? fieldsIn(fieldsIn(shared)["value"])[String(key)] : value]
    })
  )

export const pathIn = (value: unknown): SkiaPath =>
  value instanceof SkiaPath ? value : new SkiaPath(typeof value === "string" ? value : undefined)

/** Where an image is drawn, as CSS's `object-fit` has it. */
const fitted = (fit: unknown, { height, width }: Rect, to: Rect): readonly [from: Rect, to: Rect] => {
  const [byWidth, byHeight] = [to.width / width, to.height / height]
  if (fit === "fill") return [{ x: 0, y: 0, width, height }, to]
  const factors: Readonly<Record<string, number>> = {
    cover: Math.max(byWidth, byHeight),
    fitWidth: byWidth,
    fitHeight: byHeight,
    none: 1,
    scaleDown: Math.min(1, byWidth, byHeight)
  }
  const factor = factors[String(fit)] ?? Math.min(byWidth, byHeight)
  const [w, h] = [Math.min(width, to.width / factor), Math.min(height, to.height / factor)]
  const from = { x: (width - w) / 2, y: (height - h) / 2, width: w, height: h }
  const [x, y] = [to.x + (to.width - w * factor) / 2, to.y + (to.height - h * factor) / 2]
  return [from, { x, y, width: w * factor, height: h * factor }]
}

const shaderOf = (type: string, props: Fields): Effect | undefined => {
  const { c, colors, end, endR, image, positions, r, start, startR } = props
  if (type === "skLinearGradient") return linear(start, end, colors, positions)
  if (type === "skRadialGradient") return conical(c, 0, c, r, colors, positions)
  if (type === "skTwoPointConicalGradient") return conical(start, startR, end, endR, colors, positions)
  if (type === "skSweepGradient") return sweep(pointIn(c).x, pointIn(c).y, start, colors, positions)
  if (type === "skColorShader") return new Effect("Shader", { style: () => cssOf(colorIn(props["color"])) })
  if (type === "skImageShader" && image instanceof Image) {
    const whole = { x: 0, y: 0, width: image.width(), height: image.height() }
    const target = rectIn(props)
    const [from, to] = target.width === 0 ? [whole, whole] : fitted(props["fit"], whole, target)
    const matrix = new DOMMatrix().translate(to.x, to.y).scale(to.width / from.width, to.height / from.height)
    return imageShader(image, matrix.translate(-from.x, -from.y))
  }
  return undefined
}

const filterOf = (type: string, props: Fields): Effect | undefined => {
  const { blur: radius, color, dx, dy } = props
  if (type === "skBlurImageFilter") return blur("ImageFilter", numberIn(radius) ?? pointIn(radius).x)
  if (type === "skDropShadowImageFilter" && props["inner"] !== true) return dropShadow(dx, dy, radius, color)
  return undefined
}

/** Records the elements of a canvas, and draws them with the present values of their properties. */
export const recorderOf = () => {
  let commands: Array<readonly [name: string, values: ReadonlyArray<unknown>]> = []
  const draw = (canvas: Canvas): void => {
    const paints = [new Paint()]
    const declared: Array<Paint> = []
    const current = (): Paint => paints.at(-1) ?? new Paint()
    const each = (run: (paint: Paint, props: Fields) => void) => (values: unknown) => {
      const props = present(values)
      const own = props["paint"]
      run(own instanceof Paint ? own : current(), props)
      for (const paint of declared.splice(0)) run(paint, props)
    }
    const set = (
      name: "setShader" | "setImageFilter" | "setColorFilter" | "setPathEffect",
      type: unknown,
      made: unknown
    ) => {
      if (made === undefined) canvas.unsupported(String(type).replace(/^sk/, ""))
      current()[name](made)
    }
    const run: Readonly<Record<string, (...values: ReadonlyArray<unknown>) => void>> = {
      savePaint: (values, isStandalone) => {
        const paint = isStandalone === true ? new Paint() : current().copy()
        const props = present(values)
        if (props["paint"] instanceof Paint) paint.assign(props["paint"])
        paint.change(props)
        paints.push(paint)
      },
      restorePaint: () => void paints.pop(),
      restorePaintDeclaration: () => {
        const paint = paints.pop()
        if (paint !== undefined) declared.push(paint)
      },
      pushShader: (type, values) => set("setShader", type, shaderOf(String(type), present(values))),
      pushImageFilter: (type, values) => set("setImageFilter", type, filterOf(String(type), present(values))),
      pushColorFilter: (type) => set("setColorFilter", type, undefined),
      pushPathEffect: (type, values) => {
        const { intervals, phase } = present(values)
        const dash = {
          intervals: listIn(intervals).map((one) => number(one)),
          phase: number(phase)
        }
        set("setPathEffect", type, type === "skDashPathEffect" ? new Effect("PathEffect", { dash }) : undefined)
      },
      pushBlurMaskFilter: (values) => current().setMaskFilter(blur("MaskFilter", number(present(values)["blur"]))),
      saveCTM: (values) => {
        const { clip, invertClip, layer, matrix, origin, transform } = present(values)
        if (layer === true || layer instanceof Paint) canvas.saveLayer(layer)
        else canvas.save()
        const { x, y } = pointIn(origin)
        canvas.translate(x, y)
        if (matrix !== undefined) canvas.concat(matrix)
        if (transform !== undefined) {
          const { a, b, c, d, e, f } = transformIn(transform)
          canvas.concat([a, c, e, b, d, f, 0, 0, 1])
        }
        canvas.translate(-x, -y)
        const operation = invertClip === true ? 0 : 1
        if (clip instanceof SkiaPath || typeof clip === "string") canvas.clipPath(pathIn(clip), operation)
        else if (clip !== undefined) canvas.clipRRect(clip, operation)
      },
      restoreCTM: () => canvas.restore(),
      saveLayer: () => void canvas.saveLayer(declared.pop() ?? current()),
      saveBackdropFilter: () => canvas.unsupported("BackdropFilter"),
      drawPaint: each((paint) => canvas.drawPaint(paint)),
      drawRect: each((paint, props) => canvas.drawRect(props, paint)),
      drawRRect: each((paint, props) => canvas.drawRRect(props, paint)),
      drawOval: each((paint, props) => canvas.drawOval(props, paint)),
      drawCircle: each((paint, { c, cx, cy, r }) => {
        const { x, y } = c === undefined ? { x: number(cx), y: number(cy) } : pointIn(c)
        canvas.drawCircle(x, y, number(r), paint)
      }),
      drawLine: each((paint, { p1, p2 }) => {
        const [from, to] = [pointIn(p1), pointIn(p2)]
        canvas.drawLine(from.x, from.y, to.x, to.y, paint)
      }),
      drawPoints: each((paint, { mode, points }) => canvas.drawPoints(mode, points, paint)),
      drawDiffRect: each((paint, { inner, outer }) => canvas.drawDRRect(outer, inner, paint)),
      drawPath: each((paint, { end, fillType, path, start }) => {
        const shape = pathIn(path).copy().trim(number(start), number(end, 1))
        if (fillType === "evenOdd") shape.setFillType(1)
        canvas.drawPath(shape, paint)
      }),
      drawText: each((paint, { font, text, x, y }) => canvas.drawText(text, number(x), number(y), paint, font)),
      drawTextBlob: each((paint, { blob, x, y }) => canvas.drawTextBlob(blob, number(x), number(y), paint)),
      drawGlyphs: each((paint, { font, glyphs, x, y }) => {
        const all = listIn(glyphs).map(fieldsIn)
        canvas.drawGlyphs(
          all.map(({ id }) => id),
          all.map(({ pos }) => pos),
          number(x),
          number(y),
          font,
          paint
        )
      }),
      drawPicture: each((_, { picture }) => canvas.drawPicture(picture)),
      drawImage: each((paint, props) => {
        const { fit, image } = props
        if (!(image instanceof Image)) return
        const whole = { x: 0, y: 0, width: image.width(), height: image.height() }
        canvas.drawImageRect(image, ...fitted(fit, whole, rectIn(props)), paint)
      })
    }
    Object.assign(run, {
      drawBox: (values: unknown, shadows: unknown) => {
        const { box } = present(values)
        const paint = current()
        const { height, width, x, y } = rectIn(box)
        const radii = radiiIn(box)
        const grown = (by: number, dx: number, dy: number) => {
          const [topLeft = { x: 0, y: 0 }, topRight = topLeft, bottomRight = topLeft, bottomLeft = topRight] =
            radii.map((one) => ({ x: one.x + by, y: one.y + by }))
          const rect = {
            x: x - by + dx,
            y: y - by + dy,
            width: width + 2 * by,
            height: height + 2 * by
          }
          return { rect, topLeft, topRight, bottomRight, bottomLeft }
        }
        const shadowed = (isInner: boolean): void => {
          for (const { blur: radius, color = "black", dx, dy, inner, spread } of listIn(shadows).map(present)) {
            if ((inner === true) !== isInner) continue
            const shade = new Paint()
            shade.setColor(color)
            shade.setAlphaf(shade.getAlphaf() * paint.getAlphaf())
            shade.setMaskFilter(blur("MaskFilter", number(radius)))
            if (!isInner) canvas.drawRRect(grown(number(spread), number(dx), number(dy)), shade)
            else {
              canvas.save()
              canvas.clipRRect(grown(0, 0, 0), 1)
              const room = 10 + Math.abs(number(dx)) + Math.abs(number(dy))
              canvas.drawDRRect(grown(room, 0, 0), grown(-number(spread), number(dx), number(dy)), shade)
              canvas.restore()
            }
          }
        }
        shadowed(false)
        canvas.drawRRect(grown(0, 0, 0), paint)
        shadowed(true)
      }
    })
    for (const [name, values] of commands) {
      const command = run[name]
      if (command !== undefined) command(...values)
      else if (name.startsWith("draw")) canvas.unsupported(name.slice(4))
    }
  }
  const picture = new Picture()
  picture.draw = draw
  const recorder = Object.assign(new SkiaObject("Recorder"), { getId: () => 0, picture })
  return new Proxy(recorder, {
    get: (target, name) => {
      if (typeof name !== "string" || name in target || name === "then") return Reflect.get(target, name)
      if (name === "reset") return () => void (commands = [])
      // The values are read when it is drawn.
      if (name === "applyUpdates") return () => {}
      if (name === "play") return (played: unknown) => played instanceof Picture && (played.draw = draw)
      return (...values: ReadonlyArray<unknown>) => void commands.push([name, values])
    }
  })
}
