/** The fonts that a phone or an app's binary has, and a bundle doesn't. */
import { systemFamily } from "../views/stylesheet.ts"
import { filesOfFamily, type FontFile, iconFonts, isPageFont, type PageFont, symbolFamily } from "../settings/fonts.ts"
import { onFamily } from "../style/paint.ts"
import { appFolder } from "../runtime/assets.ts"
import { isAndroid } from "../runtime/device.ts"
import type { Notes } from "../runtime/notes.ts"

/** The families that every phone has, for which a browser has others. */
const common =
  /^(?:Arial|Avenir|Courier|Georgia|Gill ?Sans|Helvetica|Menlo|Monaco|Palatino|Times|Trebuchet|Verdana|monospace|serif|cursive|casual|inherit)/i

const load = async (family: string, url: string, descriptors: FontFaceDescriptors = {}): Promise<void> => {
  const face = new FontFace(family, `url(${JSON.stringify(url)})`, descriptors)
  document.fonts.add(await face.load())
}

/** Loads the font of Android's system, before any text is measured. */
export const loadSystemFont = async (fontUrl: (name: PageFont) => string): Promise<void> => {
  if (isAndroid()) await load(systemFamily, fontUrl("Roboto"), { weight: "100 900" })
}

/** Loads the fonts that are linked into the binary of an app, when it first uses them: those uploaded with it, or icons of the page. */
export const loadLinkedFonts = (
  notes: Notes,
  assetUrls: (uri: string) => ReadonlyArray<string>,
  fontUrl: ((name: PageFont) => string) | undefined,
  fontFiles: ReadonlyArray<string>
): void => {
  const isLoaded = (family: string): boolean =>
    [...document.fonts].some((face) => face.family.replaceAll(/^["']|["']$/g, "") === family)

  const loadUploaded = async (family: string, { path, style, weight }: FontFile, isOnly: boolean): Promise<boolean> => {
    for (const url of assetUrls(appFolder + encodeURI(path))) {
      try {
        await load(family, url, isOnly ? {} : { weight, style })
        return true
      } catch {
        // It may lie at the next address.
      }
    }
    return false
  }

  const uploaded = async (family: string): Promise<boolean> => {
    const files = filesOfFamily(family, fontFiles)
    const loaded = await Promise.all(files.map((file) => loadUploaded(family, file, files.length === 1)))
    return loaded.includes(true)
  }

  onFamily(async (family) => {
    if (isLoaded(family) || (await uploaded(family)) || common.test(family)) return
    for (const [name, families] of Object.entries(iconFonts)) {
      if (!families.some((one) => one === family) || !isPageFont(name)) continue
      if (fontUrl === undefined) return
      try {
        await load(family, fontUrl(name))
        if (family !== symbolFamily)
          notes.line(`The icons of ${family} are those of react-native-vector-icons 10: a bundle has no linked fonts.`)
      } catch (error) {
        console.error(error)
        notes.missing("font", family)
      }
      return
    }
    notes.missing("font", family)
  })
}
