import { element } from "../views/element.ts"

/** A button of a dialog. */
export interface Choice {
  readonly label: string
  /** Called with the text of each field. */
  readonly choose: (texts: ReadonlyArray<string>) => void
  readonly style?: "default" | "cancel" | "destructive" | undefined
  readonly isPreferred?: boolean
  readonly isDisabled?: boolean
  /** In CSS, where the app chose another than iOS has. */
  readonly color?: string | undefined
}

/** A line that is to be typed. */
export interface Line {
  readonly value: string
  readonly isSecret: boolean
  /** Which keys a phone would show for it. */
  readonly inputMode?: string | undefined
  readonly placeholder?: string
}

export interface Dialog {
  readonly title?: string | undefined
  readonly message?: string | undefined
  readonly choices: ReadonlyArray<Choice>
  readonly lines?: ReadonlyArray<Line>
  readonly isDark?: boolean
  /** In the middle of the screen, or from its lower edge. */
  readonly place: "middle" | "bottom"
}

const colors = { default: "#007aff", cancel: "#007aff", destructive: "#ff3b30" }

/** Draws a dialog as iOS does, above everything; answers what takes it away. */
export const showDialog = (
  root: Element,
  { choices, isDark = false, lines = [], message, place, title }: Dialog
): (() => void) => {
  const panel = element("")
  const backdrop = element("", panel)
  const isSheet = place === "bottom"
  backdrop.setAttribute("role", isSheet ? "dialog" : "alertdialog")
  backdrop.ariaModal = "true"
  backdrop.ariaLabel = title ?? message ?? ""
  backdrop.style.cssText =
    `position:absolute;inset:0;z-index:3;display:flex;justify-content:center;align-items:${isSheet ? "end" : "center"};` +
    "background:#0006;touch-action:auto"
  panel.style.cssText =
    `box-sizing:border-box;width:${isSheet ? "calc(100% - 16px)" : "270px"};max-height:90%;margin:8px;overflow:auto;` +
    `border-radius:14px;background:${isDark ? "#1c1c1e" : "#f2f2f7"};color:${isDark ? "#fff" : "#000"};` +
    "text-align:center;font-size:13px"

  const line = (text: string | undefined, style: string): void => {
    if (text === undefined || text === "") return
    const made = element("")
    made.textContent = text
    made.style.cssText = `padding:2px 16px;white-space:pre-wrap;overflow-wrap:anywhere;${style}`
    panel.append(made)
  }
  line(title, "padding-top:18px;font-weight:600;font-size:17px")
  line(message, "padding-top:6px")

  const fields = lines.map(({ inputMode = "", isSecret, placeholder = "", value }) => {
    const field = document.createElement("input")
    Object.assign(field, { type: isSecret ? "password" : "text", value, inputMode, placeholder })
    field.style.cssText = "box-sizing:border-box;width:calc(100% - 32px);margin:12px 16px 0;padding:6px;font:inherit"
    panel.append(field)
    return field
  })
  const gap = element("")
  gap.style.height = "18px"
  panel.append(gap)

  const buttons = choices.map(({ choose, color, isDisabled, isPreferred, label, style = "default" }) => {
    const button = document.createElement("button")
    button.textContent = label
    button.disabled = isDisabled === true
    button.style.cssText =
      `display:block;width:100%;padding:12px;border:0;border-top:1px solid #3c3c434a;background:none;` +
      `color:${color ?? colors[style]};opacity:${isDisabled === true ? 0.4 : 1};` +
      `font:${style === "cancel" || isPreferred === true ? 600 : 400} 17px var(--system-fonts);cursor:pointer`
    button.addEventListener("click", () => {
      backdrop.remove()
      choose(fields.map(({ value }) => value))
    })
    return button
  })
  panel.append(...buttons)
  // What is touched here is none of the app's.
  for (const name of ["pointerdown", "keydown"]) backdrop.addEventListener(name, (event) => event.stopPropagation())
  root.append(backdrop)
  const [first] = fields
  if (first === undefined) buttons.at(-1)?.focus({ preventScroll: true })
  else first.focus()
  return () => backdrop.remove()
}
