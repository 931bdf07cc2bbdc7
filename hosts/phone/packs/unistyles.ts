/** react-native-unistyles: sheets of styles that depend on a theme, on breakpoints and on variants. */
import { mountedOf, type ShadowNode } from "../fabric/ShadowTree.ts"
import type { Host, Pack } from "../modules/Host.ts"
import { type AppFunction, type Fields, fieldsIn, functionIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import {
  insets,
  isDark,
  isOnSide,
  onDark,
  onSettings,
  reading,
  scale,
  screenSize,
  settings
} from "../runtime/device.ts"

/** What styles depend on. */
interface Surroundings {
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
const breakpointOf = (
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
const secret = "unistyles_replay"

/** A sheet of styles that are computed when they are read. */
const makeSheet = (
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
const currentStyle = (styles: ReadonlyArray<unknown>): Fields =>
  Object.assign(
    {},
    ...styles.map(fieldsIn).map((style) => functionIn(fieldsIn(style[secret])["uni__getStyles"])?.() ?? style)
  )

/** The breakpoints that an app sets up. */
const breakpointsIn = (value: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(fieldsIn(value)).flatMap(([name, from]) => {
      const least = numberIn(from)
      return least === undefined ? [] : [[name, least]]
    })
  )

/** The name of a theme, also where an app has a function for it. */
const nameIn = (value: unknown): string | undefined => textIn(functionIn(value)?.() ?? value)

/** All that a listener can depend on, as numbers of the library. */
const everything = Array.from({ length: 16 }, (_, index) => index)

const bar = () => ({ width: screenSize().width, height: insets().top })
const noBar = { width: 0, height: 0 }

/** Everything of the library that an app has one of. */
const makeUnistyles = () => {
  let host: Host | undefined
  let themes: Record<string, unknown> = {}
  let breakpoints: Readonly<Record<string, number>> = {}
  let isInPoints = false
  let isAdaptive = false
  let chosen: string | undefined
  let scoped: string | undefined
  let processColor: AppFunction | undefined
  const listeners = new Set<AppFunction>()
  const linked = new Map<ShadowNode["family"], { readonly node: ShadowNode; readonly styles: ReadonlyArray<unknown> }>()

  const scheme = () => (isDark() ? "dark" : "light")
  const themeName = (): string | undefined => (isAdaptive ? scheme() : (chosen ?? Object.keys(themes)[0]))
  const theme = (name = themeName()): unknown => (name === undefined ? {} : (themes[name] ?? {}))
  const size = () => {
    const by = isInPoints ? 1 : scale()
    const { height, width } = screenSize()
    return { width: width * by, height: height * by }
  }

  const runtime = {
    get colorScheme() {
      return scheme()
    },
    get themeName() {
      return themeName()
    },
    get breakpoint() {
      return breakpointOf({ breakpoints, size: size() })
    },
    get breakpoints() {
      return breakpoints
    },
    get hasAdaptiveThemes() {
      return isAdaptive
    },
    get screen() {
      return screenSize()
    },
    get insets() {
      return { ...insets(), ime: 0 }
    },
    get fontScale() {
      return settings().textSize
    },
    get pixelRatio() {
      return scale()
    },
    get rtl() {
      return reading.isRtl
    },
    get isLandscape() {
      return isOnSide()
    },
    get isPortrait() {
      return !isOnSide()
    },
    get orientation() {
      return isOnSide() ? "landscape" : "portrait"
    },
    get statusBar() {
      return bar()
    },
    navigationBar: noBar,
    contentSizeCategory: "Large"
  }
  const around = (): Surroundings => ({ theme, runtime, breakpoints, size: size() })

  const native = (style: Fields): Fields =>
    Object.fromEntries(
      Object.entries(style).map(([name, value]) => [
        name,
        /color$/i.test(name) && processColor !== undefined ? processColor(value) : value
      ])
    )

  /** Computes all styles again, and draws those of what is on the screen. */
  const change = (): void => {
    const { calls, surface } = host ?? {}
    if (calls === undefined || surface === undefined) return
    for (const { node, styles } of linked.values()) {
      const mounted = mountedOf(surface.tree, node)
      if (mounted !== undefined) surface.setProps(mounted, native(fieldsIn(calls.call(() => currentStyle(styles)))))
    }
    for (const listener of listeners) calls.call(listener, everything)
  }
  onDark(change)
  onSettings(change)
  window.addEventListener("resize", change)

  const styleSheet = {
    hairlineWidth: 1 / scale(),
    init: function (this: Fields): void {
      processColor = functionIn(fieldsIn(this["jsMethods"])["processColor"])
    },
    configure: (asked: unknown): void => {
      const { breakpoints: points, settings: set, themes: all } = fieldsIn(asked)
      const { adaptiveThemes, initialTheme, nativeBreakpointsMode } = fieldsIn(set)
      themes = { ...fieldsIn(all) }
      breakpoints = breakpointsIn(points)
      isAdaptive = adaptiveThemes === true
      isInPoints = nativeBreakpointsMode === "points"
      chosen = nameIn(initialTheme)
    },
    create: (source: unknown) => makeSheet(source, around, () => scoped),
    addChangeListener: (listener: AppFunction) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }

  const changing =
    (set: AppFunction) =>
    (...values: ReadonlyArray<unknown>): void => {
      set(...values)
      change()
    }

  const forApp = Object.create(runtime, {
    statusBar: { writable: true, value: undefined },
    navigationBar: { writable: true, value: undefined }
  })
  Object.assign(forApp, {
    miniRuntime: runtime,
    getTheme: theme,
    setTheme: changing((name) => {
      if (typeof name !== "string" || !Object.hasOwn(themes, name)) {
        throw new Error(`Unistyles: You're trying to set theme to: '${String(name)}', but it wasn't registered.`)
      }
      chosen = name
    }),
    updateTheme: changing((name, update) => {
      themes[String(name)] = functionIn(update)?.(theme(textIn(name)))
    }),
    setAdaptiveThemes: changing((isWanted) => {
      isAdaptive = isWanted === true
    }),
    setImmersiveModeNative: () => {},
    nativeSetRootViewBackgroundColor: () =>
      host?.notes.missing("method", "UnistylesRuntime.setRootViewBackgroundColor"),
    createHybridStatusBar: () => ({ ...bar(), setHiddenNative: () => {} }),
    createHybridNavigationBar: () => ({ ...noBar, setHidden: () => {} })
  })

  const shadowRegistry = {
    link: (node: ShadowNode, styles: ReadonlyArray<unknown>): void => void linked.set(node.family, { node, styles }),
    unlink: (node: ShadowNode): void => void linked.delete(node.family),
    suspend: () => {},
    flush: () => {},
    setScopedTheme: (name: unknown): void => {
      scoped = textIn(name)
    },
    getScopedTheme: () => scoped
  }

  return {
    hybrids: { UnistylesRuntime: forApp, UnistylesShadowRegistry: shadowRegistry, UnistylesStyleSheet: styleSheet },
    install: (installed: Host): void => {
      host = installed
    }
  }
}

/** react-native-unistyles 3: themes, breakpoints and variants, drawn past React as on a phone. */
export const unistyles: Pack = { ...makeUnistyles(), modules: () => ({ Unistyles: {} }) }
