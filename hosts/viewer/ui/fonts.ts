/**
 * The fonts for apps in replays. In a checkout they are read from the packages that have them. `npm run build` replaces this
 * module by one that contains them, and which is loaded when the first app needs a font.
 */
import { Record } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { iconFonts, type PageFont } from "../../phone/settings/fonts.ts"

/** Their files, in the packages. */
export const fontFiles = {
  ...Record.map(iconFonts, (_, name) => `react-native-vector-icons/Fonts/${name}.ttf`),
  Roboto: "@fontsource-variable/roboto/files/roboto-latin-wght-normal.woff2"
} as const satisfies Readonly<Record<PageFont, string>>

const packages = join(import.meta.dirname, "../../../node_modules")

/** The fonts as gzip, in base64. */
export const fonts = async (): Promise<Readonly<Record<PageFont, string>>> => {
  const read = async (file: string) => gzipSync(await readFile(join(packages, file))).toString("base64")
  const files = await Promise.all(
    Object.entries(fontFiles).map(async ([name, file]) => [name, await read(file)] as const)
  )
  const texts = new Map(files)
  return Record.map(fontFiles, (_, name) => texts.get(name) ?? "")
}
