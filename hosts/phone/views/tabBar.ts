import { insets } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { element } from "./element.ts"

/** One tab in a bar. */
export interface TabItem {
  readonly key: string
  readonly title: string
  /** What a screen reader says in the place of the title. */
  readonly label?: string | undefined
  readonly testId?: string | undefined
}

/** How a bar looks, with colors as the app names them. */
export interface TabBarLook {
  readonly isHidden: boolean
  readonly active?: unknown
  readonly inactive?: unknown
  readonly background?: unknown
}

/** How high a tab bar is, in points, with the home indicator below it. */
export const tabBarHeight = (): number => 49 + insets().bottom

/** The bar of tabs at the lower edge, as iOS draws it, without icons. */
export const makeTabBar = (select: (key: string) => void) => {
  const bar = element("")
  bar.setAttribute("role", "tablist")
  bar.style.cssText =
    `position:absolute;left:0;right:0;bottom:0;height:${tabBarHeight()}px;padding-bottom:${insets().bottom}px;` +
    "box-sizing:border-box;z-index:1;display:flex;background:#f9f9f9f0;border-top:1px solid #3c3c4336"

  const draw = (items: ReadonlyArray<TabItem>, selected: string, look: TabBarLook): void => {
    bar.style.display = look.isHidden ? "none" : "flex"
    bar.style.background = color(look.background) || "#f9f9f9f0"
    bar.replaceChildren(
      ...items.map(({ key, label, testId, title }) => {
        const button = document.createElement("button")
        const isSelected = key === selected
        button.textContent = title
        button.setAttribute("role", "tab")
        button.ariaSelected = String(isSelected)
        button.ariaLabel = label ?? null
        button.dataset["testid"] = testId ?? ""
        button.style.cssText =
          "flex:1;border:0;background:none;font:500 12px var(--system-fonts);cursor:pointer;" +
          `color:${isSelected ? color(look.active) || "#007aff" : color(look.inactive) || "#8e8e93"}`
        button.addEventListener("click", () => select(key))
        return button
      })
    )
  }
  return { element: bar, draw }
}
