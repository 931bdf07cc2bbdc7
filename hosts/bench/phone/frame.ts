import { gunzipSync } from "node:zlib"
import type { appAt } from "../../phone/testing/pages.ts"
import { bundles } from "../../viewer/ui/bundles.ts"

/** In a function of its own, as the viewer sends it: minified scripts have the same names. */
const own = (script: string): string => `(() => {"use strict";${script}\n})()`

/** What the viewer gives an app: the script that mounts the phone, those that it loads when an app needs them, and its fonts. */
export const viewerFrame = async (): Promise<Parameters<typeof appAt>[2]> => {
  const { fonts, scripts } = await bundles()
  const text = async (name: keyof typeof scripts) => own(await scripts[name].text())
  const files = Object.entries(fonts).map(
    async ([name, read]) => [name, gunzipSync(Buffer.from(await read(), "base64"))] as const
  )
  return {
    phone: await text("phone"),
    lazy: { sqlite: await text("sqlite"), lottie: await text("lottie"), skia: await text("skia") },
    fonts: Object.fromEntries(await Promise.all(files))
  }
}
