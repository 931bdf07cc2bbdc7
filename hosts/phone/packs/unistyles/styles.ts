/** The styles of Unistyles: sheets of styles that depend on a theme, on breakpoints and on variants. */
import { fieldsIn, functionIn, listIn, numberIn, textIn, type Fields } from "../../runtime/decode.ts"

/** What styles depend on. */
export interface Surroundings {
  readonly theme: (scope: string | undefined) => unknown
  readonly runtime: Fields
  readonly breakpoints: Readonly<Record<string, number>>
  /** The size that breakpoints and media queries are compared with. */
  readonly size: { readonly width: number; readonly height: number }
}

const condition = /:([wh])\[\s*([^,\]]*?)\s*(?:,\s*([^\]]*?)\s*)?\]/g

const within = (value: number, from = "", to = ""): boolean =>
  value >= (from === "" ? 0 : Number(from)) && (to === "" || value <= Number(to))

/** Whether a media query such as `:w[200, 500]:h[100]` holds; `undefined` if it is none. */
const holds = (query: string, { size }: Surroundings): boolean | undefined => {
  const conditions = [...query.matchAll(condition)]
  if (conditions.length === 0) return undefined
  return conditions.every(([, side, from, to]) => within(side === "w" ? size.width : size.height, from, to))
}

/** The breakpoint of the size, or the last one below it among some. */
export const breakpointOf = (
  { breakpoints, size }: Pick<Surroundings, "breakpoints" | "size">,
  among = Object.keys(breakpoints)
): string | undefined =>
  among
    .filter((name) => (breakpoints[name] ?? Infinity) <= size.width)
    .toSorted((one, other) => (breakpoints[one] ?? 0) - (breakpoints[other] ?? 0))
    .at(-1)

/** A value of a style, where it has one for each breakpoint or media query the one that applies. */
const valueOf = (value: unknown, around: Surroundings): unknown => {
  if (Array.isArray(value)) return value.map((one) => valueOf(one, around))
  if (typeof value !== "object" || value === null) return value
  const fields = fieldsIn(value)
  const names = Object.keys(fields)
  const queries = names.filter((name) => holds(name, around) !== undefined)
  const points = names.filter((name) => Object.hasOwn(around.breakpoints, name))
  if (queries.length + points.length > 0) {
    const name = queries.find((one) => holds(one, around)) ?? breakpointOf(around, points)
    return name === undefined ? undefined : valueOf(fields[name], around)
  }
  return Object.fromEntries(names.map((name) => [name, valueOf(fields[name], around)]))
}

const isChosen = (chosen: unknown, option: unknown): boolean => String(chosen) === String(option)

/** A style with its variants. */
const styleOf = (given: Fields, variants: Fields, around: Surroundings): Fields => {
  const { _web, compoundVariants, variants: groups, ...own } = given
  const chosen = Object.entries(fieldsIn(groups)).map(([group, options]) => {
    const all = fieldsIn(options)
    const option = variants[group]
    return fieldsIn((option === undefined ? undefined : all[String(option)]) ?? all["default"])
  })
  const compound = listIn(compoundVariants).flatMap((one) => {
    const { styles, ...wanted } = fieldsIn(one)
    const applies = Object.entries(wanted).every(([group, option]) => isChosen(variants[group], option))
    return applies ? [fieldsIn(styles)] : []
  })
  return fieldsIn(valueOf(Object.assign({}, own, ...chosen, ...compound), around))
}

/** The key of a style by which the library, and the pack, find how it is computed again. */
export const secret = "unistyles_replay"

/** A sheet of styles that are computed when they are read. */
export const makeSheet = (
  source: unknown,
  around: () => Surroundings,
  scope: () => string | undefined,
  variants: Fields = {}
): object => {
  const styles = (scoped: string | undefined): Fields =>
    fieldsIn(functionIn(source)?.(around().theme(scoped), around().runtime) ?? source)
  const sheet = {
    useVariants: (chosen: unknown) => makeSheet(source, around, scope, fieldsIn(chosen))
  }
  const computed = (name: string, values: ReadonlyArray<unknown> | undefined): Fields => {
    const scoped = scope()
    const compute = (): Fields => {
      const given = styles(scoped)[name]
      return styleOf(fieldsIn(values === undefined ? given : functionIn(given)?.(...values)), variants, around())
    }
    return { ...compute(), [secret]: { uni__getStyles: compute, uni__dependencies: [0] } }
  }
  for (const [name, value] of Object.entries(styles(scope()))) {
    Object.defineProperty(sheet, name, {
      enumerable: true,
      get: () =>
        functionIn(value) === undefined
          ? computed(name, undefined)
          : (...values: ReadonlyArray<unknown>) => computed(name, values)
    })
  }
  return sheet
}

/** A list of styles as they are now, in one. */
export const currentStyle = (styles: ReadonlyArray<unknown>): Fields =>
  Object.assign(
    {},
    ...styles.map(fieldsIn).map((style) => functionIn(fieldsIn(style[secret])["uni__getStyles"])?.() ?? style)
  )

/** The breakpoints that an app sets up. */
export const breakpointsIn = (value: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(fieldsIn(value)).flatMap(([name, from]) => {
      const least = numberIn(from)
      return least === undefined ? [] : [[name, least]]
    })
  )

/** The name of a theme, also where an app has a function for it. */
export const nameIn = (value: unknown): string | undefined => textIn(functionIn(value)?.() ?? value)
