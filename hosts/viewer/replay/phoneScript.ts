/** The script that runs a phone's own bundle in the document of a replay. */
import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"
import { mountPhone } from "../../phone/mountPhone.ts"
import { loadSkia } from "../../phone/packs/registry.ts"
import { systemFamily } from "../../phone/views/stylesheet.ts"
import { loadLottie, loadSqlite } from "../../phone/runtime/optionalScripts.ts"
import { frameFontUrl, frameScriptUrl } from "./message.ts"

const script = document.currentScript instanceof HTMLScriptElement ? document.currentScript : undefined
const bundle = script?.dataset["bundle"]
const root = document.querySelector<HTMLElement>("#root")

/** Runs the app. An app's files were uploaded beside its bundle, or at the top of what was uploaded with it. */
const run = async (root: HTMLElement, bundle: string): Promise<void> => {
  // Loaded before any text is measured. Other scripts than Latin have the fonts of the browser.
  document.fonts.add(await new FontFace(systemFamily, inter, { weight: "100 900" }).load())
  const fonts = document.querySelector<HTMLElement>("template[data-fonts]")?.dataset["fonts"]
  await mountPhone(root, bundle, [bundle.slice(0, bundle.lastIndexOf("/") + 1), "./"], {
    fontFiles: fonts === undefined ? [] : JSON.parse(fonts),
    // The check of slipway-ci has no fonts.
    ...(script?.dataset["starting"] === undefined ? {} : { fontUrl: frameFontUrl }),
    loadSqlite: () => loadSqlite(frameScriptUrl("sqlite")),
    loadLottie: () => loadLottie(frameScriptUrl("lottie")),
    loadSkia: () => loadSkia(frameScriptUrl("skia"))
  })
}

if (bundle !== undefined && root !== null) {
  run(root, bundle)
    .catch((error: unknown) => reportError(error))
    .finally(() => script?.removeAttribute("data-starting"))
}
