/**
 * A mouse that was pressed in an app's frame and is beyond it now. Only the page around the frame receives its events.
 */
export interface OutsideMouse {
  readonly type: "pointermove" | "pointerup"
  /** Where it is, from the frame's corner, in the frame's own pixels. */
  readonly x: number
  readonly y: number
}

const mark = "phone-mouse"

/** What a message of the page says of it; `undefined` if it is another message. */
export const outsideMouseIn = (data: unknown): OutsideMouse | undefined => {
  if (typeof data !== "object" || data === null || !(mark in data)) return undefined
  const { type, x, y } = { type: "", x: 0, y: 0, ...(typeof data[mark] === "object" ? data[mark] : {}) }
  return type === "pointermove" || type === "pointerup" ? { type, x: Number(x), y: Number(y) } : undefined
}

/** Forwards it to the frame, so that a drag continues and ends there. A press on the page itself isn't forwarded. */
export const reportOutsideMouse = (frame: () => HTMLIFrameElement | undefined): void => {
  let isOfPage = false
  const tell = (type: OutsideMouse["type"], { buttons, clientX, clientY, pointerType }: PointerEvent): void => {
    const shown = frame()
    if (shown === undefined || isOfPage || pointerType !== "mouse" || (type === "pointermove" && buttons !== 1)) return
    const box = shown.getBoundingClientRect()
    const scale = box.width / shown.offsetWidth
    const mouse: OutsideMouse = { type, x: (clientX - box.x) / scale, y: (clientY - box.y) / scale }
    shown.contentWindow?.postMessage({ [mark]: mouse }, "*")
  }
  const options = { capture: true, passive: true }
  document.addEventListener("pointerdown", () => void (isOfPage = true), options)
  document.addEventListener("pointermove", (pointer) => tell("pointermove", pointer), options)
  document.addEventListener(
    "pointerup",
    (pointer) => {
      tell("pointerup", pointer)
      isOfPage = false
    },
    options
  )
}
