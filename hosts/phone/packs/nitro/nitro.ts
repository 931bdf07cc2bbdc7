import { stubOf } from "../../modules/absent.ts"
import type { Pack } from "../../modules/Pack.ts"

/** react-native-nitro-modules, by which libraries ask for their native parts. */
export const nitro: Pack = {
  modules: (host) => {
    const { app, hybrids } = host
    const proxy = {
      version: "0",
      buildType: "release",
      createHybridObject: (name: string) => hybrids.get(name) ?? stubOf(name, host),
      hasHybridObject: (name: string) => hybrids.has(name),
      getAllHybridObjectNames: () => [...hybrids.keys()],
      isHybridObject: (value: unknown) => typeof value === "object" && value !== null,
      hasNativeState: (value: unknown) => typeof value === "object" && value !== null,
      box: (value: unknown) => ({ unbox: () => value }),
      updateMemorySize: (value: unknown) => value
    }
    return {
      NitroModules: {
        install: (): void => {
          app["NitroModulesProxy"] = proxy
        }
      }
    }
  }
}
