import { fieldsIn, textIn } from "../../runtime/decode.ts"
import { insets } from "../../runtime/device.ts"
import { color } from "../../style/color.ts"
import type { Component, Drawing, Own } from "../../views/Component.ts"
import { element } from "../../views/element.ts"

/** How high the bar is, in points, as on a phone without a home indicator. */
const barHeight = 49

/** What shows the screen of a tab, or hides it; by the screen's tag. */
const shows = new Map<number, (isShown: boolean) => void>()

const keyOf = (screen: Own): string => textIn(screen.props()["screenKey"]) ?? ""

/** Tabs that are the phone's own: a bar at the lower edge, and one of the screens above it. */
const host: Component = (own): Drawing => {
  const bar = element("")
  const drawn = element("view", bar)
  bar.setAttribute("role", "tablist")
  bar.style.cssText =
    `position:absolute;left:0;right:0;bottom:0;height:${barHeight + insets().bottom}px;padding-bottom:${insets().bottom}px;box-sizing:border-box;z-index:1;display:flex;` +
    "background:#f9f9f9f0;border-top:1px solid #3c3c4336"
  let screens: ReadonlyArray<Own> = []
  let selected = ""
  let provenance = 0

  const buttonOf = (screen: Own): HTMLElement => {
    const props = screen.props()
    const button = document.createElement("button")
    const isSelected = keyOf(screen) === selected
    button.textContent = textIn(props["title"]) ?? ""
    button.setAttribute("role", "tab")
    button.ariaSelected = String(isSelected)
    button.ariaLabel = textIn(props["tabBarItemAccessibilityLabel"]) ?? null
    button.dataset["testid"] = textIn(props["tabBarItemTestID"]) ?? ""
    button.style.cssText =
      "flex:1;border:0;background:none;font:500 12px var(--system-fonts);cursor:pointer;" +
      `color:${isSelected ? color(own.props()["tabBarTintColor"]) || "#007aff" : "#8e8e93"}`
    button.addEventListener("click", () => select(keyOf(screen)))
    return button
  }

  const draw = (): void => {
    bar.style.display = own.props()["tabBarHidden"] === true ? "none" : "flex"
    bar.replaceChildren(...screens.map(buttonOf))
    drawn.append(bar)
    for (const screen of screens) shows.get(screen.tag)?.(keyOf(screen) === selected)
  }

  const select = (key: string): void => {
    const isRepeated = key === selected
    selected = key
    provenance += 1
    draw()
    own.emit("topTabSelected", {
      selectedScreenKey: key,
      provenance,
      isRepeated,
      hasTriggeredSpecialEffect: false,
      actionOrigin: "user"
    })
  }

  return {
    element: drawn,
    childrenChanged: (children) => {
      screens = children.filter(({ name }) => /TabsScreen/.test(name))
      draw()
    },
    update: (props, before) => {
      const wanted = textIn(fieldsIn(props["navStateRequest"])["selectedScreenKey"])
      if (wanted !== undefined && props["navStateRequest"] !== before["navStateRequest"]) selected = wanted
      draw()
    },
    laidOut: draw
  }
}

const screen: Component = (own): Drawing => {
  const drawn = element("view")
  shows.set(own.tag, (isShown) => {
    const wasShown = !drawn.classList.contains("away")
    drawn.classList.toggle("away", !isShown)
    if (wasShown !== isShown) own.emit(isShown ? "topDidAppear" : "topDidDisappear", {})
  })
  drawn.classList.add("away")
  return { element: drawn, unmounted: () => shows.delete(own.tag) }
}

/** The tabs of react-native-screens, which expo-router calls NativeTabs. */
export const tabs: Readonly<Record<string, Component>> = { RNSTabsHostIOS: host, RNSTabsScreenIOS: screen }
