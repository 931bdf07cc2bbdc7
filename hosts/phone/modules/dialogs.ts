/**
 * What the phone draws over the app to ask the person something, or to show a notification; and the native modules
 * that use it.
 */
import { type AppFunction, type Fields, fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { insets, isAndroid, isDark, onBack, settings, system } from "../runtime/device.ts"
import type { Push } from "../settings/messages.ts"
import { color } from "../style/color.ts"
import { element } from "../views/Component.ts"
import { modes } from "../views/textInput.ts"
import type { Host, Modules } from "./Host.ts"

interface Dialog {
  readonly title?: string | undefined
  readonly message?: string | undefined
  readonly choices: ReadonlyArray<Choice>
  readonly lines?: ReadonlyArray<DialogField>
  /** "light" or "dark"; without it, as the system is. */
  readonly userInterfaceStyle?: unknown
  /** What stands above the buttons. */
  readonly content?: Element
  /** Whether the choices of Android are rows, and not buttons. */
  readonly isList?: boolean
  /** In the middle of the screen, or from its lower edge. */
  readonly place: "middle" | "bottom"
  /** It is dismissed without a choice; without this, a dialog of Android ignores Back and presses beside it. */
  readonly cancel?: () => void
}

/** A button of a dialog. */
interface Choice {
  readonly label: string
  /** Called with the text of each field. */
  readonly choose: (texts: ReadonlyArray<string>) => void
  readonly style?: "default" | "cancel" | "destructive" | undefined
  readonly isPreferred?: boolean
  readonly isDisabled?: boolean
  /** In CSS, where the app chose another than iOS has. */
  readonly color?: string | undefined
  /** Whether Android puts it apart from the others. */
  readonly isAside?: boolean
}

/** A line that is to be typed. */
interface DialogField {
  readonly value: string
  readonly isSecret: boolean
  /** Which keys a phone would show for it. */
  readonly inputMode?: string | undefined
  readonly placeholder?: string
}

/** How each system draws a dialog, in CSS. */
const dialogStyles = {
  ios: {
    width: "270px",
    panel: "border-radius:14px;text-align:center;font-size:13px",
    light: "background:#f2f2f7;color:#000",
    dark: "background:#1c1c1e;color:#fff",
    line: "padding:2px 16px",
    title: "padding-top:18px;font-weight:600;font-size:17px",
    message: "padding-top:4px",
    gap: "18px",
    buttons: "display:flex;flex-wrap:wrap;overflow:hidden;border-top:.5px solid #3c3c434a",
    button:
      "flex:1 0 100%;box-sizing:border-box;min-height:44px;padding:10px 8px;box-shadow:0 -.5px #3c3c434a,-.5px 0 #3c3c434a",
    font: "17px"
  },
  android: {
    width: "min(calc(100% - 64px), 340px)",
    panel: "border-radius:4px;text-align:start;font-size:16px;box-shadow:0 12px 32px #0006",
    light: "background:#fff;color:#000000de;--accent:#008577;--on-accent:#fff",
    dark: "background:#424242;color:#fff;--accent:#80cbc4;--on-accent:#000",
    line: "padding:0 24px",
    title: "padding-top:20px;font-weight:500;font-size:20px",
    message: "padding-top:14px;opacity:.75",
    gap: "20px",
    buttons: "display:flex;flex-wrap:wrap;justify-content:flex-end;padding:0 8px 8px",
    button: "min-width:64px;min-height:36px;padding:0 8px;text-transform:uppercase;letter-spacing:.5px",
    font: "14px"
  }
}

/** What differs in an action sheet of iOS. */
const sheetStyle = {
  title: "padding-top:14px;font-weight:600;font-size:13px;opacity:.5",
  message: "padding-top:4px;opacity:.5",
  gap: "14px",
  button: `${dialogStyles.ios.button};min-height:57px`,
  font: "20px"
}

/** What differs in a list of Android. */
const listStyle = {
  gap: "8px",
  buttons: "padding-bottom:8px",
  button: "display:block;width:100%;min-height:48px;padding:0 24px;text-align:start;font-weight:400",
  font: "16px"
}

/** The order of the buttons on iOS: of two beside each other, the first is the one that cancels; else it is the last. */
const inOrder = (choices: ReadonlyArray<Choice>, isPair: boolean): ReadonlyArray<Choice> => {
  if (isAndroid()) return choices
  const cancels = choices.filter(({ style }) => style === "cancel")
  const others = choices.filter(({ style }) => style !== "cancel")
  return isPair ? [...cancels, ...others] : [...others, ...cancels]
}

/** Draws a dialog as the system does, above everything; returns what takes it away. */
export const showDialog = (
  root: Element,
  { cancel, choices, content, isList = false, lines = [], message, place, title, userInterfaceStyle }: Dialog
): (() => void) => {
  const isSheet = place === "bottom"
  const isDarkDialog = userInterfaceStyle === "dark" || (userInterfaceStyle !== "light" && isDark())
  const isSheetOfIos = isSheet && !isAndroid()
  const look = {
    ...dialogStyles[system.platform],
    ...(isSheetOfIos ? sheetStyle : {}),
    ...(isAndroid() && (isList || isSheet) ? listStyle : {})
  }
  const panel = element("")
  const backdrop = element("", panel)
  backdrop.setAttribute("role", isSheet ? "dialog" : "alertdialog")
  backdrop.ariaModal = "true"
  backdrop.ariaLabel = title ?? message ?? ""
  backdrop.style.cssText =
    "position:absolute;inset:0;z-index:3;display:flex;flex-direction:column;align-items:center;" +
    `justify-content:${isSheet ? "end" : "center"};` +
    "background:#0006;touch-action:auto"
  panel.style.cssText =
    `box-sizing:border-box;width:${isSheet ? "calc(100% - 16px)" : look.width};max-height:90%;margin:8px;overflow:auto;` +
    `${look.panel};${isDarkDialog ? look.dark : look.light}`

  const line = (text: string | undefined, style: string): void => {
    if (text === undefined || text === "") return
    const created = element("")
    created.textContent = text
    created.style.cssText = `${look.line};white-space:pre-wrap;overflow-wrap:anywhere;${style}`
    panel.append(created)
  }
  line(title, look.title)
  line(message, look.message)

  const fields = lines.map(({ inputMode = "", isSecret, placeholder = "", value }) => {
    const field = document.createElement("input")
    Object.assign(field, { type: isSecret ? "password" : "text", value, inputMode, placeholder })
    field.style.cssText =
      "box-sizing:border-box;width:calc(100% - 32px);margin:12px 16px 0;padding:6px;font:inherit;color:inherit;" +
      (isAndroid()
        ? "margin-inline:24px;width:calc(100% - 48px);border:0;border-bottom:2px solid var(--accent);background:none;outline:0"
        : `border:.5px solid #3c3c434a;border-radius:5px;outline:0;background:${isDarkDialog ? "#000" : "#fff"}`)
    panel.append(field)
    return field
  })
  if (content !== undefined) panel.append(content)
  const gap = element("")
  gap.style.height = isSheetOfIos && panel.childElementCount === 0 ? "0" : look.gap
  panel.append(gap)

  const isPair = !isSheet && choices.length === 2
  const ordered = inOrder(choices, isPair)
  const buttons = ordered.map(({ choose, color, isAside, isDisabled, isPreferred, label, style = "default" }) => {
    const button = document.createElement("button")
    button.textContent = label
    button.disabled = isDisabled === true
    button.style.cssText =
      `border:0;background:none;${look.button};color:${color ?? (isAndroid() ? "var(--accent)" : colors[style])};` +
      `opacity:${isDisabled === true ? 0.4 : 1};cursor:pointer;${isAside === true ? "margin-inline-end:auto;" : ""}` +
      `font:${isAndroid() ? 500 : style === "cancel" || isPreferred === true ? 600 : 400} ${look.font} var(--system-fonts)`
    button.addEventListener("click", () => {
      close()
      choose(fields.map(({ value }) => value))
    })
    return button
  })
  // On iOS, the button that cancels a sheet stands apart.
  const isApart = isSheetOfIos && ordered.length > 1 && ordered.at(-1)?.style === "cancel"
  const row = element("", ...(isApart ? buttons.slice(0, -1) : buttons))
  row.style.cssText = look.buttons
  panel.append(row)
  if (isApart) {
    const last = element("", ...buttons.slice(-1))
    last.style.cssText = `${panel.style.cssText};flex:none;display:flex;margin-top:0`
    backdrop.append(last)
  }
  const leaveBack = onBack(() => dismiss())
  const close = (): void => {
    leaveBack()
    backdrop.remove()
  }
  const dismiss = (): void => {
    if (cancel === undefined) return
    close()
    cancel()
  }
  backdrop.addEventListener("click", ({ target }) => {
    if (target !== backdrop) return
    if (isAndroid()) dismiss()
    else if (isApart) buttons.at(-1)?.click()
  })
  // What is touched here is none of the app's.
  for (const name of ["pointerdown", "keydown"]) backdrop.addEventListener(name, (event) => event.stopPropagation())
  root.append(backdrop)
  if (isPair && !isAndroid()) {
    for (const button of buttons) button.style.flexBasis = "50%"
    // Labels that are too long for half of the width are below each other, and the one that cancels is the last.
    if (buttons.some(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth || clientWidth > 136)) {
      for (const button of buttons) button.style.flexBasis = "100%"
      row.append(...buttons.toReversed())
    }
  }
  const [first] = fields
  if (first === undefined) buttons.at(-1)?.focus({ preventScroll: true })
  else first.focus()
  return close
}

const colors = { default: "#007aff", cancel: "#007aff", destructive: "#ff3b30" }

/** What asks the person in front of the phone something. */
export const dialogs: Modules = (host) => ({
  AlertManager: { alertWithArgs: alert(host) },
  ActionSheetManager: actionSheet(host)
})

/** `Alert.alert` and `Alert.prompt`. */
const alert =
  ({ calls, surface }: Host) =>
  (options: Fields, callback: AppFunction): void => {
    const entries = listIn(options["buttons"]).flatMap((button) => Object.entries(fieldsIn(button)))
    const lines = linesOf(options)
    const usual: ReadonlyArray<readonly [string, string]> = [
      ["0", "OK"],
      ["1", "Cancel"]
    ]
    const isUsual = entries.length === 0
    const buttons: ReadonlyArray<readonly [string, unknown]> = isUsual
      ? usual.slice(0, lines.length === 0 ? 1 : 2)
      : entries
    showDialog(surface.element, {
      place: "middle",
      title: textIn(options["title"]),
      message: textIn(options["message"]),
      lines,
      userInterfaceStyle: options["userInterfaceStyle"],
      choices: buttons.map(([key, label]) => ({
        label: String(label),
        style: isUsual && key === "1" ? "cancel" : styleOf(key, options),
        isPreferred: key === options["preferredButtonKey"],
        choose: ([text, password]) =>
          calls.call(callback, Number(key), lines.length > 1 ? { login: text, password } : (text ?? ""))
      }))
    })
  }

/** What is to be typed: nothing, a line, a line that nobody may read, or both, as `login-password`. */
const linesOf = (options: Fields): ReadonlyArray<DialogField> => {
  const type = textIn(options["type"]) ?? "default"
  const value = textIn(options["defaultValue"]) ?? ""
  const inputMode = modes[textIn(options["keyboardType"]) ?? ""]
  if (type === "login-password") {
    return [
      { value, isSecret: false, inputMode, placeholder: "Login" },
      { value: "", isSecret: true, placeholder: "Password" }
    ]
  }
  return type === "default" ? [] : [{ value, isSecret: type === "secure-text", inputMode }]
}

const styleOf = (key: string, { cancelButtonKey, destructiveButtonKey }: Fields): Choice["style"] =>
  key === cancelButtonKey ? "cancel" : key === destructiveButtonKey ? "destructive" : "default"

/** `ActionSheetIOS`. */
const actionSheet = ({ calls, notes, surface }: Host) => {
  let close = (): void => {}
  return {
    getConstants: () => ({}),
    showActionSheetWithOptions: (options: Fields, callback: AppFunction): void => {
      const cancel = numberIn(options["cancelButtonIndex"])
      const destructive = new Set([
        ...listIn(options["destructiveButtonIndices"]),
        ...listIn(options["destructiveButtonIndex"])
      ])
      const disabled = new Set(listIn(options["disabledButtonIndices"]))
      const tint = (name: string): string | undefined => color(options[name]) || undefined
      const tints = (isCancel: boolean, isDestructive: boolean, isDisabled: boolean): string | undefined => {
        if (isDestructive) return undefined
        const ownTint = isCancel
          ? tint("cancelButtonTintColor")
          : isDisabled
            ? tint("disabledButtonTintColor")
            : undefined
        return ownTint ?? tint("tintColor")
      }
      close = showDialog(surface.element, {
        place: "bottom",
        title: textIn(options["title"]),
        message: textIn(options["message"]),
        userInterfaceStyle: options["userInterfaceStyle"],
        choices: listIn(options["options"]).map((label, index) => ({
          label: String(label),
          style: index === cancel ? "cancel" : destructive.has(index) ? "destructive" : "default",
          isDisabled: disabled.has(index),
          color: tints(index === cancel, destructive.has(index), disabled.has(index)),
          choose: () => calls.call(callback, index)
        }))
      })
    },
    // Who it would be shared with isn't there to be chosen.
    showShareActionSheetWithOptions: (shared: Fields, _failed: unknown, done: AppFunction): void => {
      const what = [shared["message"], shared["url"]].filter((one) => typeof one === "string").join(" ")
      notes.line(`The app shares “${what}”; a replay passes it on to nobody.`)
      calls.outside(() => calls.call(done, true, null))
    },
    dismissActionSheet: () => close()
  }
}

/** What a person has decided about something that an app may do; until it asks, nothing. */
export type Permission = "undetermined" | "granted" | "denied"

/** The decision of the page's settings, or else of the person. */
export const permissionOf = (name: string): Permission => {
  const { permissions } = settings()
  return permissions === "ask" ? (decisions.get(name) ?? "undetermined") : permissions
}

const decisions = new Map<string, Permission>()

/** Asks the person in front of the phone once, as iOS does. */
export const askPermission = async ({ surface }: Host, name: string): Promise<Permission> => {
  const decision = permissionOf(name)
  if (decision !== "undetermined") return decision
  return new Promise((resolve) => {
    const choose = (permission: Permission) => () => {
      decisions.set(name, permission)
      resolve(permission)
    }
    showDialog(surface.element, {
      place: "middle",
      title: `The app asks for permission: ${name}`,
      message: "A replay has no device: this only decides how the app continues.",
      choices: [
        { label: "Don’t Allow", choose: choose("denied") },
        { label: "Allow", choose: choose("granted") }
      ]
    })
  })
}

/** A picture that a person has chosen. */
interface Picture {
  readonly uri: string
  readonly width: number
  readonly height: number
  readonly fileName: string
  readonly base64: string
}

/** Lets the person in front of the phone choose one of a few pictures; `undefined` when they choose none. */
export const choosePicture = async ({ surface }: Host): Promise<Picture | undefined> =>
  new Promise((resolve) => {
    showDialog(surface.element, {
      place: "bottom",
      title: "Choose a picture",
      message: "A replay has no camera and no photos.",
      choices: [
        ...Object.entries(samples).map(([label, colors]) => ({
          label,
          choose: () => resolve(drawPicture(label, colors))
        })),
        { label: "Cancel", style: "cancel" as const, choose: () => resolve(undefined) }
      ]
    })
  })

const drawPicture = (name: string, [top = "", bottom = ""]: ReadonlyArray<string>): Picture => {
  const canvas = Object.assign(document.createElement("canvas"), pictureSize)
  const context = canvas.getContext("2d")
  if (context !== null) {
    const gradient = context.createLinearGradient(0, 0, 0, pictureSize.height)
    gradient.addColorStop(0, top)
    gradient.addColorStop(1, bottom)
    context.fillStyle = gradient
    context.fillRect(0, 0, pictureSize.width, pictureSize.height)
    context.fillStyle = "#fff"
    context.font = "48px system-ui"
    context.fillText(`${name} (sample picture)`, 40, pictureSize.height - 40)
  }
  const uri = canvas.toDataURL("image/jpeg")
  return { ...pictureSize, uri, fileName: `${name}.jpg`, base64: uri.slice(uri.indexOf(",") + 1) }
}

const samples = { Sunset: ["#ff9a5a", "#5b2a86"], Forest: ["#b8e986", "#1d5b3a"], Sea: ["#a6e1fa", "#0a3d62"] }

const pictureSize = { width: 800, height: 600 }

/** A library that passes push notifications to its app. */
interface PushReceiver {
  /** Whether the app receives notifications from it. */
  readonly isUsed: () => boolean
  readonly received: (push: Delivered) => void
  /** The person has pressed the banner. */
  readonly opened: (push: Delivered) => void
}

/** A push notification with its id. */
export interface Delivered extends Push {
  readonly id: string
}

const receivers: Array<PushReceiver> = []

/** Registers a library for push notifications. */
export const receivePushes = (receiver: PushReceiver): void => {
  receivers.push(receiver)
}

/** Delivers a push notification to the app, and shows it in a banner, also where an open app would not show it. */
export const deliverPush = ({ notes, surface }: Host, push: Push): void => {
  const delivered = { ...push, id: crypto.randomUUID() }
  const { body, title } = push
  const isShown = title !== undefined || body !== undefined
  if (isShown && permissionOf("notifications") !== "granted") {
    notes.line("The push notification was not delivered: the app has no permission for notifications.")
    return
  }
  const used = () => receivers.filter(({ isUsed }) => isUsed())
  if (used().length === 0) notes.line("The app has no listener for push notifications.")
  for (const { received } of used()) received(delivered)
  if (!isShown) return
  showBanner(surface.element, {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    press: () => used().forEach(({ opened }) => opened(delivered))
  })
}

/** Draws a notification above everything, until it is pressed or dismissed, or the next one is shown. */
const showBanner = (
  root: Element,
  { body = "", press, title = "" }: { readonly title?: string; readonly body?: string; readonly press: () => void }
): void => {
  removeLastBanner()
  const banner = element("")
  removeLastBanner = () => banner.remove()
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

let removeLastBanner = (): void => {}

const button = (style: string, press: () => void): HTMLButtonElement => {
  const created = document.createElement("button")
  created.style.cssText = `margin:0;border:0;background:none;color:inherit;cursor:pointer;text-align:start;${style}`
  created.addEventListener("click", press)
  return created
}
