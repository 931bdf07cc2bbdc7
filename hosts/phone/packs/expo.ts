/** The core of Expo: its modules by name, and its views. */
import type { Host, Pack } from "../modules/Host.ts"
import { optionalIn, partOf, stubOf } from "../modules/absent.ts"
import { type Fields, listIn, textIn } from "../runtime/decode.ts"
import { color } from "../style/color.ts"
import { adaptComponent, type Component, element } from "../views/Component.ts"
import { blur, image, linearGradient } from "../views/image.ts"
import { drawSymbol } from "../views/symbols.ts"
import { view } from "../views/view.ts"
import { makeClasses, optionalOfExpo } from "./expoCore.ts"
import { askingModules, expoModules, fetchModule, notifications } from "./expoModules.ts"
import { fileModules, sqliteModule } from "./expoStorage.ts"

const fits: Readonly<Record<string, string>> = {
  cover: "cover",
  contain: "contain",
  fill: "stretch",
  none: "center",
  "scale-down": "center"
}

/** The properties of expo-image as those of React Native's own image. */
const asImage = (props: Fields): Fields => ({
  ...props,
  resizeMode: fits[textIn(props["contentFit"]) ?? "cover"] ?? "cover",
  defaultSource: listIn(props["placeholder"])[0] ?? props["defaultSource"]
})

// React crashes an app at an event with an unknown name.
const expoImage = adaptComponent(image, asImage, (name, payload) => [
  name === "topLoadEnd" ? "topDisplay" : name,
  payload
])

/** expo-symbols */
const symbol: Component = ({ notes, props }) => {
  const root = element("view")
  let size = 24
  const draw = (): void => {
    const { name, tint } = props()
    const drawn = drawSymbol(textIn(name) ?? "", size, notes)
    drawn.style.position = "absolute"
    drawn.style.inset = "0"
    drawn.style.margin = "auto"
    drawn.style.color = color(tint) || "#007aff"
    root.replaceChildren(drawn)
  }
  return {
    element: root,
    update: draw,
    laidOut: ({ height, width }) => {
      if (Math.min(height, width) === size) return
      size = Math.min(height, width)
      draw()
    }
  }
}

const expoComponents: Readonly<Record<string, Component>> = {
  ViewManagerAdapter_ExpoImage: expoImage,
  ViewManagerAdapter_ExpoLinearGradient: linearGradient,
  ViewManagerAdapter_ExpoBlurView: blur,
  ViewManagerAdapter_SymbolModule: symbol,
  ViewManagerAdapter_ExpoBlur: blur,
  ViewManagerAdapter_ExpoBlur_ExpoBlurView: blur,
  ViewManagerAdapter_ExpoBlur_ExpoBlurTargetView: view
}

const attributes: Readonly<Record<string, string>> = {
  ExpoImage:
    "source placeholder contentFit placeholderContentFit contentPosition transition blurRadius tintColor cachePolicy " +
    "priority recyclingKey allowDownscaling autoplay accessible",
  ExpoLinearGradient: "colors startPoint endPoint locations dither",
  SymbolModule: "name type weight scale colors tint resizeMode animated animationSpec",
  ExpoBlurView: "tint intensity",
  ExpoBlur: "tint intensity"
}

const events: Readonly<Record<string, string>> = {
  ExpoImage: "LoadStart Load Progress Error Display"
}

/** The commands and events of a view of Expo's. */
const viewConfig = (name: string) => ({
  validAttributes: Object.fromEntries(
    (attributes[name] ?? "").split(" ").flatMap((attribute) => (attribute === "" ? [] : [[attribute, true]]))
  ),
  directEventTypes: Object.fromEntries(
    (events[name] ?? "")
      .split(" ")
      .flatMap((event) => (event === "" ? [] : [[`top${event}`, { registrationName: `on${event}` }]]))
  )
})

/** What an app of Expo's finds as `globalThis.expo`. */
const makeExpo = (host: Host) => {
  const classes = makeClasses(host.calls)
  const there = new Map<string, object>(
    Object.entries({
      ...expoModules(host),
      ...askingModules(host),
      ...fileModules(classes),
      ...notifications(host, classes),
      ...(host.sqlite === undefined ? {} : { ExpoSQLite: sqliteModule(host, host.sqlite, classes) }),
      ExpoFetchModule: fetchModule(classes)
    }).map(([name, methods]) => {
      const module =
        methods instanceof classes.NativeModule ? methods : Object.assign(new classes.NativeModule(), methods)
      return [name, partOf(name, module, host)]
    })
  )
  const absent = [optionalIn(host.bundle), optionalOfExpo(host.bundle)]
  /** What is asked for by the name of a module, and is none. */
  const isName = (name: string | symbol): name is string => typeof name === "string" && /^[A-Z]/.test(name)
  const modules = new Proxy<Record<string, object | undefined>>(
    {},
    {
      get: (_, name) => {
        if (!isName(name)) return undefined
        const known = there.get(name)
        if (known !== undefined || absent.some((names) => names.has(name))) return known
        const stub = stubOf(name, host)
        there.set(name, stub)
        return stub
      }
    }
  )
  return {
    ...classes,
    modules,
    getViewConfig: viewConfig,
    uuidv4: () => crypto.randomUUID(),
    uuidv5: () => crypto.randomUUID(),
    installOnUIRuntime: () => {},
    reloadAppAsync: async () => host.restart()
  }
}

/** The core of Expo and its common modules. */
export const expo: Pack = {
  components: expoComponents,
  optional: optionalOfExpo,
  modules: (host) => ({
    // What its modules were known by before; until Expo 55 each view still asks for it.
    NativeUnimoduleProxy: { exportedMethods: {}, modulesConstants: {}, viewManagersMetadata: {} },
    ExpoModulesCore: {
      installModules: () => {
        host.app["expo"] ??= makeExpo(host)
        return true
      }
    }
  })
}
