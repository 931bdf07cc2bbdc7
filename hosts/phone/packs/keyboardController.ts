import { type Mounted, mountedAt } from "../fabric/ShadowTree.ts"
import { listening, type Pack } from "../modules/Host.ts"
import { isDark, screenSize } from "../runtime/device.ts"
import type { Component } from "../views/Component.ts"
import { isTyped, keyboardDuration as duration, onKeyboard } from "../views/keyboard.ts"
import { view } from "../views/view.ts"

/** Sends the app an event of the library's module. */
let send = (_event: string, _payload?: unknown): void => {}

/** The field that is typed into. */
const typed = (): Mounted | undefined =>
  isTyped(document.activeElement) ? mountedAt(document.activeElement) : undefined

const frameOf = (element: Element) => {
  const { height, width, x, y } = element.getBoundingClientRect()
  return { x, y, width, height }
}

const listAround = (field: Mounted): number => {
  let at = field.parent
  while (at !== undefined && !at.family.name.endsWith("ScrollView")) at = at.parent
  return at?.family.tag ?? -1
}

const noField = {
  target: -1,
  parentScrollViewTarget: -1,
  layout: { x: 0, y: 0, width: 0, height: 0, absoluteX: 0, absoluteY: 0 }
}

const layoutOf = (field: Mounted) => {
  const { x, y } = frameOf(field.drawing.element)
  return {
    target: field.family.tag,
    parentScrollViewTarget: listAround(field),
    layout: { ...field.box, absoluteX: x, absoluteY: y }
  }
}

/** The view around an app, which receives each step of the keyboard, and what is typed into. */
const provider: Component = (own) => {
  let height = 0
  let frame = 0

  const moves = (to: number): void => {
    const [from, begin] = [height, performance.now()]
    const target = typed()?.family.tag ?? -1
    const tell = (step: string, at: number): void =>
      own.emit(`topKeyboardMove${step}`, { height: at, progress: at / (to || from), duration, target })
    const notify = (when: string): void => {
      const appearance = isDark() ? "dark" : "light"
      const event = { height: to, duration, timestamp: Date.now(), target, type: "default", appearance }
      send(`keyboard${when}${to === 0 ? "Hide" : "Show"}`, event)
    }
    const move = (now: number): void => {
      const left = 1 - Math.min(1, Math.max(0, now - begin) / duration)
      // It slows down until it stops.
      height = to + (from - to) * left ** 3
      tell("", height)
      if (left > 0) frame = requestAnimationFrame(move)
      else {
        tell("End", to)
        notify("Did")
      }
    }
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(move)
    tell("Start", to)
    notify("Will")
  }

  const tellField = (): void => {
    const field = typed()
    own.emit("topFocusedInputLayoutChanged", field === undefined ? noField : layoutOf(field))
  }
  const tellCaret = (): void => {
    const { activeElement } = document
    const field = typed()
    if (field === undefined || !isTyped(activeElement)) return
    // A browser doesn't say where in a field the caret is: as if it were in its last line.
    const { height: y, width: x } = field.box
    const [start, end] = [activeElement.selectionStart ?? 0, activeElement.selectionEnd ?? 0]
    own.emit("topFocusedInputSelectionChanged", {
      target: field.family.tag,
      selection: { start: { x, y, position: start }, end: { x, y, position: end } }
    })
  }
  const listeners: Readonly<Record<string, () => void>> = {
    focusin: () => {
      tellField()
      tellCaret()
    },
    focusout: tellField,
    selectionchange: tellCaret,
    input: () => {
      const { activeElement } = document
      if (isTyped(activeElement)) own.emit("topFocusedInputTextChanged", { text: activeElement.value })
    }
  }
  const start = (): (() => void) => {
    // A way that has begun comes to its end also without the view: the library waits for it.
    const ended = onKeyboard(moves)
    for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener)
    return () => {
      ended()
      for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name, listener)
    }
  }

  let stop: (() => void) | undefined
  const end = (): void => {
    stop?.()
    stop = undefined
  }
  return {
    ...view(own),
    update: ({ enabled }) => {
      if (enabled === false) end()
      else stop ??= start()
    },
    commands: {
      synchronizeFocusedInputLayout: () => {
        if (typed() !== undefined) tellField()
        send("layoutDidSynchronize")
      }
    },
    unmounted: end
  }
}

/** react-native-keyboard-controller. */
export const keyboardController: Pack = {
  components: {
    KeyboardControllerView: provider,
    KeyboardGestureArea: view,
    KeyboardBackgroundView: view,
    ClippingScrollViewDecoratorView: view
  },
  partial: ({ callable, surface }) => {
    send = (event, payload) => callable.emit(`KeyboardController::${event}`, payload)
    window.addEventListener("resize", () => send("windowDidResize", screenSize()))
    return {
      KeyboardController: {
        ...listening,
        preload: () => {},
        // Only Android has modes.
        setInputMode: () => {},
        setDefaultMode: () => {},
        dismiss: (keepFocus: unknown) => {
          const { activeElement } = document
          if (keepFocus !== true && activeElement instanceof HTMLElement) activeElement.blur()
        },
        viewPositionInWindow: async (tag: number) => {
          const mounted = surface.tree.byTag.get(tag)
          if (mounted === undefined) throw new Error("This view is not on the screen.")
          return frameOf(mounted.drawing.element)
        }
      }
    }
  }
}
