/** The native globals of React Native, and the native modules by their names. */
import { makeUiManager, type Responder } from "./fabric/uiManager.ts"
import type { Host, LegacyProps, Module, Modules } from "./modules/Host.ts"
import { isNeeded, optionalIn, partOf, stubOf } from "./modules/absent.ts"
import { animated } from "./modules/animated.ts"
import { accessibility, device, personal } from "./modules/device.ts"
import { dialogs } from "./modules/dialogs.ts"
import { dom } from "./modules/dom.ts"
import { keyboard } from "./modules/keyboard.ts"
import { images, network } from "./modules/network.ts"
import { errors, performanceTimeline } from "./modules/reports.ts"
import { packs } from "./packs/registry.ts"
import { markHostFunctions } from "./runtime/appGlobal.ts"
import { appFolder } from "./runtime/assets.ts"
import { makeScheduler } from "./runtime/calls.ts"
import { functionIn } from "./runtime/decode.ts"
import { isStartedWith } from "./runtime/device.ts"

/** Puts into an app's global object what React Native expects of a phone: its new architecture, without a bridge. */
export const installNative = (host: Host, responder: Responder): void => {
  const { app, callable, calls, events, notes, surface } = host
  const module = moduleProxy(host)
  const legacy = legacyConstants()
  Object.assign(app, {
    __DEV__: false,
    process: { env: { NODE_ENV: "production" } },
    RN$Bridgeless: true,
    RN$registerCallableModule: (name: string, make: unknown) => {
      const factory = functionIn(make)
      if (factory !== undefined) callable.register(name, factory)
    },
    RN$useAlwaysAvailableJSErrorHandling: false,
    RN$LegacyInterop_UIManager_getConstants: () => legacy,
    __turboModuleProxy: module,
    nativeModuleProxy: new Proxy(
      {},
      {
        get: (_, name) =>
          typeof name === "string" && !ignoredNames.has(name) ? (module(name) ?? undefined) : undefined,
        has: (_, name) => typeof name === "string" && !ignoredNames.has(name) && module(name) !== null
      }
    ),
    __nativeComponentRegistry__hasComponent: () => true,
    nativeFabricUIManager: makeUiManager(surface, events, calls, notes, responder),
    nativeRuntimeScheduler: makeScheduler(calls),
    nativePerformanceNow: () => performance.now()
  })
  for (const pack of packs) pack.install?.(host)
}

/**
 * The modules that are there, and stubs of those that the app needs. A module without which it works is absent, as on a
 * phone.
 */
const moduleProxy = (host: Host): ((name: string) => Module | null) => {
  const parts = packs.flatMap((pack) => Object.entries(pack.partial?.(host) ?? {}))
  const there = new Map<string, Module | null>(
    [
      ...modules.map((make) => make(host)),
      animated(host),
      Object.fromEntries(parts.map(([name, part]) => [name, partOf(name, part, host)])),
      ...packs.map((pack) => pack.modules?.(host) ?? {}),
      { SourceCode: { getConstants: () => ({ scriptURL: `${appFolder}main.jsbundle` }) } }
    ].flatMap((made) => Object.entries(made))
  )
  const absent = [optionalIn(host.bundle), ...packs.flatMap((pack) => pack.optional?.(host.bundle) ?? [])]
  const missing = (name: string): Module | null => {
    if (absent.some((names) => names.has(name))) return null
    if (isNeeded(host.bundle, name) || isStartedWith("stubs")) return stubOf(name, host)
    host.absent.add(name)
    host.notes.missing("module", name)
    return null
  }
  return (name) => {
    const known = there.get(name) ?? (there.has(name) ? null : missing(name))
    if (known !== null) markHostFunctions(known)
    there.set(name, known)
    return known
  }
}

/** The native modules of React Native itself. */
const modules: ReadonlyArray<Modules> = [
  accessibility,
  device,
  dialogs,
  dom,
  errors,
  images,
  keyboard,
  network,
  performanceTimeline,
  personal
]

/** What older packages ask of a component that is described by the phone and not by themselves. */
const legacyConstants = (): object => {
  const known = new Map(packs.flatMap((pack) => Object.entries(pack.legacy ?? {})))
  const configs = new Map<string, object>()
  return new Proxy(
    {},
    {
      get: (_, name) => {
        if (typeof name !== "string" || ignoredNames.has(name)) return undefined
        if (/^(?:ViewManagerNames|LazyViewManagersEnabled|generic|custom|Style|Accessibility)/.test(name))
          return undefined
        const config = configs.get(name) ?? legacyConfig(known.get(name) ?? {})
        configs.set(name, config)
        return config
      },
      has: () => true
    }
  )
}

const ignoredNames = new Set(["then", "toJSON", "$$typeof", "prototype"])

/** A component that is described by the phone. */
const legacyConfig = ({ colors, events, props }: LegacyProps) => ({
  Commands: {},
  Constants: {},
  NativeProps: {
    ...commonProps,
    ...Object.fromEntries(namesIn(props).map((name) => [name, "id"])),
    ...Object.fromEntries(namesIn(colors).map((name) => [name, "UIColor"]))
  },
  bubblingEventTypes: {},
  directEventTypes: Object.fromEntries(namesIn(events).map((name) => [`top${name}`, { registrationName: `on${name}` }]))
})

/** The properties that every component has, with their types. */
const commonProps = Object.fromEntries(
  [
    "testID nativeID accessible accessibilityLabel accessibilityRole accessibilityState accessibilityValue role",
    "accessibilityHint pointerEvents hitSlop onLayout removeClippedSubviews"
  ]
    .join(" ")
    .split(" ")
    .map((name) => [name, "id"])
)

const namesIn = (names = ""): ReadonlyArray<string> => names.split(" ").filter((name) => name !== "")
