/** The phone's own tabs: their bar, and the libraries that have it. */
import type { Pack } from "../modules/Host.ts"
import { fieldsIn, listIn, textIn } from "../runtime/decode.ts"
import { insets } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { type Component, type Drawing, element, type ComponentContext } from "../views/Component.ts"
import { loadImage } from "../views/image.ts"
import { drawSymbol } from "../views/symbols.ts"

/** An icon: an image of the app, or a symbol of iOS. */
type TabIcon = { readonly uri: string; readonly isOriginal: boolean } | { readonly symbol: string }

/** An icon of the properties of an app: the source of an image, whether it keeps its colors, or the name of a symbol. */
const tabIcon = (source: unknown, isOriginal: boolean, symbol: unknown): TabIcon | undefined => {
  const uri = textIn(fieldsIn(source)["uri"])
  if (uri !== undefined && uri !== "") return { uri, isOriginal }
  const name = textIn(symbol)
  return name === undefined || name === "" ? undefined : { symbol: name }
}

/** One tab in a bar. */
interface TabItem {
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
interface TabBarLook {
  readonly isHidden: boolean
  readonly active?: unknown
  readonly inactive?: unknown
  /** The colors of the icons, where they differ from those of the titles. */
  readonly activeIcon?: unknown
  readonly inactiveIcon?: unknown
  readonly background?: unknown
}

/** How high a tab bar is, in points, with the home indicator below it. */
const tabBarHeight = (): number => 49 + insets().bottom

/** Where the images of icons were loaded, by their URIs: a bar that is drawn again shows them at once. */
const loadedIcons = new Map<string, string>()

const drawIcon = (icon: TabIcon, { assetUrls, notes }: ComponentContext): HTMLElement => {
  if ("symbol" in icon) return drawSymbol(icon.symbol, 25, notes)
  const drawn = element("icon")
  const { style } = drawn
  style.cssText = "box-sizing:border-box;flex:none;width:25px;height:25px"
  const { isOriginal, uri } = icon
  const show = (place: string): void => {
    const image = `url(${JSON.stringify(place)}) 50% / contain no-repeat`
    if (isOriginal) style.background = image
    else Object.assign(style, { background: "currentcolor", mask: image })
  }
  const place = loadedIcons.get(uri)
  if (place !== undefined) show(place)
  else
    loadImage(assetUrls(uri)).then(
      (image) => {
        loadedIcons.set(uri, image.place)
        show(image.place)
      },
      () => notes.absent(uri)
    )
  return drawn
}

/** The bar of tabs at the lower edge, as iOS draws it. */
const makeTabBar = (context: ComponentContext, select: (key: string) => void) => {
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
          const drawn = drawIcon(shown, context)
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

/** A view for each tab, of which one is seen, and the bar of the tabs. */
const tabView: Component = (context) => {
  const pages = element("view")
  const items = () => {
    const [icons, focusedIcons] = [listIn(context.props()["icons"]), listIn(context.props()["focusedIcons"])]
    return listIn(context.props()["items"]).map((one, at) => {
      const tab = fieldsIn(one)
      const { hidden, key, preventsDefault, testID, title } = tab
      const isOriginal = tab["iconRenderingMode"] === "original"
      return {
        key: textIn(key) ?? "",
        title: textIn(title) ?? "",
        testId: textIn(testID),
        icon: tabIcon(icons[at], isOriginal, tab["sfSymbol"]),
        selectedIcon: tabIcon(focusedIcons[at], isOriginal, tab["focusedSfSymbol"]),
        active: tab["activeTintColor"] ?? context.props()["activeTintColor"],
        isHidden: hidden === true,
        isPrevented: preventsDefault === true
      }
    })
  }
  let selected = ""

  const draw = (): void => {
    const { barTintColor, inactiveTintColor, labeled, tabBarHidden } = context.props()
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

  const bar = makeTabBar(context, (key) => {
    if (items().find((one) => one.key === key)?.isPrevented !== true) selected = key
    draw()
    context.emit("topPageSelected", { key })
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
      context.emit("topTabBarMeasured", { height: context.props()["tabBarHidden"] === true ? 0 : tabBarHeight() })
      context.emit("topNativeLayout", { width, height })
    }
  }
}

/** react-native-bottom-tabs: the phone's own tabs, also those of @bottom-tabs/react-navigation. */
const bottomTabs: Pack = { components: { RNCTabView: tabView } }

/** What shows the screen of a tab, or hides it; by the screen's tag. */
const showTabScreen = new Map<number, (isShown: boolean) => void>()

/** Selects a tab; by the host's tag. Up to react-native-screens 4.24, a screen says itself whether it is selected. */
const selectTab = new Map<number, (key: string) => void>()

const keyOf = (screen: ComponentContext): string =>
  textIn(screen.props()["screenKey"] ?? screen.props()["tabKey"]) ?? ""

/** Tabs that are the phone's own: a bar at the lower edge, and one of the screens above it. */
const host: Component = (context): Drawing => {
  let screens: ReadonlyArray<ComponentContext> = []
  let selected = ""
  let provenance = 0

  const draw = (): void => {
    const { tabBarHidden, tabBarTintColor } = context.props()
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
    for (const screen of screens) showTabScreen.get(screen.tag)?.(keyOf(screen) === selected)
  }

  const bar = makeTabBar(context, (key) => {
    const isRepeated = key === selected
    selected = key
    provenance += 1
    draw()
    if (context.name !== "RNSTabsHostIOS") {
      context.emit("topNativeFocusChange", { tabKey: key, repeatedSelectionHandledBySpecialEffect: false })
      return
    }
    context.emit("topTabSelected", {
      selectedScreenKey: key,
      provenance,
      isRepeated,
      hasTriggeredSpecialEffect: false,
      actionOrigin: "user"
    })
  })
  const drawn = element("view", bar.element)
  selectTab.set(context.tag, (key) => {
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
    unmounted: () => selectTab.delete(context.tag)
  }
}

const screen: Component = (context): Drawing => {
  const drawn = element("view")
  showTabScreen.set(context.tag, (isShown) => {
    const wasShown = !drawn.classList.contains("away")
    drawn.classList.toggle("away", !isShown)
    if (wasShown !== isShown) context.emit(isShown ? "topDidAppear" : "topDidDisappear", {})
  })
  drawn.classList.add("away")
  return {
    element: drawn,
    update: ({ isFocused }, before) => {
      const around = context.parent()
      if (isFocused === true && before["isFocused"] !== true && around !== undefined)
        selectTab.get(around.tag)?.(keyOf(context))
    },
    unmounted: () => showTabScreen.delete(context.tag)
  }
}

/** The tabs of react-native-screens, which expo-router calls NativeTabs. */
const nativeTabs: Pack = {
  components: {
    RNSTabsHostIOS: host,
    RNSTabsScreenIOS: screen,
    RNSTabsHost: host,
    RNSTabsScreen: screen,
    RNSBottomTabs: host,
    RNSBottomTabsScreen: screen
  }
}

export const tabs: ReadonlyArray<Pack> = [bottomTabs, nativeTabs]
