/** The fonts that a page provides for apps in replays: a bundle has none of those that are linked into a binary. */

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
  Ionicons: ["Ionicons"],
  MaterialCommunityIcons: ["MaterialCommunityIcons", "MaterialDesignIcons", "Material Design Icons"],
  MaterialIcons: ["MaterialIcons", "Material Icons"]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

/** A font of the page: of the system, or for icons. */
export type PageFont = keyof typeof iconFonts | "Roboto"

export const isPageFont = (name: string): name is PageFont => name === "Roboto" || Object.hasOwn(iconFonts, name)
