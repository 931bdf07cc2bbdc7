/** The fonts that a page provides for apps in replays: a bundle has none of those that are linked into a binary. */

/** The family by which symbols of iOS are drawn: an app may have Ionicons of its own, with other glyphs. */
export const symbolFamily = "Phone Symbols"

/** The icon fonts that a page may have, by the names of their files, and the families by which libraries use them. */
export const iconFonts = {
  AntDesign: ["AntDesign", "anticon"],
  Entypo: ["Entypo"],
  Feather: ["Feather"],
  FontAwesome: ["FontAwesome"],
  FontAwesome5_Brands: ["FontAwesome5_Brands", "FontAwesome5Brands-Regular"],
  FontAwesome5_Regular: ["FontAwesome5_Regular", "FontAwesome5Free-Regular"],
  FontAwesome5_Solid: ["FontAwesome5_Solid", "FontAwesome5Free-Solid"],
  FontAwesome6_Brands: ["FontAwesome6_Brands", "FontAwesome6Brands-Regular"],
  FontAwesome6_Regular: ["FontAwesome6_Regular", "FontAwesome6Free-Regular"],
  FontAwesome6_Solid: ["FontAwesome6_Solid", "FontAwesome6Free-Solid"],
  Ionicons: ["Ionicons", symbolFamily],
  MaterialCommunityIcons: ["MaterialCommunityIcons", "MaterialDesignIcons", "Material Design Icons"],
  MaterialIcons: ["MaterialIcons", "Material Icons"]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

/** A font of the page: of the system, or for icons. */
export type PageFont = keyof typeof iconFonts | "Roboto"

export const isPageFont = (name: string): name is PageFont => name === "Roboto" || Object.hasOwn(iconFonts, name)

// The fonts that were uploaded beside a bundle.

const weights: ReadonlyArray<readonly [RegExp, string]> = [
  [/thin|hairline/i, "100"],
  [/(?:extra|ultra)-?light/i, "200"],
  [/light/i, "300"],
  [/medium/i, "500"],
  [/(?:semi|demi)-?bold/i, "600"],
  [/(?:extra|ultra)-?bold/i, "800"],
  [/black|heavy/i, "900"],
  [/bold/i, "700"]
]

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

/** A file of a font, and what its name says of it: that of the family, and then that of the style. */
export interface FontFile {
  readonly path: string
  readonly weight: string
  readonly style: "italic" | "normal"
}

/** The files of a family: the one that is named like it, or those whose names are it and a style. */
export const filesOfFamily = (family: string, paths: ReadonlyArray<string>): ReadonlyArray<FontFile> => {
  const named = paths.map((path) => ({ path, name: path.slice(path.lastIndexOf("/") + 1, path.lastIndexOf(".")) }))
  const exact = named.find(({ name }) => plain(name) === plain(family))
  const style =
    /^(?:thin|hairline|extra|ultra|light|book|regular|normal|medium|semi|demi|bold|black|heavy|italic|oblique|variable|font|wght|\d+)+$/
  const faces = named.filter(({ name }) => plain(name).startsWith(plain(family)))
  const styled = faces.filter(({ name }) => style.test(plain(name).slice(plain(family).length)))
  const used = exact !== undefined && styled.length === 0 ? [exact] : exact === undefined ? styled : [exact, ...styled]
  return used.map(({ name, path }) => {
    const rest = name.slice(Math.min(name.length, family.length))
    const isVariable = /variable|wght/i.test(rest)
    const weight = isVariable ? "100 900" : (weights.find(([pattern]) => pattern.test(rest))?.[1] ?? "400")
    return { path, weight, style: /italic|oblique/i.test(rest) ? "italic" : "normal" }
  })
}
