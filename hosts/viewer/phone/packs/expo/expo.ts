import type { Host } from "../../modules/Host.ts"
import type { Pack } from "../../modules/Pack.ts"
import { expoModules } from "./modules.ts"
import { makeClasses } from "./sharedObjects.ts"
import { expoComponents, viewConfig } from "./views.ts"

/** What an app of Expo's finds as `globalThis.expo`. */
const makeExpo = (host: Host) => {
  const classes = makeClasses(host.calls)
  const modules = Object.fromEntries(
    Object.entries(expoModules(host)).map(([name, methods]) => [
      name,
      Object.assign(new classes.NativeModule(), methods)
    ])
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
  modules: (host) => ({
    ExpoModulesCore: {
      installModules: () => {
        host.app["expo"] ??= makeExpo(host)
        return true
      }
    }
  })
}
