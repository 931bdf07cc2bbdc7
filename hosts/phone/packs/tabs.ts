/** The phone's own tabs: their bar, and the libraries that have it. */
import { Edge } from "yoga-layout/load"
import type { Pack } from "../modules/Host.ts"
import { fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { insets, isAndroid, isDark, onDark, system } from "../runtime/device.ts"
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
  /** A short text at the icon, such as a number. */
  readonly badge?: string | undefined
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
  /** What is behind the icon of the selected tab on Android; `null` for nothing. */
  readonly indicator?: unknown
  /** Which tabs of Android have their titles, as Material names it. */
  readonly labels?: unknown
  readonly badge?: unknown
  readonly badgeText?: unknown
}

const iosColors = {
  bar: "#f9f9f9f0",
  active: "#007aff",
  activeIcon: "#007aff",
  inactive: "#8e8e93",
  indicator: "none",
  badge: "#ff3b30",
  badgeText: "#fff"
}

/** How each system draws a tab bar: iOS, and Material 3 with the colors of its baseline theme. */
const barStyles = {
  ios: { height: 49, border: "1px solid #3c3c4336", font: 10, gap: 2, light: iosColors, dark: iosColors },
  android: {
    height: 80,
    border: "0",
    font: 12,
    gap: 4,
    light: {
      bar: "#f3edf7",
      active: "#1d1b20",
      activeIcon: "#1d192b",
      inactive: "#49454f",
      indicator: "#e8def8",
      badge: "#b3261e",
      badgeText: "#fff"
    },
    dark: {
      bar: "#211f26",
      active: "#e6e0e9",
      activeIcon: "#e8def8",
      inactive: "#cac4d0",
      indicator: "#4a4458",
      badge: "#f2b8b5",
      badgeText: "#601410"
    }
  }
} as const

const barStyle = () => {
  const { dark, light, ...lengths } = barStyles[system.platform]
  return { ...lengths, plain: isDark() ? dark : light }
}

/** How high a tab bar is, in points, with what belongs to the device below it. */
const tabBarHeight = (): number => barStyle().height + insets().bottom

/** Where the images of icons were loaded, by their URIs: a bar that is drawn again shows them at once. */
const loadedIcons = new Map<string, string>()

const drawIcon = (icon: TabIcon, { assetUrls, notes }: ComponentContext): HTMLElement => {
  const size = isAndroid() ? 24 : 25
  if ("symbol" in icon) return drawSymbol(icon.symbol, size, notes, isAndroid() ? "drawable" : "SF Symbol")
  const drawn = element("icon")
  const { style } = drawn
  style.cssText = `box-sizing:border-box;flex:none;width:${size}px;height:${size}px`
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

const drawBadge = (text: string, look: TabBarLook): HTMLElement => {
  const { plain } = barStyle()
  const drawn = element("")
  drawn.textContent = text.trim()
  drawn.style.cssText =
    "position:absolute;left:calc(50% + 4px);top:-4px;min-width:16px;height:16px;padding:0 4px;box-sizing:border-box;" +
    `border-radius:8px;font:500 11px/16px var(--system-fonts);background:${color(look.badge) || plain.badge};` +
    `color:${color(look.badgeText) || plain.badgeText}`
  return drawn
}

/** The bar of tabs at the lower edge, as the system draws it. */
const makeTabBar = (context: ComponentContext, select: (key: string) => void) => {
  const bar = element("")
  bar.setAttribute("role", "tablist")
  let drawAgain = (): void => {}

  const draw = (items: ReadonlyArray<TabItem>, selected: string, look: TabBarLook): void => {
    drawAgain = () => draw(items, selected, look)
    const { border, font, gap, height, plain } = barStyle()
    bar.style.cssText =
      `position:absolute;left:0;right:0;bottom:0;height:${height + insets().bottom}px;padding-bottom:${insets().bottom}px;` +
      `box-sizing:border-box;z-index:1;display:${look.isHidden ? "none" : "flex"};border-top:${border};` +
      `background:${color(look.background) || plain.bar}`
    const isShifting = look.labels === "selected" || (look.labels === "auto" && items.length > 3)
    bar.replaceChildren(
      ...items.map(({ active = look.active, badge = "", icon, key, label, selectedIcon, testId, title }) => {
        const button = document.createElement("button")
        const isSelected = key === selected
        const shown = (isSelected ? selectedIcon : undefined) ?? icon
        const isTitled = look.labels !== "unlabeled" && (isSelected || !isShifting)
        if (shown !== undefined || badge !== "") {
          const pill = element("", ...(shown === undefined ? [] : [drawIcon(shown, context)]))
          pill.style.cssText = "position:relative;display:flex;justify-content:center;align-items:center;flex:none"
          pill.style.color = isSelected
            ? color(look.activeIcon) || color(active) || plain.activeIcon
            : color(look.inactiveIcon) || color(look.inactive) || plain.inactive
          if (isAndroid()) {
            const fill = look.indicator === null || !isSelected ? "none" : color(look.indicator) || plain.indicator
            pill.style.cssText += `;width:64px;max-width:100%;height:32px;border-radius:16px;background:${fill}`
          }
          if (badge !== "") pill.append(drawBadge(badge, look))
          button.append(pill)
        }
        if (isTitled) button.append(title)
        button.setAttribute("role", "tab")
        button.ariaSelected = String(isSelected)
        button.ariaLabel = label ?? (isTitled ? null : title)
        button.dataset["testid"] = testId ?? ""
        button.style.cssText =
          "flex:1;display:flex;flex-direction:column;align-items:center;justify-content:center;min-width:0;border:0;" +
          `gap:${gap}px;background:none;font:500 ${shown === undefined ? 12 : font}px var(--system-fonts);cursor:pointer;` +
          `color:${isSelected ? color(active) || plain.active : color(look.inactive) || plain.inactive}`
        button.addEventListener("click", () => select(key))
        return button
      })
    )
  }
  onDark(() => {
    if (bar.isConnected) drawAgain()
  })
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
        badge: textIn(tab["badge"]),
        isHidden: hidden === true,
        isPrevented: preventsDefault === true
      }
    })
  }
  let selected = ""

  const draw = (): void => {
    const { activeIndicatorColor, barTintColor, inactiveTintColor, labeled, tabBarHidden } = context.props()
    const tabs = items()
    bar.draw(
      tabs.filter(({ isHidden }) => !isHidden),
      selected,
      {
        inactive: inactiveTintColor,
        background: barTintColor,
        indicator: activeIndicatorColor,
        labels: labeled === false ? "unlabeled" : labeled !== true && isAndroid() ? "auto" : "labeled",
        isHidden: tabBarHidden === true
      }
    )
    // On Android, the pages are above the bar.
    pages.style.bottom = isAndroid() && tabBarHidden !== true ? `${tabBarHeight()}px` : "0"
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
      const barHeight = context.props()["tabBarHidden"] === true ? 0 : tabBarHeight()
      context.emit("topTabBarMeasured", { height: barHeight })
      context.emit("topNativeLayout", { width, height: isAndroid() ? height - barHeight : height })
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
      const { tabBarItemAccessibilityLabel, tabBarItemTestID, title } = props
      const isOriginal = props["iconType"] === "image" || props["iconTinting"] === "original"
      const first = (...names: ReadonlyArray<string>) => names.map((name) => props[name]).find((value) => value != null)
      // Android and older versions have other names.
      const [source, selectedSource] = [
        first("iconImageSource", "imageIconResource"),
        first("selectedIconImageSource", "selectedImageIconResource")
      ]
      const [symbol, selectedSymbol] = [
        first("iconResourceName", "iconSfSymbolName", "drawableIconResourceName"),
        first("selectedIconResourceName", "selectedIconSfSymbolName", "selectedDrawableIconResourceName")
      ]
      return {
        key: keyOf(screen),
        title: textIn(title) ?? "",
        label: textIn(tabBarItemAccessibilityLabel),
        testId: textIn(tabBarItemTestID),
        icon: tabIcon(source, isOriginal, symbol),
        selectedIcon: tabIcon(selectedSource, isOriginal, selectedSymbol),
        badge: textIn(props["badgeValue"])
      }
    })
    const shown = screens.find((screen) => keyOf(screen) === selected)
    const appearance = fieldsIn(shown?.props()["standardAppearance"])
    // On iOS, the states are those of the icons above their titles.
    const states = isAndroid() ? appearance : fieldsIn(appearance["stacked"])
    const [normal, active] = [fieldsIn(states["normal"]), fieldsIn(states["selected"])]
    bar.draw(items, selected, {
      isHidden: tabBarHidden === true,
      active: active["tabBarItemTitleFontColor"] ?? tabBarTintColor,
      inactive: normal["tabBarItemTitleFontColor"],
      activeIcon: active["tabBarItemIconColor"] ?? tabBarTintColor ?? barStyle().plain.activeIcon,
      inactiveIcon: normal["tabBarItemIconColor"] ?? barStyle().plain.inactive,
      background: appearance["tabBarBackgroundColor"],
      indicator:
        appearance["tabBarItemActiveIndicatorEnabled"] === false ? null : appearance["tabBarItemActiveIndicatorColor"],
      labels: isAndroid() ? (appearance["tabBarItemLabelVisibilityMode"] ?? "auto") : "labeled",
      badge: appearance["tabBarItemBadgeBackgroundColor"] ?? normal["tabBarItemBadgeBackgroundColor"],
      badgeText: appearance["tabBarItemBadgeTextColor"]
    })
    drawn.append(bar.element)
    for (const screen of screens) showTabScreen.get(screen.tag)?.(keyOf(screen) === selected)
  }

  const bar = makeTabBar(context, (key) => {
    const isRepeated = key === selected
    if (screens.find((screen) => keyOf(screen) === key)?.props()["preventNativeSelection"] === true) {
      context.emit("topTabSelectionPrevented", { selectedScreenKey: selected, provenance, preventedScreenKey: key })
      return
    }
    selected = key
    provenance += 1
    draw()
    if (!/^RNSTabsHost(?:IOS|Android)$/.test(context.name)) {
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

/** A view that is not below the bars: on Android it has the insets of the device and of the tabs as its margins. */
const safeAreaView: Component = (context): Drawing => {
  const inset = new Set<Edge>()
  const barBelow = (): number => {
    for (let at = context.parent(); at !== undefined; at = at.parent())
      if (/^RNS(?:TabsHost|BottomTabs$)/.test(at.name)) return at.props()["tabBarHidden"] === true ? 0 : tabBarHeight()
    return 0
  }
  return {
    element: element("view"),
    shape: (node, props) => {
      if (!isAndroid()) return
      const { bottom, left, right, top } = props["insetType"] === "interface" ? noInsets : insets()
      const below = props["insetType"] === "system" ? bottom : Math.max(bottom, barBelow())
      const edges = fieldsIn(props["edges"])
      for (const [name, edge, length] of [
        ["top", Edge.Top, top],
        ["right", Edge.Right, right],
        ["bottom", Edge.Bottom, below],
        ["left", Edge.Left, left]
      ] as const) {
        const own = props[`margin${name.slice(0, 1).toUpperCase()}${name.slice(1)}`] ?? props["margin"]
        const by = edges[name] === true ? length : 0
        // Where nothing is added, its style holds.
        if (by === 0 && !inset.delete(edge)) continue
        if (by > 0) inset.add(edge)
        node.setMargin(edge, (numberIn(own) ?? 0) + by)
      }
    }
  }
}

const noInsets = { top: 0, right: 0, bottom: 0, left: 0 }

/** The tabs of react-native-screens, which expo-router calls NativeTabs. */
const nativeTabs: Pack = {
  components: {
    RNSSafeAreaView: safeAreaView,
    RNSTabsHostIOS: host,
    RNSTabsScreenIOS: screen,
    RNSTabsHostAndroid: host,
    RNSTabsScreenAndroid: screen,
    RNSTabsHost: host,
    RNSTabsScreen: screen,
    RNSBottomTabs: host,
    RNSBottomTabsScreen: screen
  }
}

export const tabs: ReadonlyArray<Pack> = [bottomTabs, nativeTabs]
