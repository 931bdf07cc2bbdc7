import type { Declared } from "./declared.ts"
import type { Uploads } from "./uploads.ts"

/** A map of slots by name. `more` adds members besides `putUrl` and `contentType`. */
export const slotsOf = (
  objects: ReadonlyArray<Declared>,
  uploads: Uploads,
  more: (object: Declared) => object = () => ({})
): Readonly<Record<string, object>> =>
  Object.fromEntries(
    objects.map((one) => [one.name, { putUrl: uploads.putUrl(one), contentType: one.type, ...more(one) }])
  )
