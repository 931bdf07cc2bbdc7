import { fieldsIn, textIn } from "../../runtime/decode.ts"
import type { Component, Drawing, Own } from "../../views/Component.ts"
import { element } from "../../views/element.ts"
import { makeTabBar, tabIcon } from "../../views/tabBar.ts"

/** What shows the screen of a tab, or hides it; by the screen's tag. */
const shows = new Map<number, (isShown: boolean) => void>()

/** Selects a tab; by the host's tag. Up to react-native-screens 4.24, a screen says itself whether it is selected. */
const selects = new Map<number, (key: string) => void>()

const keyOf = (screen: Own): string => textIn(screen.props()["screenKey"] ?? screen.props()["tabKey"]) ?? ""

/** Tabs that are the phone's own: a bar at the lower edge, and one of the screens above it. */
const host: Component = (own): Drawing => {
  let screens: ReadonlyArray<Own> = []
  let selected = ""
  let provenance = 0

  const draw = (): void => {
    const { tabBarHidden, tabBarTintColor } = own.props()
    const items = screens.map((screen) => {
      const props = screen.props()
      const { iconImageSource, selectedIconImageSource, tabBarItemAccessibilityLabel, tabBarItemTestID, title } = props
      const isOriginal = props["iconType"] === "image"
      // Older versions name symbols in a property of their own.
      const symbol = props["iconResourceName"] ?? props["iconSfSymbolName"]
      const selectedSymbol = props["selectedIconResourceName"] ?? props["selectedIconSfSymbolName"]
      return {
        key: keyOf(screen),
        title: textIn(title) ?? "",
        label: textIn(tabBarItemAccessibilityLabel),
        testId: textIn(tabBarItemTestID),
        icon: tabIcon(iconImageSource, isOriginal, symbol),
        selectedIcon: tabIcon(selectedIconImageSource, isOriginal, selectedSymbol)
      }
    })
    const shown = screens.find((screen) => keyOf(screen) === selected)
    const { stacked, tabBarBackgroundColor } = fieldsIn(shown?.props()["standardAppearance"])
    const [normal, active] = ["normal", "selected"].map((state) => fieldsIn(fieldsIn(stacked)[state]))
    bar.draw(items, selected, {
      isHidden: tabBarHidden === true,
      active: active?.["tabBarItemTitleFontColor"] ?? tabBarTintColor,
      inactive: normal?.["tabBarItemTitleFontColor"],
      activeIcon: active?.["tabBarItemIconColor"] ?? tabBarTintColor ?? "#007aff",
      inactiveIcon: normal?.["tabBarItemIconColor"] ?? "#8e8e93",
      background: tabBarBackgroundColor
    })
    drawn.append(bar.element)
    for (const screen of screens) shows.get(screen.tag)?.(keyOf(screen) === selected)
  }

  const bar = makeTabBar(own, (key) => {
    const isRepeated = key === selected
    selected = key
    provenance += 1
    draw()
    if (own.name !== "RNSTabsHostIOS") {
      own.emit("topNativeFocusChange", { tabKey: key, repeatedSelectionHandledBySpecialEffect: false })
      return
    }
    own.emit("topTabSelected", {
      selectedScreenKey: key,
      provenance,
      isRepeated,
      hasTriggeredSpecialEffect: false,
      actionOrigin: "user"
    })
  })
  const drawn = element("view", bar.element)
  selects.set(own.tag, (key) => {
    selected = key
    draw()
  })

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
    laidOut: draw,
    unmounted: () => selects.delete(own.tag)
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
  return {
    element: drawn,
    update: ({ isFocused }, before) => {
      const around = own.parent()
      if (isFocused === true && before["isFocused"] !== true && around !== undefined)
        selects.get(around.tag)?.(keyOf(own))
    },
    unmounted: () => shows.delete(own.tag)
  }
}

/** The tabs of react-native-screens, which expo-router calls NativeTabs. */
export const tabs: Readonly<Record<string, Component>> = {
  RNSTabsHostIOS: host,
  RNSTabsScreenIOS: screen,
  RNSTabsHost: host,
  RNSTabsScreen: screen,
  RNSBottomTabs: host,
  RNSBottomTabsScreen: screen
}
