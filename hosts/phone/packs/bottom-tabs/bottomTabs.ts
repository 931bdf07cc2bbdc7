import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn, listIn, textIn } from "../../runtime/decode.ts"
import type { Component } from "../../views/Component.ts"
import { element } from "../../views/element.ts"
import { makeTabBar, tabBarHeight, tabIcon } from "../../views/tabBar.ts"

/** A view for each tab, of which one is seen, and the bar of the tabs. */
const tabView: Component = (own) => {
  const pages = element("view")
  const items = () => {
    const [icons, focusedIcons] = [listIn(own.props()["icons"]), listIn(own.props()["focusedIcons"])]
    return listIn(own.props()["items"]).map((one, at) => {
      const tab = fieldsIn(one)
      const { hidden, key, preventsDefault, testID, title } = tab
      const isOriginal = tab["iconRenderingMode"] === "original"
      return {
        key: textIn(key) ?? "",
        title: textIn(title) ?? "",
        testId: textIn(testID),
        icon: tabIcon(icons[at], isOriginal, tab["sfSymbol"]),
        selectedIcon: tabIcon(focusedIcons[at], isOriginal, tab["focusedSfSymbol"]),
        active: tab["activeTintColor"] ?? own.props()["activeTintColor"],
        isHidden: hidden === true,
        isPrevented: preventsDefault === true
      }
    })
  }
  let selected = ""

  const draw = (): void => {
    const { barTintColor, inactiveTintColor, labeled, tabBarHidden } = own.props()
    const tabs = items()
    const look = { inactive: inactiveTintColor, background: barTintColor }
    bar.draw(
      tabs
        .filter(({ isHidden }) => !isHidden)
        .map((tab) => (labeled === false ? { ...tab, title: "", label: tab.title } : tab)),
      selected,
      { ...look, isHidden: tabBarHidden === true }
    )
    for (const [at, page] of [...pages.children].entries()) page.classList.toggle("away", tabs[at]?.key !== selected)
  }

  const bar = makeTabBar(own, (key) => {
    if (items().find((one) => one.key === key)?.isPrevented !== true) selected = key
    draw()
    own.emit("topPageSelected", { key })
  })
  pages.style.cssText = "position:absolute;inset:0"

  return {
    element: element("view", pages, bar.element),
    host: pages,
    // They are in the document after the commit.
    childrenChanged: () => queueMicrotask(draw),
    update: ({ selectedPage }) => {
      selected = textIn(selectedPage) ?? ""
      draw()
    },
    laidOut: ({ height, width }) => {
      draw()
      own.emit("topTabBarMeasured", { height: own.props()["tabBarHidden"] === true ? 0 : tabBarHeight() })
      own.emit("topNativeLayout", { width, height })
    }
  }
}

/** react-native-bottom-tabs: the phone's own tabs, also those of @bottom-tabs/react-navigation. */
export const bottomTabs: Pack = { components: { RNCTabView: tabView } }
