import { appFolder } from "../runtime/assets.ts"
import { fieldsIn } from "../runtime/decode.ts"
import { insets, isAndroid, isDark, onBack, screenSize, system } from "../runtime/device.ts"
import { element } from "../views/Component.ts"
import {
  type Field,
  isTyped,
  keyboardDuration as duration,
  keyboardHeight,
  keyboardMoves,
  makeKeys
} from "../views/keyboard.ts"
import { eventMethods, type Modules } from "./Host.ts"

/** What has the focus, if that is a field that may be written in. */
const typedField = (): Field | undefined => (isTyped(document.activeElement) ? document.activeElement : undefined)

/** Whether a field can't be seen any more, or another screen was pushed over that of the field. */
const isLeft = (field: Field): boolean =>
  !field.checkVisibility({ visibilityProperty: true }) ||
  field.closest(".screen")?.nextElementSibling?.matches(".screen") === true

/** The keyboard. People type on its keys or on their own. */
export const keyboard: Modules = ({ assetUrls, bundle, callable, surface }) => {
  const done = document.createElement("button")
  const keys = makeKeys(typedField)
  // On Android, Back closes the keyboard.
  const panel = element("", keys.element, ...(isAndroid() ? [] : [done]))
  let height = 0
  let leaveBack = (): void => {}
  /** The field whose keyboard Back has closed: it keeps the focus. */
  let closedFor: Field | undefined

  done.textContent = "⌄"
  done.ariaLabel = "Close the keyboard"
  done.style.cssText =
    "position:absolute;right:12px;bottom:6px;width:44px;height:44px;border:0;background:none;color:inherit;font:22px var(--system-fonts)"
  // A touch on it keeps the focus, and isn't one of the app.
  panel.addEventListener("pointerdown", (event) => event.stopPropagation())
  panel.addEventListener("mousedown", (event) => event.preventDefault())
  done.addEventListener("click", () => typedField()?.blur())

  const place = (by: number) => {
    const { height, width } = screenSize()
    return { screenX: 0, screenY: height - by, width, height: by }
  }

  const emitEvents = (to: number): void => {
    const event = isAndroid()
      ? // The height is that above the navigation bar.
        {
          endCoordinates: { ...place(to), height: Math.max(0, to - insets().bottom) },
          duration: 0,
          easing: "keyboard"
        }
      : {
          startCoordinates: place(height),
          endCoordinates: { ...place(to), height: to === 0 ? keyboardHeight() : to },
          duration,
          easing: "keyboard",
          isEventFromThisApp: true
        }
    const word = to === 0 ? "Hide" : "Show"
    height = to
    // Android has no events before the keyboard comes.
    const before = isAndroid() ? [] : [`keyboardWill${word}`, "keyboardWillChangeFrame"]
    for (const name of before) callable.emit(name, event)
    keyboardMoves(to)
    setTimeout(
      () => {
        const after = [`keyboardDid${word}`, ...(isAndroid() ? [] : ["keyboardDidChangeFrame"])]
        for (const name of after) callable.emit(name, event)
      },
      // Android reports it with the first layout.
      isAndroid() ? 0 : duration
    )
  }

  /** How the window of Android makes room for the keyboard: the manifest says that, of which only Expo's source may be here. */
  const layoutMode = async (): Promise<"resize" | "pan"> => {
    const [place] = bundle.includes("ExpoModulesCore") ? assetUrls(`${appFolder}app.json`) : []
    if (place === undefined) return "resize"
    const config: unknown = await fetch(place).then(async (response) => (response.ok ? response.json() : {}))
    const { android } = fieldsIn(fieldsIn(config)["expo"])
    return fieldsIn(android)["softwareKeyboardLayoutMode"] === "pan" ? "pan" : "resize"
  }
  let mode: Promise<"resize" | "pan"> | undefined

  /** Makes room for the keyboard. A window that reaches below the bars has its whole height. */
  const makeRoom = async (): Promise<void> => {
    mode ??= layoutMode().catch(() => "resize")
    const isPanned = (await mode) === "pan"
    const { element: root } = surface
    const field = typedField()
    const lowest = root.getBoundingClientRect().top + screenSize().height - height
    root.classList.remove("panned")
    if (isPanned && height > 0 && field !== undefined) {
      root.style.setProperty("--pan", `${Math.min(0, lowest - field.getBoundingClientRect().bottom)}px`)
      root.classList.add("panned")
    }
    const taken = isPanned || !system.isAboveNavigationBar ? 0 : height
    if (taken !== system.keyboardHeight) {
      system.keyboardHeight = taken
      surface.layOut()
    }
    // A list that became smaller shows what is typed into.
    const around = field?.closest(".scroll")
    if (taken > 0 && field !== undefined && around instanceof Element)
      around.scrollTop += Math.max(0, field.getBoundingClientRect().bottom - around.getBoundingClientRect().bottom)
  }

  let isDue = false
  let shownFor: Field | undefined
  const look = (): void => {
    isDue = false
    const field = typedField()
    if (field !== undefined && isLeft(field)) field.blur()
    const wanted = typedField()
    if (wanted !== closedFor) closedFor = undefined
    const isWanted = wanted !== undefined && closedFor === undefined
    const isOther = isWanted && wanted !== shownFor
    if (isOther) keys.show(wanted)
    shownFor = isWanted ? wanted : undefined
    if (isWanted === height > 0) {
      if (isOther && isAndroid()) void makeRoom()
      return
    }
    const to = isWanted ? keyboardHeight() : 0
    if (isWanted) {
      panel.style.cssText = `position:absolute;left:0;right:${insets().right}px;bottom:0;height:${to}px;z-index:2;${panelStyle()}`
      leaveBack = onBack(() => {
        closedFor = typedField()
        look()
      })
      surface.element.append(panel)
      screens.observe(surface.element, { childList: true, subtree: true, attributeFilter: ["class", "style"] })
    } else {
      leaveBack()
      panel.remove()
      screens.disconnect()
    }
    emitEvents(to)
    if (isAndroid()) void makeRoom()
  }
  const lookSoon = (): void => {
    if (isDue) return
    isDue = true
    setTimeout(look)
  }
  // A field that leaves the document loses the focus without an event.
  const screens = new MutationObserver(lookSoon)
  surface.element.addEventListener("focusin", () => {
    closedFor = undefined
    lookSoon()
  })
  surface.element.addEventListener("focusout", lookSoon)
  // A touch on a field whose keyboard was closed opens it again.
  surface.element.addEventListener("click", ({ target }) => {
    if (closedFor === undefined || target !== closedFor) return
    closedFor = undefined
    lookSoon()
  })
  // A touch elsewhere while typing keeps the focus, until the app dismisses the keyboard.
  surface.element.addEventListener("mousedown", (event) => {
    if (height > 0 && event.target instanceof Element && event.target.closest("input, textarea, button") === null) {
      event.preventDefault()
    }
  })
  return { KeyboardObserver: eventMethods }
}

const panelStyle = (): string =>
  isDark()
    ? `background:${isAndroid() ? "#1b1b1f" : "#1f1f21"};color:#fff`
    : `background:${isAndroid() ? "#eceff4" : "#d1d3d9"};color:#000`
