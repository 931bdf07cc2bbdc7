import { fieldsIn, textIn } from "../runtime/decode.ts"
import { insets } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import type { Own } from "./Component.ts"
import { element } from "./element.ts"
import { loadImage } from "./image.ts"

/** An icon: an image of the app, or a symbol of iOS, which can't be drawn. */
export type TabIcon = { readonly uri: string; readonly isOriginal: boolean } | { readonly symbol: string }

/** An icon of the properties of an app: the source of an image, whether it keeps its colors, or the name of a symbol. */
export const tabIcon = (source: unknown, isOriginal: boolean, symbol: unknown): TabIcon | undefined => {
  const uri = textIn(fieldsIn(source)["uri"])
  if (uri !== undefined && uri !== "") return { uri, isOriginal }
  const name = textIn(symbol)
  return name === undefined || name === "" ? undefined : { symbol: name }
}

/** One tab in a bar. */
export interface TabItem {
  readonly key: string
  readonly title: string
  /** What a screen reader says in the place of the title. */
  readonly label?: string | undefined
  readonly testId?: string | undefined
  readonly icon?: TabIcon | undefined
  /** The icon while the tab is selected, where it differs. */
  readonly selectedIcon?: TabIcon | undefined
  /** The color of the tab while it is selected, where it differs from the bar's. */
  readonly active?: unknown
}

/** How a bar looks, with colors as the app names them. */
export interface TabBarLook {
  readonly isHidden: boolean
  readonly active?: unknown
  readonly inactive?: unknown
  /** The colors of the icons, where they differ from those of the titles. */
  readonly activeIcon?: unknown
  readonly inactiveIcon?: unknown
  readonly background?: unknown
}

/** How high a tab bar is, in points, with the home indicator below it. */
export const tabBarHeight = (): number => 49 + insets().bottom

/** Where the images of icons were loaded, by their URIs: a bar that is drawn again shows them at once. */
const loaded = new Map<string, string>()

const drawIcon = (icon: TabIcon, { assetUrls, notes }: Own): HTMLElement => {
  const drawn = element("icon")
  const { style } = drawn
  style.cssText = "box-sizing:border-box;flex:none;width:25px;height:25px"
  if ("symbol" in icon) {
    notes.missing("SF Symbol", icon.symbol)
    drawn.title = `The SF Symbol ${icon.symbol} isn’t there in a browser.`
    style.border = "1.5px dashed"
    style.borderRadius = "6px"
    return drawn
  }
  const { isOriginal, uri } = icon
  const show = (place: string): void => {
    const image = `url(${JSON.stringify(place)}) 50% / contain no-repeat`
    if (isOriginal) style.background = image
    else Object.assign(style, { background: "currentcolor", mask: image })
  }
  const place = loaded.get(uri)
  if (place !== undefined) show(place)
  else
    loadImage(assetUrls(uri)).then(
      (found) => {
        loaded.set(uri, found.place)
        show(found.place)
      },
      () => notes.absent(uri)
    )
  return drawn
}

/** The bar of tabs at the lower edge, as iOS draws it. */
export const makeTabBar = (own: Own, select: (key: string) => void) => {
  const bar = element("")
  bar.setAttribute("role", "tablist")
  bar.style.cssText =
    `position:absolute;left:0;right:0;bottom:0;height:${tabBarHeight()}px;padding-bottom:${insets().bottom}px;` +
    "box-sizing:border-box;z-index:1;display:flex;background:#f9f9f9f0;border-top:1px solid #3c3c4336"

  const draw = (items: ReadonlyArray<TabItem>, selected: string, look: TabBarLook): void => {
    bar.style.display = look.isHidden ? "none" : "flex"
    bar.style.background = color(look.background) || "#f9f9f9f0"
    bar.replaceChildren(
      ...items.map(({ active = look.active, icon, key, label, selectedIcon, testId, title }) => {
        const button = document.createElement("button")
        const isSelected = key === selected
        const shown = (isSelected ? selectedIcon : undefined) ?? icon
        if (shown !== undefined) {
          const drawn = drawIcon(shown, own)
          drawn.style.color = color(isSelected ? look.activeIcon : look.inactiveIcon)
          button.append(drawn)
        }
        button.append(title)
        button.setAttribute("role", "tab")
        button.ariaSelected = String(isSelected)
        button.ariaLabel = label ?? null
        button.dataset["testid"] = testId ?? ""
        button.style.cssText =
          "flex:1;display:flex;flex-direction:column;align-items:center;justify-content:center;gap:2px;min-width:0;border:0;" +
          `background:none;font:500 ${shown === undefined ? 12 : 10}px var(--system-fonts);cursor:pointer;` +
          `color:${isSelected ? color(active) || "#007aff" : color(look.inactive) || "#8e8e93"}`
        button.addEventListener("click", () => select(key))
        return button
      })
    )
  }
  return { element: bar, draw }
}
