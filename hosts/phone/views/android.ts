/** The components that React Native for Android has in place of those for iOS. */
import { type Fields, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { onBack } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { activityIndicator, toggle } from "./controls.ts"
import { adaptComponent, type Component, type Drawing, element } from "./Component.ts"
import { image } from "./image.ts"
import { scrollContent, scrollView, setRefresher, setScroller } from "./scrollView.ts"
import { multilineInput, singleLineInput } from "./textInput.ts"

/** A field: Android has one for lines and for texts. Without a padding of the app, it has that of the system. */
const textInput: Component = (context): Drawing => {
  const drawn = (context.props()["multiline"] === true ? multilineInput : singleLineInput)({
    ...context,
    props: () => fieldProps(context.props())
  })
  return {
    ...drawn,
    shape: (node, props) => {
      if (!hasPadding(props)) for (const [edge, length] of fieldPadding.entries()) node.setPadding(edge, length)
      drawn.shape?.(node, props)
    },
    update: (props, before) => {
      const [left, top, right, bottom] = fieldPadding
      drawn.element.style.padding = hasPadding(props) ? "" : `${top}px ${right}px ${bottom}px ${left}px`
      drawn.update?.(fieldProps(props), fieldProps(before))
    }
  }
}

/** Left, top, right and bottom, in the order of Yoga's edges. */
const fieldPadding: ReadonlyArray<number> = [4, 10, 4, 11]

const hasPadding = (props: Fields): boolean => Object.keys(props).some((name) => name.startsWith("padding"))

const fieldProps = (props: Fields): Fields =>
  props["cursorColor"] === undefined ? props : { ...props, selectionColor: props["cursorColor"] }

/** A switch, with the names that Android has for its colors. */
const androidSwitch = adaptComponent(
  toggle,
  (props) => ({
    ...props,
    value: props["on"] ?? props["value"],
    disabled: props["enabled"] === false || props["disabled"] === true,
    onTintColor: props["trackColorForTrue"] ?? props["trackTintColor"],
    tintColor: props["trackColorForFalse"] ?? props["trackTintColor"],
    thumbTintColor: props["thumbTintColor"] ?? props["thumbColor"]
  }),
  (name, payload) => [name, payload]
)

/** A wheel, or a bar where the app asks for a horizontal one. */
const progressBar: Component = (context): Drawing => {
  if (textIn(context.props()["styleAttr"]) !== "Horizontal") return activityIndicator(context)
  const done = element("")
  const drawn = element("view", done)
  drawn.setAttribute("role", "progressbar")
  return {
    element: drawn,
    measure: (room) => ({ width: room ?? 100, height: 16 }),
    update: (props) => {
      const paint = color(props["color"]) || "var(--accent)"
      const part = props["indeterminate"] === false ? (numberIn(props["progress"]) ?? 0) : 0.4
      drawn.style.background = `linear-gradient(color-mix(in srgb, ${paint} 26%, transparent) 0 0) center / 100% 4px no-repeat`
      done.style.cssText = `position:absolute;left:0;top:6px;height:4px;width:${part * 100}%;background:${paint}`
      drawn.style.visibility = props["animating"] === false ? "hidden" : ""
    }
  }
}

/** What is around a list that is loaded again by pulling it down: a wheel comes down over the list. */
const swipeRefresh: Component = (context): Drawing => {
  const wheel = element("wheel")
  const circle = element("", wheel)
  const drawn = element("view", circle)
  const host = element("")
  host.style.cssText = "position:absolute;inset:0"
  drawn.prepend(host)
  wheel.style.cssText =
    "position:absolute;inset:10px;border-radius:50%;mask:radial-gradient(farthest-side,transparent 74%,#000 76%);" +
    "animation:phone-turn 1s linear infinite"
  circle.setAttribute("role", "progressbar")
  const isRefreshing = () => context.props()["refreshing"] === true

  const draw = (pulled = 0): void => {
    const props = context.props()
    const lower = numberIn(props["progressViewOffset"]) ?? 0
    const at = isRefreshing() ? 24 : Math.min(pulled, 80) - 44
    const [paint] = listIn(props["colors"])
    wheel.style.background = `conic-gradient(transparent 25%, ${color(paint) || "var(--accent)"} 25%)`
    circle.style.cssText =
      `position:absolute;left:50%;top:${at + lower}px;width:40px;height:40px;margin-left:-20px;border-radius:50%;z-index:1;` +
      `background:${color(props["progressBackgroundColor"]) || "#fafafa"};box-shadow:0 2px 6px #0005;pointer-events:none;` +
      `visibility:${isRefreshing() || pulled > 0 ? "visible" : "hidden"}`
  }

  setRefresher(context.tag, {
    isRefreshing,
    isOver: true,
    pulled: draw,
    release: (distance) => {
      if (distance >= 60 && !isRefreshing()) context.emit("topRefresh", {})
    }
  })
  return {
    element: drawn,
    host,
    update: () => draw(),
    commands: { setNativeRefreshing: () => draw() },
    unmounted: () => setRefresher(context.tag, undefined)
  }
}

/** `DrawerLayoutAndroid`: its second child comes in from the side over the first. */
const drawerLayout: Component = (context): Drawing => {
  const shade = element("")
  const host = element("")
  const drawn = element("view", host, shade)
  host.style.cssText = "position:absolute;inset:0"
  let isOpen = false
  let moved = 0
  let leaveBack = (): void => {}

  const isRight = () => context.props()["drawerPosition"] === "right"
  const isLocked = () => String(context.props()["drawerLockMode"] ?? "unlocked") !== "unlocked"
  const drawer = (): HTMLElement | undefined => {
    const child = host.children[1]
    return child instanceof HTMLElement ? child : undefined
  }

  const draw = (open = isOpen ? 1 : 0): void => {
    const moving = drawer()
    if (moving === undefined) return
    const away = (1 - open) * (isRight() ? 100 : -100)
    moving.style.translate = `${away}%`
    moving.style.zIndex = "2"
    moving.style.visibility = open === 0 ? "hidden" : ""
    if (isRight()) moving.style.left = `${drawn.clientWidth - moving.offsetWidth}px`
    shade.style.cssText =
      `position:absolute;inset:0;background:rgba(0,0,0,${open * 0.6});z-index:1;` +
      `pointer-events:${isOpen ? "auto" : "none"};visibility:${open === 0 ? "hidden" : ""}`
  }

  const set = (value: boolean): void => {
    const isChanged = value !== isOpen
    isOpen = value
    leaveBack()
    if (value) leaveBack = onBack(() => set(false))
    draw()
    if (!isChanged) return
    context.emit("topDrawerSlide", { offset: value ? 1 : 0 })
    context.emit(value ? "topDrawerOpen" : "topDrawerClose", {})
    context.emit("topDrawerStateChanged", { drawerState: 0 })
  }
  shade.addEventListener("click", () => {
    if (!isLocked()) set(false)
  })
  setScroller(drawn, {
    isForFingers: true,
    takes: (x, y, startX) => {
      if (isLocked() || Math.abs(x) < Math.abs(y)) return false
      const inward = isRight() ? -x : x
      const fromEdge = isRight() ? drawn.clientWidth - startX : startX
      return isOpen ? inward < 0 : inward > 0 && fromEdge < 30
    },
    begin: () => (moved = 0),
    move: (x) => {
      moved += isRight() ? -x : x
      const part = moved / Math.max(1, drawer()?.offsetWidth ?? 1)
      draw(Math.max(0, Math.min(1, (isOpen ? 1 : 0) + part)))
    },
    end: () => set(isOpen ? moved > -60 : moved > 60)
  })
  return {
    element: drawn,
    host,
    update: () => draw(),
    laidOut: () => draw(),
    childrenChanged: () => queueMicrotask(() => draw()),
    commands: { openDrawer: () => set(true), closeDrawer: () => set(false) },
    unmounted: () => leaveBack()
  }
}

/** By the names that the renderer has for them, without `RCT`. */
export const androidComponents: Readonly<Record<string, Component>> = {
  AndroidTextInput: textInput,
  AndroidSwitch: androidSwitch,
  AndroidProgressBar: progressBar,
  AndroidHorizontalScrollView: scrollView,
  AndroidHorizontalScrollContentView: scrollContent,
  AndroidSwipeRefreshLayout: swipeRefresh,
  AndroidDrawerLayout: drawerLayout,
  TextInlineImage: image
}
