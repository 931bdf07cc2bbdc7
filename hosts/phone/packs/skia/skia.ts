import type { Pack } from "../../modules/Pack.ts"

/** An object that has every property and method, each of which is itself: what is drawn with it is nothing. */
const nothing: object = new Proxy(() => {}, {
  get: (_, name) =>
    name === Symbol.toPrimitive ? () => 0 : name === "then" || name === "$$typeof" ? undefined : nothing,
  apply: () => nothing,
  construct: () => nothing
})

/** @shopify/react-native-skia: apps run, and each canvas is a labelled box. */
export const skia: Pack = {
  modules: ({ app }) => ({
    RNSkiaModule: {
      install: () => {
        app["SkiaApi"] = nothing
        app["SkiaViewApi"] = nothing
        return true
      }
    }
  })
}
