import { stubOf } from "../modules/absent.ts"
import type { Pack } from "../modules/Pack.ts"

/** react-native-nitro-modules, by which packages ask for their native parts; `packs` have them. */
export const nitro = (packs: ReadonlyArray<Pack>): Pack => ({
  modules: ({ app, notes }) => {
    const hybrids = new Map(packs.flatMap((pack) => Object.entries(pack.hybrids ?? {})))
    const proxy = {
      version: "0",
      buildType: "release",
      createHybridObject: (name: string) => hybrids.get(name) ?? stubOf(name, notes),
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
})
