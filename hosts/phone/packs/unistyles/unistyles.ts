import type { ShadowNode } from "../../fabric/ShadowNode.ts"
import { mountedOf } from "../../fabric/ShadowTree.ts"
import type { Host } from "../../modules/Host.ts"
import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn, functionIn, textIn, type AppFunction, type Fields } from "../../runtime/decode.ts"
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
} from "../../runtime/device.ts"
import { breakpointOf, breakpointsIn, currentStyle, makeSheet, nameIn, type Surroundings } from "./styles.ts"

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
