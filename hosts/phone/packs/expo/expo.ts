import type { Host } from "../../modules/Host.ts"
import type { Pack } from "../../modules/Pack.ts"
import { optionalIn, partOf, stubOf } from "../../modules/absent.ts"
import { askingModules } from "./asking.ts"
import { fetchModule } from "./fetch.ts"
import { fileModules } from "./files.ts"
import { expoModules } from "./modules.ts"
import { notifications } from "./notifications.ts"
import { optionalOfExpo } from "./optional.ts"
import { makeClasses } from "./sharedObjects.ts"
import { sqliteModule } from "./sqlite.ts"
import { expoComponents, viewConfig } from "./views.ts"

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
        const made = stubOf(name, host)
        there.set(name, made)
        return made
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
