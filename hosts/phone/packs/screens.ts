import { Edge, FlexDirection, PositionType } from "yoga-layout/load"
import type { Pack } from "../modules/Host.ts"
import { listIn, numberIn, textIn } from "../runtime/decode.ts"
import { insets, screenSize } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { fontFamily } from "../style/paint.ts"
import { type Component, element, type Own } from "../views/Component.ts"
import { type Scroller, setScroller } from "../views/scrollView.ts"
import { view } from "../views/view.ts"

/** How high the bar of a stack is, in points. */
const barHeight = 44

const stacks = new Map<number, ReadonlyArray<Own>>()

/** How high the bars of screens are that have one. */
const bars = new Map<number, number>()

/** A stack of screens, of which the last is seen. */
const stack: Component = (own) => ({
  element: element("view"),
  childrenChanged: (children) => {
    stacks.set(own.tag, children)
    // The first has no sheet.
    children[0]?.resized()
    requestAnimationFrame(() => own.emit("topFinishTransitioning", {}))
  },
  unmounted: () => stacks.delete(own.tag)
})

const entrances: Readonly<Record<string, Keyframe[]>> = {
  push: [{ transform: "translateX(100%)" }, { transform: "none" }],
  modal: [{ transform: "translateY(100%)" }, { transform: "none" }],
  fade: [{ opacity: 0 }, { opacity: 1 }]
}

const entranceOf = (presentation: unknown, animation: unknown): Keyframe[] | undefined => {
  const kind = textIn(animation)
  if (kind === "none" || kind === "simple_push") return undefined
  if (kind !== undefined && /fade/.test(kind)) return entrances["fade"]
  const isModal = /modal|sheet|formSheet/i.test(textIn(presentation) ?? "") || kind === "slide_from_bottom"
  return isModal ? entrances["modal"] : entrances["push"]
}

/** How much of the screen remains above the largest sheet, in points. */
const sheetGap = (): number => insets().top + 10

/** How many screens of its stack are below a screen; -1 if it isn't in a native stack. */
const depthOf = (screenOf: Own | undefined): number =>
  (stacks.get(screenOf?.parent()?.tag ?? -1) ?? []).findIndex(({ tag }) => tag === screenOf?.tag)

/** How high a sheet is, in points: `"auto"` for its content; `undefined` for a screen that is no sheet. */
const sheetHeight = (screenOf: Own): number | "auto" | undefined => {
  const { sheetAllowedDetents, sheetInitialDetent, stackPresentation } = screenOf.props()
  if (!/^(?:modal|pageSheet|formSheet)$/.test(textIn(stackPresentation) ?? "") || depthOf(screenOf) === 0)
    return undefined
  const detents = stackPresentation === "formSheet" ? listIn(sheetAllowedDetents) : []
  const detent = numberIn(detents[numberIn(sheetInitialDetent) ?? 0]) ?? 1
  return detent < 0 ? "auto" : detent * (screenSize().height - sheetGap())
}

/** How much of a screen the device covers at its top: nothing of a sheet, or of a screen in a sheet. */
const topInset = (screenOf: Own | undefined): number => {
  for (let at = screenOf; at !== undefined; at = at.parent()) if (sheetHeight(at) !== undefined) return 0
  return insets().top
}

/** A screen is dismissed by the person in front of the phone. */
const dismiss = (screenOf: Own): void => {
  if (screenOf.props()["preventNativeDismiss"] === true) {
    screenOf.emit("topNativeDismissCancelled", { dismissCount: 1 })
    return
  }
  screenOf.emit("topWillDisappear", {})
  screenOf.emit("topDismissed", { dismissCount: 1 })
}

/** What darkens the screen around a sheet, and dismisses the sheet. */
const makeBackdrop = (own: Own): HTMLElement => {
  const made = element("")
  made.style.cssText = "position:absolute;inset:0;background:#0003"
  made.addEventListener("click", () => {
    if (own.props()["gestureEnabled"] !== false) dismiss(own)
  })
  return made
}

/** How far from the left edge a swipe back begins at most, in points. */
const edgeWidth = 30

/** How fast a screen is thrown away, in points a millisecond. */
const thrown = 0.5

/** Drags a screen away: a sheet down, and a pushed screen from the left edge. */
const makeSwipe = (own: Own, drawn: HTMLElement): Scroller => {
  let moved = 0
  const isSheet = () => sheetHeight(own) !== undefined
  return {
    isForFingers: true,
    takes: (x, y, startX) => {
      const { gestureEnabled, stackPresentation } = own.props()
      if (gestureEnabled === false || depthOf(own) <= 0) return false
      if (isSheet()) return y > Math.abs(x)
      return (stackPresentation ?? "push") === "push" && startX < edgeWidth && x > Math.abs(y)
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
      if (moved > size / 2 || velocity > thrown) dismiss(own)
      else drawn.animate([{ translate }, { translate: "none" }], { duration: 200, easing: "ease-out" })
    }
  }
}

/** A screen: it fills its stack or its tab, and emits events when it appears. */
const screen: Component = (own) => {
  const drawn = element("view screen")
  const backdrop = makeBackdrop(own)
  setScroller(drawn, makeSwipe(own, drawn))
  let isSeen = false
  const isInStack = () => own.parent()?.name === "RNSScreenStack"
  // What is presented stands above everything, tabs and bars of other stacks too.
  const isPresented = /modal|sheet/i.test(textIn(own.props()["stackPresentation"]) ?? "")

  const appear = (): void => {
    if (isSeen || !drawn.isConnected) return
    isSeen = true
    const props = own.props()
    own.emit("topWillAppear", {})
    const depth = stacks.get(own.parent()?.tag ?? -1)?.length ?? 1
    const frames =
      isInStack() && depth > 1 ? entranceOf(props["stackPresentation"], props["stackAnimation"]) : undefined
    if (frames !== undefined) drawn.animate(frames, { duration: 300, easing: "cubic-bezier(.2,.8,.2,1)" })
    own.emit("topTransitionProgress", { progress: 1, closing: 0, goingForward: 1 })
    own.emit("topAppear", {})
    own.emit("topHeaderHeightChange", { headerHeight: barHeight + topInset(own) })
  }

  return {
    element: drawn,
    isOverlay: isPresented,
    shape: (node) => {
      if (!isInStack()) return
      node.setPadding(Edge.Top, bars.get(own.tag) ?? 0)
      node.setPositionType(PositionType.Absolute)
      for (const edge of [Edge.Top, Edge.Right, Edge.Bottom, Edge.Left]) node.setPosition(edge, 0)
      if (!isPresented) return
      const { height, width } = screenSize()
      const sheet = sheetHeight(own)
      // The app is scaled back behind a sheet of the full height.
      drawn.classList.toggle("card", sheet === height - sheetGap())
      document.documentElement.style.setProperty("--card-top", `${insets().top}px`)
      node.setWidth(width)
      node.setHeight(sheet ?? height)
      if (sheet !== undefined) node.setPosition(Edge.Bottom, undefined)
      if (typeof sheet === "number") node.setPosition(Edge.Top, height - sheet)
    },
    laidOut: (box) => {
      const sheet = sheetHeight(own)
      if (sheet !== undefined) {
        const { sheetCornerRadius } = own.props()
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
      own.emit("topWillDisappear", {})
      own.emit("topDisappear", {})
    }
  }
}

const titles = { left: 80, size: 17 }

/** The bar of a screen: the way back, the title and what the app puts into it. */
const header: Component = (own) => {
  const back = document.createElement("button")
  const title = element("")
  const drawn = element("view", title)
  drawn.append(back)
  title.setAttribute("role", "heading")
  title.style.cssText = `position:absolute;left:${titles.left}px;right:${titles.left}px;bottom:0;line-height:${barHeight}px;text-align:center;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;pointer-events:none;font-weight:600`
  back.style.cssText = `position:absolute;left:8px;bottom:0;height:${barHeight}px;border:0;background:none;color:#007aff;font:${titles.size}px var(--system-fonts);cursor:pointer;z-index:1`
  back.ariaLabel = "Back"
  back.addEventListener("click", () => {
    const screenOf = own.parent()
    if (screenOf === undefined) return
    screenOf.emit("topHeaderBackButtonClicked", {})
    dismiss(screenOf)
  })

  const makeRoom = (): void => {
    const { hidden, translucent } = own.props()
    const screenOf = own.parent()
    const room = hidden === true || translucent === true ? 0 : barHeight + topInset(screenOf)
    if (screenOf === undefined || bars.get(screenOf.tag) === room) return
    bars.set(screenOf.tag, room)
    screenOf.resized()
  }

  const draw = (): void => {
    const props = own.props()
    title.textContent = textIn(props["title"]) ?? ""
    title.style.color = props["titleColor"] === undefined ? "" : color(props["titleColor"])
    title.style.fontSize = `${numberIn(props["titleFontSize"]) ?? titles.size}px`
    title.style.fontFamily = fontFamily(props["titleFontFamily"])
    title.style.fontWeight = textIn(props["titleFontWeight"]) ?? "600"
    back.style.color = props["color"] === undefined ? "#007aff" : color(props["color"])
    back.textContent = `‹ ${textIn(props["backTitle"]) ?? ""}`
    back.hidden = depthOf(own.parent()) <= 0 || props["hideBackButton"] === true
    const paint = props["backgroundColor"]
    drawn.style.backgroundColor = paint === undefined || paint === null ? "#fff" : color(paint)
    drawn.style.borderBottom = props["hideShadow"] === true ? "" : "1px solid #3c3c434a"
  }

  return {
    element: drawn,
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
      node.setHeight(isHidden ? 0 : barHeight + topInset(own.parent()))
      node.setFlexDirection(FlexDirection.Row)
      drawn.style.visibility = isHidden ? "hidden" : ""
    }
  }
}

/** What the app puts into the bar: at its sides or in its middle. */
const headerPart: Component = () => ({
  element: element("view"),
  shape: (node, props) => {
    const type = textIn(props["type"])
    node.setPositionType(PositionType.Absolute)
    node.setHeight(barHeight)
    node.setPosition(Edge.Bottom, 0)
    if (type === "right") node.setPosition(Edge.Right, 12)
    else if (type === "center" || type === "title") {
      const { width } = screenSize()
      node.setPosition(Edge.Left, titles.left)
      node.setWidth(width - titles.left * 2)
    } else node.setPosition(Edge.Left, 12)
  }
})

/** react-native-screens */
export const screens: Pack = {
  components: {
    RNSScreenStack: stack,
    RNSScreen: screen,
    RNSModalScreen: screen,
    RNSScreenContentWrapper: view,
    RNSScreenStackHeaderConfig: header,
    RNSScreenStackHeaderSubview: headerPart,
    RNSScreenContainer: view,
    RNSScreenNavigationContainer: view,
    RNSFullWindowOverlay: view,
    RNSScreenFooter: view,
    RNSSafeAreaView: view
  },
  modules: () => ({ RNSModule: {} })
}
