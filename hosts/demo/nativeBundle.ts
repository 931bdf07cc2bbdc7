import { Effect } from "effect"
import { join } from "node:path"
import { readFixture } from "../phone/fixtures/readFixture.ts"
import { BundleFailed, type BundledApp } from "./bundle.ts"

/** The same app for a phone, as Metro made it: with no target for the web. */
export const nativeApp: Effect.Effect<BundledApp, BundleFailed> = Effect.try({
  try: () => ({
    entry: "main.jsbundle",
    bundleContentType: "text/javascript" as const,
    isTransformed: false,
    ...readFixture(join(import.meta.dirname, "native.zip"))
  }),
  catch: (cause) => new BundleFailed({ message: "The demo app's bundle for a phone cannot be read", cause })
})
