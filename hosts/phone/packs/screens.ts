import { Edge, FlexDirection, PositionType } from "yoga-layout/load"
import type { Pack } from "../modules/Host.ts"
import { fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { insets, isAndroid, screenSize, system } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { fontFamily } from "../style/paint.ts"
import { type Component, element, type ComponentContext } from "../views/Component.ts"
import { type Scroller, setCover, setScroller } from "../views/scrollView.ts"
import { drawSheet, sheetGap } from "../views/screen.ts"
import { view } from "../views/view.ts"

/** The bar of a stack on each system, in points: on Android, the title begins beside the way back. */
const stackBars = {
  ios: { height: 44, titleLeft: 80, alignment: "center", size: 17, weight: "600" },
  android: { height: 56, titleLeft: 16, alignment: "start", size: 20, weight: "500" }
} as const

const barOf = () => stackBars[system.platform]

/** Where the title of Android's bar begins beside the way back, in points. */
const besideBack = 72

const screensOfStacks = new Map<number, ReadonlyArray<ComponentContext>>()

/** How high the bars of screens are that have one. */
const barHeights = new Map<number, number>()

/** How high a large title and a search bar are below a bar, in points. */
const [largeTitleHeight, searchHeight] = [52, 52]

/** What stands below the title of a bar, by the bar: they leave as the list below is scrolled. */
const extraHeights = new Map<number, number>()

/** A stack of screens, of which the last is seen. */
const stack: Component = (context) => ({
  element: element("view"),
  childrenChanged: (children) => {
    screensOfStacks.set(context.tag, children)
    // The first has no sheet.
    children[0]?.resized()
    requestAnimationFrame(() => context.emit("topFinishTransitioning", {}))
  },
  unmounted: () => screensOfStacks.delete(context.tag)
})

const entrances: Readonly<Record<string, Keyframe[]>> = {
  push: [{ transform: "translateX(100%)" }, { transform: "none" }],
  modal: [{ transform: "translateY(100%)" }, { transform: "none" }],
  fade: [{ opacity: 0 }, { opacity: 1 }],
  rise: [
    { transform: "translateX(10%)", opacity: 0 },
    { transform: "none", opacity: 1 }
  ]
}

const entranceOf = (presentation: unknown, animation: unknown): Keyframe[] | undefined => {
  const kind = textIn(animation)
  if (kind === "none" || kind === "simple_push") return undefined
  if (kind !== undefined && /fade/.test(kind)) return entrances["fade"]
  const isModal = /modal|sheet|formSheet/i.test(textIn(presentation) ?? "") || kind === "slide_from_bottom"
  if (isModal) return entrances["modal"]
  return isAndroid() && !/slide|ios/.test(kind ?? "") ? entrances["rise"] : entrances["push"]
}

/** How many screens of its stack are below a screen; -1 if it isn't in a native stack. */
const depthOf = (screenOf: ComponentContext | undefined): number =>
  (screensOfStacks.get(screenOf?.parent()?.tag ?? -1) ?? []).findIndex(({ tag }) => tag === screenOf?.tag)

/** How high a sheet is, in points: `"auto"` for its content; `undefined` for a screen that is no sheet. */
const sheetHeight = (screenOf: ComponentContext): number | "auto" | undefined => {
  const { sheetAllowedDetents, sheetInitialDetent, stackPresentation } = screenOf.props()
  const sheets = isAndroid() ? /^formSheet$/ : /^(?:modal|pageSheet|formSheet)$/
  if (!sheets.test(textIn(stackPresentation) ?? "") || depthOf(screenOf) === 0) return undefined
  const detents = stackPresentation === "formSheet" ? listIn(sheetAllowedDetents) : []
  const detent = numberIn(detents[numberIn(sheetInitialDetent) ?? 0]) ?? 1
  return detent < 0 ? "auto" : detent * (screenSize().height - sheetGap())
}

/** How much of a screen the device covers at its top: nothing of a sheet, or of a screen in a sheet. */
const topInset = (screenOf: ComponentContext | undefined): number => {
  for (let at = screenOf; at !== undefined; at = at.parent()) if (sheetHeight(at) !== undefined) return 0
  return insets().top
}

/** A screen is dismissed by the person in front of the phone. */
const dismiss = (screenOf: ComponentContext): void => {
  if (screenOf.props()["preventNativeDismiss"] === true) {
    screenOf.emit("topNativeDismissCancelled", { dismissCount: 1 })
    return
  }
  screenOf.emit("topWillDisappear", {})
  screenOf.emit("topDismissed", { dismissCount: 1 })
}

/** What darkens the screen around a sheet, and dismisses the sheet. */
const makeBackdrop = (context: ComponentContext): HTMLElement => {
  const backdrop = element("")
  backdrop.style.cssText = "position:absolute;inset:0;background:#0003"
  backdrop.addEventListener("click", () => {
    if (context.props()["gestureEnabled"] !== false) dismiss(context)
  })
  return backdrop
}

/** How far from the left edge a swipe back begins at most, in points. */
const edgeWidth = 30

/** How fast a screen is thrown away, in points a millisecond. */
const dismissVelocity = 0.5

/** Drags a screen away: a sheet down, and a pushed screen from the left edge. */
const makeSwipe = (context: ComponentContext, drawn: HTMLElement): Scroller => {
  let moved = 0
  const isSheet = () => sheetHeight(context) !== undefined
  return {
    isForFingers: true,
    takes: (x, y, startX) => {
      const { gestureEnabled, stackPresentation } = context.props()
      if (gestureEnabled === false || depthOf(context) <= 0) return false
      if (isSheet()) return y > Math.abs(x)
      return !isAndroid() && (stackPresentation ?? "push") === "push" && startX < edgeWidth && x > Math.abs(y)
    },
    begin: () => (moved = 0),
    move: (x, y) => {
      moved = Math.max(0, moved + (isSheet() ? y : x))
      drawn.style.translate = isSheet() ? `0 ${moved}px` : `${moved}px`
    },
    end: (velocityX, velocityY) => {
      const { translate } = drawn.style
      drawn.style.translate = ""
      const [size, velocity] = isSheet() ? [drawn.offsetHeight, velocityY] : [drawn.offsetWidth, velocityX]
      if (moved > size / 2 || velocity > dismissVelocity) dismiss(context)
      else drawn.animate([{ translate }, { translate: "none" }], { duration: 200, easing: "ease-out" })
    }
  }
}

/** A screen: it fills its stack or its tab, and emits events when it appears. */
const screen: Component = (context) => {
  const drawn = element("view screen")
  const backdrop = makeBackdrop(context)
  setScroller(drawn, makeSwipe(context, drawn))
  let isSeen = false
  const isInStack = () => context.parent()?.name === "RNSScreenStack"
  // What is presented stands above everything, tabs and bars of other stacks too.
  const isPresented = /modal|sheet/i.test(textIn(context.props()["stackPresentation"]) ?? "")

  const appear = (): void => {
    if (isSeen || !drawn.isConnected) return
    isSeen = true
    const props = context.props()
    context.emit("topWillAppear", {})
    const depth = screensOfStacks.get(context.parent()?.tag ?? -1)?.length ?? 1
    const frames =
      isInStack() && depth > 1 ? entranceOf(props["stackPresentation"], props["stackAnimation"]) : undefined
    if (frames !== undefined) drawn.animate(frames, { duration: 300, easing: "cubic-bezier(.2,.8,.2,1)" })
    context.emit("topTransitionProgress", { progress: 1, closing: 0, goingForward: 1 })
    context.emit("topAppear", {})
    context.emit("topHeaderHeightChange", {
      headerHeight: barHeights.get(context.tag) || barOf().height + topInset(context)
    })
  }

  return {
    element: drawn,
    isOverlay: isPresented,
    shape: (node) => {
      if (!isInStack()) return
      node.setPadding(Edge.Top, barHeights.get(context.tag) ?? 0)
      node.setPositionType(PositionType.Absolute)
      for (const edge of [Edge.Top, Edge.Right, Edge.Bottom, Edge.Left]) node.setPosition(edge, 0)
      if (!isPresented) return
      const { height, width } = screenSize()
      const sheet = sheetHeight(context)
      drawSheet(drawn, sheet === height - sheetGap())
      node.setWidth(width)
      node.setHeight(sheet ?? height)
      if (sheet !== undefined) node.setPosition(Edge.Bottom, undefined)
      if (typeof sheet === "number") node.setPosition(Edge.Top, height - sheet)
    },
    laidOut: (box) => {
      const sheet = sheetHeight(context)
      if (sheet !== undefined) {
        const { sheetCornerRadius } = context.props()
        const radius = numberIn(sheetCornerRadius) ?? -1
        drawn.style.borderRadius = `${radius < 0 ? 12 : radius}px ${radius < 0 ? 12 : radius}px 0 0`
        drawn.style.overflow = "hidden"
        if (!backdrop.isConnected) drawn.before(backdrop)
      }
      if (sheet === "auto") drawn.style.top = `${screenSize().height - box.height}px`
      appear()
    },
    update: (props) => {
      const isGone = numberIn(props["activityState"]) === 0
      drawn.style.visibility = isGone ? "hidden" : ""
      if (isInStack()) drawn.style.background ||= props["stackPresentation"] === "transparentModal" ? "" : "#fff"
    },
    unmounted: () => {
      backdrop.remove()
      if (!isSeen) return
      context.emit("topWillDisappear", {})
      context.emit("topDisappear", {})
    }
  }
}

/** The size of a large title, in points. */
const largeSize = 34

/** The way back of Android. */
const arrow =
  '<svg width="24" height="24" fill="currentColor" style="padding:0 4px;vertical-align:middle"><path d="M20 11H7.8l5.6-5.6L12 4l-8 8 8 8 1.4-1.4L7.8 13H20z"/></svg>'

/** The bar of a screen: the way back, the title and what the app puts into it. */
const header: Component = (context) => {
  const back = document.createElement("button")
  const title = element("")
  const large = element("")
  const below = element("", large)
  const line = element("")
  const [left, right] = [element(""), element("")]
  const drawn = element("view", title, below, line, left, right)
  drawn.append(back)
  title.setAttribute("role", "heading")
  below.style.cssText = "position:absolute;left:0;right:0;bottom:0;overflow:hidden;pointer-events:none"
  line.style.cssText = "position:absolute;left:0;right:0;bottom:0;height:1px;background:#3c3c434a;pointer-events:none"
  back.ariaLabel = "Back"
  back.addEventListener("click", () => {
    const screenOf = context.parent()
    if (screenOf === undefined) return
    screenOf.emit("topHeaderBackButtonClicked", {})
    dismiss(screenOf)
  })
  let screenElement: Element | null = null
  let searchBar: ComponentContext | undefined

  const extra = (): number =>
    (context.props()["largeTitle"] === true ? largeTitleHeight : 0) + (searchBar === undefined ? 0 : searchHeight)

  /** What the list of the screen is scrolled by covers the large title, and then the search bar. */
  const collapse = (by: number): void => {
    const gone = Math.max(0, Math.min(extra(), by))
    const isLarge = context.props()["largeTitle"] === true
    drawn.style.clipPath = gone === 0 ? "" : `inset(0 0 ${gone}px)`
    drawn.style.setProperty("--gone", `${-gone}px`)
    large.style.translate = `0 ${-gone}px`
    line.style.translate = `0 ${-gone}px`
    line.style.visibility = isLarge && gone === 0 ? "hidden" : ""
    title.style.opacity = isLarge && gone < largeTitleHeight - 8 ? "0" : ""
  }

  const follow = ({ target }: Event): void => {
    if (!(target instanceof HTMLElement) || target.closest(".screen") !== screenElement) return
    if (target.matches(".scroll[data-below]")) collapse(target.scrollTop)
  }

  const makeRoom = (): void => {
    const { hidden, translucent } = context.props()
    const screenOf = context.parent()
    if (screenOf === undefined) return
    if (screenElement === null) {
      screenElement = drawn.closest(".screen")
      screenElement?.addEventListener("scroll", follow, { capture: true, passive: true })
    }
    const height = hidden === true ? 0 : barOf().height + topInset(screenOf) + extra()
    const isOver = translucent === true
    if (screenElement !== null) setCover(screenElement, isOver ? height : 0)
    const isResized = extraHeights.get(context.tag) !== extra()
    extraHeights.set(context.tag, extra())
    if (isResized) context.resized()
    if (barHeights.get(screenOf.tag) === (isOver ? 0 : height)) return
    barHeights.set(screenOf.tag, isOver ? 0 : height)
    screenOf.resized()
  }

  /** The buttons that the app lists instead of drawing them. */
  const drawButtons = (at: HTMLElement, side: "left" | "right", items: unknown): void => {
    const bottom = `bottom:${extra()}px`
    const inset = side === "left" && !back.hidden ? stackBars.ios.titleLeft : 12
    at.style.cssText = `position:absolute;${side}:${inset}px;${bottom};display:flex;gap:12px;height:${barOf().height}px;align-items:center;z-index:1`
    at.replaceChildren(
      ...listIn(items).flatMap((item) => {
        const {
          accessibilityLabel,
          buttonId,
          disabled,
          hidden,
          menu,
          sfSymbolName,
          tintColor,
          title: text,
          titleStyle
        } = fieldsIn(item)
        if (hidden === true || (buttonId === undefined && menu === undefined)) return []
        if (menu !== undefined) context.notes.missing("method", "react-native-screens: menus of header buttons")
        const button = document.createElement("button")
        const name = textIn(text) || textIn(accessibilityLabel) || textIn(sfSymbolName) || "Button"
        const paint = fieldsIn(titleStyle)["color"] ?? tintColor ?? context.props()["color"]
        button.textContent = name
        button.disabled = disabled === true
        button.style.cssText = `border:0;padding:0;background:none;font:${barOf().size}px var(--system-fonts);cursor:pointer`
        button.style.color = paint === undefined || paint === null ? "#007aff" : color(paint)
        button.addEventListener("click", () => context.emit("topPressHeaderBarButtonItem", { buttonId }))
        return [button]
      })
    )
  }

  const draw = (): void => {
    const props = context.props()
    const isLarge = props["largeTitle"] === true
    const bottom = extra()
    back.hidden = depthOf(context.parent()) <= 0 || props["hideBackButton"] === true
    const start = isAndroid() && !back.hidden ? besideBack : barOf().titleLeft
    title.style.cssText = `position:absolute;left:${start}px;right:${barOf().titleLeft}px;bottom:${bottom}px;line-height:${barOf().height}px;text-align:${barOf().alignment};overflow:hidden;text-overflow:ellipsis;white-space:nowrap;pointer-events:none;transition:opacity .15s`
    title.textContent = textIn(props["title"]) ?? ""
    title.style.color = props["titleColor"] === undefined ? "" : color(props["titleColor"])
    title.style.fontSize = `${numberIn(props["titleFontSize"]) ?? barOf().size}px`
    title.style.fontFamily = fontFamily(props["titleFontFamily"])
    title.style.fontWeight = textIn(props["titleFontWeight"]) ?? barOf().weight
    below.style.height = `${bottom}px`
    below.hidden = !isLarge
    large.textContent = isLarge ? title.textContent : ""
    large.ariaHidden = "true"
    const largeColor = props["largeTitleColor"] ?? props["titleColor"]
    const size = numberIn(props["largeTitleFontSize"]) ?? largeSize
    const weight = textIn(props["largeTitleFontWeight"]) ?? "700"
    large.style.cssText = `position:absolute;left:16px;right:16px;top:0;height:${largeTitleHeight}px;line-height:${largeTitleHeight}px;font-size:${size}px;font-weight:${weight};overflow:hidden;text-overflow:ellipsis;white-space:nowrap`
    large.style.fontFamily = fontFamily(props["largeTitleFontFamily"])
    large.style.color = largeColor === undefined || largeColor === null ? "" : color(largeColor)
    back.style.cssText = `position:absolute;left:8px;bottom:${bottom}px;height:${barOf().height}px;border:0;background:none;color:#007aff;font:${barOf().size}px var(--system-fonts);cursor:pointer;z-index:1`
    if (back.hidden) back.style.display = "none"
    back.style.color = props["color"] === undefined ? "#007aff" : color(props["color"])
    if (isAndroid()) back.innerHTML = arrow
    else back.textContent = `‹ ${textIn(props["backTitle"]) ?? ""}`
    if (isAndroid() && props["color"] === undefined) back.style.color = "inherit"
    drawButtons(left, "left", props["headerLeftBarButtonItems"])
    drawButtons(right, "right", props["headerRightBarButtonItems"])
    const paint = props["backgroundColor"]
    drawn.style.backgroundColor = paint === undefined || paint === null ? "#fff" : color(paint)
    line.style.display = props["hideShadow"] === true || isAndroid() ? "none" : ""
    drawn.style.boxShadow = isAndroid() && props["hideShadow"] !== true ? "0 2px 4px #0003" : ""
    collapse(screenElement?.querySelector(".scroll[data-below]")?.scrollTop ?? 0)
  }

  return {
    element: drawn,
    childrenChanged: (children) => {
      searchBar = children.find((child) => textIn(child.props()["type"]) === "searchBar")
      makeRoom()
    },
    update: () => {
      makeRoom()
      draw()
    },
    laidOut: () => {
      makeRoom()
      draw()
    },
    shape: (node, props) => {
      const isHidden = props["hidden"] === true
      // It covers the upper end of its screen, which makes room for it.
      node.setPositionType(PositionType.Absolute)
      node.setPosition(Edge.Top, 0)
      node.setPosition(Edge.Left, 0)
      node.setWidth("100%")
      node.setHeight(isHidden ? 0 : barOf().height + topInset(context.parent()) + extra())
      node.setFlexDirection(FlexDirection.Row)
      drawn.style.visibility = isHidden ? "hidden" : ""
    },
    unmounted: () => {
      extraHeights.delete(context.tag)
      screenElement?.removeEventListener("scroll", follow, { capture: true })
    }
  }
}

/** What the app puts into the bar: at its sides, in its middle, or below its title. */
const headerPart: Component = (context) => {
  const drawn = element("view")
  return {
    element: drawn,
    shape: (node, props) => {
      const type = textIn(props["type"])
      node.setPositionType(PositionType.Absolute)
      if (type === "searchBar") {
        node.setHeight(searchHeight - 16)
        node.setPosition(Edge.Bottom, 10)
        node.setPosition(Edge.Left, 16)
        node.setPosition(Edge.Right, 16)
        drawn.style.translate = "0 var(--gone, 0)"
        return
      }
      node.setHeight(barOf().height)
      node.setPosition(Edge.Bottom, extraHeights.get(context.parent()?.tag ?? -1) ?? 0)
      if (type === "right") node.setPosition(Edge.Right, 12)
      else if (type === "center" || type === "title") {
        const { width } = screenSize()
        const isBeside = isAndroid() && depthOf(context.parent()?.parent()) > 0
        const start = isBeside ? besideBack : barOf().titleLeft
        node.setPosition(Edge.Left, start)
        node.setWidth(width - start - barOf().titleLeft)
      } else node.setPosition(Edge.Left, 12)
    }
  }
}

/** The search bar below a title. */
const searchBar: Component = (context) => {
  const input = document.createElement("input")
  const cancel = document.createElement("button")
  const drawn = element("view", input, cancel)
  input.type = "search"
  input.className = "input"
  input.style.cssText =
    "position:relative;flex:1;min-width:0;height:36px;padding:0 8px;border-radius:10px;background:#7676801f;font-size:17px"
  cancel.style.cssText = "border:0;background:none;color:#007aff;font:17px var(--system-fonts);cursor:pointer"
  cancel.hidden = true
  const say = (name: string): void => context.emit(name, { text: input.value })
  const set = (text: string): void => {
    input.value = text
    say("topChangeText")
  }
  const stop = (): void => {
    set("")
    input.blur()
    cancel.hidden = true
    context.emit("topCancelButtonPress", {})
  }
  input.addEventListener("input", () => say("topChangeText"))
  input.addEventListener("focus", () => {
    cancel.hidden = false
    context.emit("topSearchFocus", {})
  })
  input.addEventListener("blur", () => context.emit("topSearchBlur", {}))
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") say("topSearchButtonPress")
  })
  // The blur of the input comes first.
  cancel.addEventListener("pointerdown", (event) => event.preventDefault())
  cancel.addEventListener("click", stop)
  return {
    element: drawn,
    shape: (node) => {
      node.setWidth("100%")
      node.setHeight("100%")
    },
    update: (props) => {
      drawn.style.display = "flex"
      drawn.style.gap = "8px"
      input.placeholder = textIn(props["placeholder"]) || "Search"
      cancel.textContent = textIn(props["cancelButtonText"]) || "Cancel"
      for (const [at, name] of [
        [input, "textColor"],
        [cancel, "tintColor"]
      ] as const) {
        const paint = props[name]
        if (paint !== undefined && paint !== null) at.style.color = color(paint)
      }
    },
    commands: {
      blur: () => input.blur(),
      focus: () => input.focus(),
      clearText: () => set(""),
      setText: (text) => set(textIn(text) ?? ""),
      toggleCancelButton: (isShown) => (cancel.hidden = isShown !== true),
      cancelSearch: stop
    }
  }
}

/** react-native-screens */
export const screens: Pack = {
  components: {
    RNSScreenStack: stack,
    RNSScreen: screen,
    RNSModalScreen: screen,
    RNSScreenContentWrapper: view,
    RNSScreenStackHeaderConfig: header,
    RNSScreenStackHeaderSubview: headerPart,
    RNSSearchBar: searchBar,
    RNSScreenContainer: view,
    RNSScreenNavigationContainer: view,
    RNSFullWindowOverlay: view,
    RNSScreenFooter: view
  },
  modules: () => ({ RNSModule: {} })
}
