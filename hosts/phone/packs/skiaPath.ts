/** Paths of Skia: segments of lines and Bézier curves, for Canvas 2D. */
import { fieldsIn, listIn, numberIn } from "../runtime/decode.ts"

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Rect extends Point {
  readonly width: number
  readonly height: number
}

export const number = (value: unknown, otherwise = 0): number => numberIn(value) ?? otherwise

export const pointIn = (value: unknown): Point => {
  const { x, y } = fieldsIn(value)
  return { x: number(x), y: number(y) }
}

export const rectIn = (value: unknown): Rect => {
  const { height, rect, width } = fieldsIn(value)
  return rect === undefined ? { ...pointIn(value), width: number(width), height: number(height) } : rectIn(rect)
}

/** The radii of a rounded rectangle, from the top left clockwise. */
export const radiiIn = (value: unknown): ReadonlyArray<Point> => {
  const { bottomLeft, bottomRight, r, rect, rx, ry, topLeft, topRight } = fieldsIn(value)
  if (topLeft !== undefined) return [topLeft, topRight, bottomRight, bottomLeft].map(pointIn)
  if (rx !== undefined) return [{ x: number(rx), y: number(ry) }]
  if (rect !== undefined) return radiiIn(rect)
  return [typeof r === "number" ? { x: r, y: r } : pointIn(r)]
}

/** What an object of Skia has, so that worklets share it. */
export class SkiaObject {
  declare readonly __typename__: string

  constructor(type: string) {
    Object.defineProperty(this, "__typename__", { value: type })
  }

  __box() {
    return { unbox: () => this, __boxedNativeObject: true }
  }

  dispose(): void {}
}

/** A 3 × 3 matrix without perspective, as a `DOMMatrix`. */
export const matrixIn = (value: unknown): DOMMatrix => {
  if (value instanceof SkiaMatrix) return value.matrix
  const list = value instanceof Float32Array ? [...value] : listIn(value)
  const [a, c, e, b, d, f] =
    list.length === 16 ? [0, 1, 3, 4, 5, 7].map((index) => number(list[index])) : list.map((one) => number(one))
  return list.length < 9 ? new DOMMatrix() : new DOMMatrix([a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f ?? 0])
}

const degrees = (radians: unknown): number =>
  typeof radians === "string"
    ? radians.endsWith("rad")
      ? degrees(Number.parseFloat(radians))
      : Number.parseFloat(radians)
    : (number(radians) * 180) / Math.PI

/** The transforms of a property `transform`, in their order. */
export const transformIn = (value: unknown): DOMMatrix => {
  let matrix = new DOMMatrix()
  for (const [name, by] of listIn(value).flatMap((one) => Object.entries(fieldsIn(one)))) {
    const [x, y] = listIn(by).map((one) => number(one))
    if (name === "translateX") matrix = matrix.translate(number(by), 0)
    else if (name === "translateY") matrix = matrix.translate(0, number(by))
    else if (name === "translate") matrix = matrix.translate(x, y)
    else if (name === "scale") matrix = matrix.scale(number(by, 1), number(by, 1))
    else if (name === "scaleX") matrix = matrix.scale(number(by, 1), 1)
    else if (name === "scaleY") matrix = matrix.scale(1, number(by, 1))
    else if (name === "rotate" || name === "rotateZ") matrix = matrix.rotate(degrees(by))
    else if (name === "rotateX") matrix = matrix.rotateAxisAngle(1, 0, 0, degrees(by))
    else if (name === "rotateY") matrix = matrix.rotateAxisAngle(0, 1, 0, degrees(by))
    else if (name === "skewX") matrix = matrix.skewX(degrees(by))
    else if (name === "skewY") matrix = matrix.skewY(degrees(by))
    else if (name === "matrix") matrix = matrix.multiply(matrixIn(by))
  }
  return matrix
}

export class SkiaMatrix extends SkiaObject {
  matrix: DOMMatrix

  constructor(from?: unknown) {
    super("Matrix")
    this.matrix = matrixIn(from)
  }

  private become(change: DOMMatrix): this {
    this.matrix = change
    return this
  }

  identity = () => this.become(new DOMMatrix())
  concat = (by: unknown) => this.become(this.matrix.multiply(matrixIn(by)))
  translate = (x: number, y: number) => this.become(this.matrix.translate(x, y))
  scale = (x: number, y = x) => this.become(this.matrix.scale(x, y))
  rotate = (radians: number) => this.become(this.matrix.rotate(degrees(radians)))
  skew = (x: number, y: number) => this.become(this.matrix.multiply(new DOMMatrix([1, y, x, 1, 0, 0])))
  postTranslate = (x: number, y: number) => this.become(new DOMMatrix().translate(x, y).multiply(this.matrix))
  postScale = (x: number, y = x) => this.become(new DOMMatrix().scale(x, y).multiply(this.matrix))
  postRotate = (radians: number) => this.become(new DOMMatrix().rotate(degrees(radians)).multiply(this.matrix))
  get = () => {
    const { a, b, c, d, e, f } = this.matrix
    return [a, c, e, b, d, f, 0, 0, 1]
  }
}

const svgPath = (d: string): SVGPathElement => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "path")
  element.setAttribute("d", d)
  return element
}

/** The commands of SVG for Skia's verbs; a conic has a weight. */
const letters = ["M", "L", "Q", "", "C", "Z"]
const conicVerb = 3

/** How far apart the points of a curve are, as a part of its contour. */
const samples = 200

/** A path as the commands of SVG, by which the browser draws and measures it. A transformed path has several parts. */
export class SkiaPath extends SkiaObject {
  parts: ReadonlyArray<{ readonly d: string; readonly matrix?: DOMMatrix }> = []
  fillType = 0

  constructor(d = "") {
    super("Path")
    if (d !== "") this.parts = [{ d }]
  }

  /** Adds commands to the last part. */
  add(letter: string, ...values: ReadonlyArray<number>): this {
    const last = this.parts.at(-1)
    const command = letter + values.join(" ")
    // A path begins at the origin.
    const first = /^[Mm]/.test(command) ? command : `M0 0${command}`
    if (last === undefined || last.matrix !== undefined) this.parts = [...this.parts, { d: first }]
    else this.parts = [...this.parts.slice(0, -1), { d: last.d + command }]
    return this
  }

  moveTo = (x: number, y: number) => this.add("M", x, y)
  lineTo = (x: number, y: number) => this.add("L", x, y)
  quadTo = (...values: ReadonlyArray<number>) => this.add("Q", ...values.slice(0, 4))
  cubicTo = (...values: ReadonlyArray<number>) => this.add("C", ...values.slice(0, 6))
  rMoveTo = (x: number, y: number) => this.add("m", x, y)
  rLineTo = (x: number, y: number) => this.add("l", x, y)
  rQuadTo = (...values: ReadonlyArray<number>) => this.add("q", ...values.slice(0, 4))
  rCubicTo = (...values: ReadonlyArray<number>) => this.add("c", ...values.slice(0, 6))
  conicTo = (x1: number, y1: number, x2: number, y2: number, weight: number) => {
    const from = this.getLastPt()
    const k = (4 * weight) / (3 * (1 + weight))
    const between = (one: number, other: number): number => one + k * (other - one)
    return this.add("C", between(from.x, x1), between(from.y, y1), between(x2, x1), between(y2, y1), x2, y2)
  }
  close = () => this.add("Z")
  reset = () => {
    this.parts = []
    return this
  }
  rewind = this.reset
  arcToRotated = (rx: number, ry: number, turn: number, isSmall: boolean, isCcw: boolean, x: number, y: number) =>
    this.add("A", rx, ry, turn, isSmall ? 0 : 1, isCcw ? 0 : 1, x, y)
  arcToOval = (oval: unknown, start: number, swept: number, isNew: boolean) => {
    const { height, width, x, y } = rectIn(oval)
    const [rx, ry] = [width / 2, height / 2]
    const at = (angle: number): readonly [number, number] => {
      const radians = (angle * Math.PI) / 180
      return [x + rx + rx * Math.cos(radians), y + ry + ry * Math.sin(radians)]
    }
    const sweep = Math.max(-360, Math.min(360, swept))
    this.add(isNew || this.parts.length === 0 ? "M" : "L", ...at(start))
    // An arc that ends where it begins is none.
    for (const half of [start + sweep / 2, start + sweep]) this.add("A", rx, ry, 0, 0, sweep > 0 ? 1 : 0, ...at(half))
    return this
  }
  addArc = (oval: unknown, start: number, swept: number) => this.arcToOval(oval, start, swept, true)
  addOval = (oval: unknown) => this.arcToOval(oval, 0, 360, true).close()
  addCircle = (x: number, y: number, r: number) => this.addOval({ x: x - r, y: y - r, width: 2 * r, height: 2 * r })
  addRect = (rect: unknown) => {
    const { height, width, x, y } = rectIn(rect)
    return this.add("M", x, y).add("h", width).add("v", height).add("h", -width).close()
  }
  addRRect = (rrect: unknown) => {
    const { height, width, x, y } = rectIn(rrect)
    const [first = { x: 0, y: 0 }, second = first, third = first, fourth = second] = radiiIn(rrect)
    const [a, b, c, d] = [first, second, third, fourth].map((radius) => ({
      x: Math.max(0, Math.min(radius.x, width / 2)),
      y: Math.max(0, Math.min(radius.y, height / 2))
    }))
    if (a === undefined || b === undefined || c === undefined || d === undefined) return this
    const corner = (radius: Point, dx: number, dy: number) => this.add("a", radius.x, radius.y, 0, 0, 1, dx, dy)
    this.add("M", x, y + a.y)
    corner(a, a.x, -a.y).add("H", x + width - b.x)
    corner(b, b.x, b.y).add("V", y + height - c.y)
    corner(c, -c.x, c.y).add("H", x + d.x)
    return corner(d, -d.x, -d.y).close()
  }
  addPoly = (points: unknown, isClosed: boolean) => {
    listIn(points).forEach((one, index) => {
      const { x, y } = pointIn(one)
      this.add(index === 0 ? "M" : "L", x, y)
    })
    return isClosed ? this.close() : this
  }
  addPath = (path: unknown, matrix?: unknown) => {
    if (path instanceof SkiaPath) this.parts = [...this.parts, ...path.copy().transform(matrix).parts]
    return this
  }
  transform = (by: unknown) => {
    this.parts = this.parts.map(({ d, matrix }) => ({ d, matrix: matrixIn(by).multiply(matrix) }))
    return this
  }
  offset = (x: number, y: number) => this.transform([1, 0, x, 0, 1, y, 0, 0, 1])
  setFillType = (type: number) => {
    this.fillType = type
    return this
  }
  getFillType = () => this.fillType
  setIsVolatile = () => this
  makeAsWinding = () => this
  copy = (): SkiaPath => {
    const path = new SkiaPath().setFillType(this.fillType)
    path.parts = this.parts
    return path
  }
  // Those of a PathBuilder.
  build = this.copy
  snapshot = this.copy
  detach = () => {
    const built = this.copy()
    this.reset()
    return built
  }
  isEmpty = () => this.parts.length === 0
  toSVGString = () => this.parts.map(({ d }) => d).join("")
  getLastPt = (): Point => this.contours().at(-1)?.at(-1) ?? { x: 0, y: 0 }
  private shape = () => this.toSVGString().replaceAll(/-?[\d.]+(?:e-?\d+)?/g, "#")
  isInterpolatable = (path: unknown) => path instanceof SkiaPath && path.shape() === this.shape()
  interpolate = (other: unknown, weight: number) => {
    if (!(other instanceof SkiaPath) || !this.isInterpolatable(other)) return null
    const [from, to] = [this, other].map((one) =>
      Array.from(one.toSVGString().matchAll(/-?[\d.]+(?:e-?\d+)?/g), ([each]) => Number(each))
    )
    let index = 0
    return new SkiaPath(
      this.shape().replaceAll("#", () => {
        const value = (from?.[index] ?? 0) * weight + (to?.[index] ?? 0) * (1 - weight)
        index++
        return String(value)
      })
    )
  }

  /** The points along each contour. */
  contours(): ReadonlyArray<ReadonlyArray<Point>> {
    return this.parts.flatMap(({ d, matrix }) =>
      (d.match(/[Mm][^Mm]*/g) ?? []).map((one) => {
        const element = svgPath(one)
        const length = element.getTotalLength()
        const count = length === 0 ? 0 : samples
        return Array.from({ length: count + 1 }, (_, index) => {
          const point = element.getPointAtLength((index / (count || 1)) * length)
          return matrix === undefined ? point : matrix.transformPoint(point)
        })
      })
    )
  }

  getBounds = (): Rect => {
    const all = this.contours().flat()
    if (all.length === 0) return { x: 0, y: 0, width: 0, height: 0 }
    const [xs, ys] = [all.map(({ x }) => x), all.map(({ y }) => y)]
    const [x, y] = [Math.min(...xs), Math.min(...ys)]
    return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
  }
  computeTightBounds = this.getBounds

  /** Leaves the part between two fractions of its length, or what is before and after it. */
  trim = (start: number, stop: number, isComplement = false): this => {
    if (!isComplement && start <= 0 && stop >= 1) return this
    const contours = this.contours().map(measured)
    const total = contours.reduce((sum, { length }) => sum + length, 0)
    let passed = 0
    let d = ""
    for (const contour of contours) {
      for (const [from = 0, to = 1] of isComplement ? [[0, start], [stop]] : [[start, stop]])
        d += contour.between(from * total - passed, to * total - passed)
      passed += contour.length
    }
    this.parts = d === "" ? [] : [{ d }]
    return this
  }

  path2d(): Path2D {
    const path = new Path2D()
    for (const { d, matrix } of this.parts) path.addPath(new Path2D(d), matrix)
    return path
  }
}

/** A contour by the distance along it. */
export const measured = (points: ReadonlyArray<Point>) => {
  let length = 0
  const marks = points.map(({ x, y }, index) => {
    const before = points[index - 1] ?? { x, y }
    length += Math.hypot(x - before.x, y - before.y)
    return { x, y, at: length }
  })
  const pointAt = (distance: number): Point & { readonly tangent: Point } => {
    const index = Math.max(
      1,
      marks.findIndex(({ at }) => at >= distance)
    )
    const [from, to] = [marks[index - 1], marks[index]]
    if (from === undefined || to === undefined) return { ...(points[0] ?? { x: 0, y: 0 }), tangent: { x: 1, y: 0 } }
    const span = to.at - from.at || 1
    const t = Math.min(1, Math.max(0, (distance - from.at) / span))
    const tangent = { x: (to.x - from.x) / span, y: (to.y - from.y) / span }
    return { x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t, tangent }
  }
  /** The commands of SVG for a part of it. */
  const between = (from: number, to: number): string => {
    const [low, high] = [Math.max(0, from), Math.min(length, to)]
    if (low >= high) return ""
    const all = [pointAt(low), ...marks.filter(({ at }) => at > low && at < high), pointAt(high)]
    return all.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("")
  }
  return { length, pointAt, between }
}

/** A path of Skia's commands. */
export const pathOfCommands = (commands: unknown): SkiaPath => {
  const path = new SkiaPath()
  for (const command of listIn(commands)) {
    const [verb = 5, ...at] = listIn(command).map((one) => number(one))
    if (verb === conicVerb) path.conicTo(at[0] ?? 0, at[1] ?? 0, at[2] ?? 0, at[3] ?? 0, at[4] ?? 1)
    else path.add(letters[verb] ?? "Z", ...at)
  }
  return path
}
