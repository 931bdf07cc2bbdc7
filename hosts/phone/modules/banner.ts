import { element } from "../views/element.ts"
import { insets, isDark } from "../runtime/device.ts"

let removeLast = (): void => {}

const button = (style: string, press: () => void): HTMLButtonElement => {
  const made = document.createElement("button")
  made.style.cssText = `margin:0;border:0;background:none;color:inherit;cursor:pointer;text-align:start;${style}`
  made.addEventListener("click", press)
  return made
}

/** Draws a notification above everything, until it is pressed or dismissed, or the next one is shown. */
export const showBanner = (
  root: Element,
  { body = "", press, title = "" }: { readonly title?: string; readonly body?: string; readonly press: () => void }
): void => {
  removeLast()
  const banner = element("")
  removeLast = () => banner.remove()
  const shown = button("flex:1;min-width:0;padding:12px 16px;font:15px var(--system-fonts)", () => {
    banner.remove()
    press()
  })
  for (const [text, weight] of [
    [title, 600],
    [body, 400]
  ] as const) {
    if (text === "") continue
    const line = document.createElement("div")
    line.textContent = text
    line.style.cssText = `font-weight:${weight};max-height:5.2em;line-height:1.3;overflow:hidden;overflow-wrap:anywhere`
    shown.append(line)
  }
  const dismiss = button("padding:0 16px;font:20px var(--system-fonts)", () => banner.remove())
  dismiss.textContent = "×"
  dismiss.ariaLabel = "Dismiss the notification"
  banner.setAttribute("role", "group")
  banner.ariaLabel = "Notification"
  banner.style.cssText =
    `position:absolute;z-index:4;top:${insets().top + 4}px;left:8px;right:8px;display:flex;border-radius:22px;` +
    `background:${isDark() ? "#2c2c2e" : "#f2f2f7"};color:${isDark() ? "#fff" : "#000"};box-shadow:0 4px 24px #0006;` +
    "touch-action:auto;pointer-events:auto"
  banner.append(shown, dismiss)
  // What is touched here is none of the app's.
  for (const name of ["pointerdown", "keydown"]) banner.addEventListener(name, (event) => event.stopPropagation())
  root.append(banner)
}
