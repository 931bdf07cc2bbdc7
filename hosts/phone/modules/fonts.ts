/** The fonts that a phone or an app's binary has, and a bundle doesn't. */
import { systemFamily } from "../views/stylesheet.ts"
import { iconFonts, isPageFont, type PageFont } from "../settings/fonts.ts"
import { onFamily } from "../style/paint.ts"
import { appFolder } from "../runtime/assets.ts"
import { isAndroid } from "../runtime/device.ts"
import type { Notes } from "../runtime/notes.ts"

/** The families that every phone has, for which a browser has others. */
const common =
  /^(?:Arial|Avenir|Courier|Georgia|Gill ?Sans|Helvetica|Menlo|Monaco|Palatino|Times|Trebuchet|Verdana|monospace|serif|cursive|casual|inherit)/i

/** Where fonts lie beside a bundle, as in the project of an app. */
const folders = ["fonts/", "assets/fonts/"]

const load = async (family: string, url: string, weight?: string): Promise<void> => {
  const face = new FontFace(family, `url(${JSON.stringify(url)})`, weight === undefined ? {} : { weight })
  document.fonts.add(await face.load())
}

/** Loads the font of Android's system, before any text is measured. */
export const loadSystemFont = async (fontUrl: (name: PageFont) => string): Promise<void> => {
  if (isAndroid()) await load(systemFamily, fontUrl("Roboto"), "100 900")
}

/** Loads the fonts that are linked into the binary of an app, when it first uses them: those uploaded with it, or icons. */
export const loadLinkedFonts = (
  notes: Notes,
  assetUrls: (uri: string) => ReadonlyArray<string>,
  fontUrl: ((name: PageFont) => string) | undefined
): void => {
  const isLoaded = (family: string): boolean =>
    [...document.fonts].some((face) => face.family.replaceAll(/^["']|["']$/g, "") === family)

  const uploaded = async (family: string): Promise<boolean> => {
    const names = folders.flatMap((folder) => [`${folder}${family}.ttf`, `${folder}${family}.otf`])
    for (const url of names.flatMap((name) => assetUrls(appFolder + encodeURI(name)))) {
      try {
        await load(family, url)
        return true
      } catch {
        // It may lie at the next address.
      }
    }
    return false
  }

  onFamily(async (family) => {
    if (isLoaded(family) || common.test(family)) return
    for (const [name, families] of Object.entries(iconFonts)) {
      if (fontUrl === undefined || !families.some((one) => one === family) || !isPageFont(name)) continue
      try {
        await load(family, fontUrl(name))
        notes.line(`The icons of ${family} are those of react-native-vector-icons 10: a bundle has no linked fonts.`)
      } catch (error) {
        console.error(error)
        notes.missing("font", family)
      }
      return
    }
    if (!(await uploaded(family))) notes.missing("font", family)
  })
}
