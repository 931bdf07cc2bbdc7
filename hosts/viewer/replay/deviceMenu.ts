import { decodeSettings, type DeviceName, devices, type Settings } from "../../phone/settings/settings.ts"
import { readPush } from "../../phone/settings/messages.ts"
import { part, parts, setText } from "../ui/dom.ts"

/** What an app reads only when it starts. */
const readAtStart = ["device", "locale", "isRtl"] as const satisfies ReadonlyArray<keyof Settings>

/** The menu with the settings of the device. `changed` receives whether an app has to start again to see the change. */
export const makeDeviceMenu = (
  section: HTMLElement,
  on: {
    readonly changed: (needsStart: boolean) => void
    readonly link: (url: string) => void
    /** Receives the payload of a push notification, which can be read. */
    readonly push: (json: string) => void
  }
) => {
  const menu = part(section, ".setup", HTMLElement)
  const setting = <E extends HTMLElement>(name: string, type: new () => E): E =>
    part(menu, `[data-setting=${name}]`, type)
  const chosen = (name: string): string => setting(name, HTMLSelectElement).value
  const isChecked = (name: string): boolean => setting(name, HTMLInputElement).checked

  const read = (): Settings =>
    decodeSettings({
      device: chosen("device"),
      locale: chosen("locale"),
      textSize: Number(chosen("textSize")),
      isRtl: isChecked("isRtl"),
      hasReducedMotion: isChecked("hasReducedMotion"),
      network: chosen("network"),
      permissions: chosen("permissions")
    })
  let now = read()

  for (const control of parts(menu, "[data-setting]", HTMLElement)) {
    control.addEventListener("change", () => {
      const before = now
      now = read()
      on.changed(readAtStart.some((name) => before[name] !== now[name]))
    })
  }
  const form = part(menu, "form.link", HTMLFormElement)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    on.link(part(form, "input", HTMLInputElement).value)
  })
  const pushForm = part(menu, "form.push", HTMLFormElement)
  const payload = part(pushForm, "textarea", HTMLTextAreaElement)
  const why = part(pushForm, "[role=alert]", HTMLElement)
  pushForm.addEventListener("submit", (event) => {
    event.preventDefault()
    const read = readPush(payload.value)
    const isWrong = typeof read === "string"
    payload.ariaInvalid = String(isWrong)
    why.hidden = !isWrong
    setText(why, isWrong ? read : "")
    if (!isWrong) on.push(payload.value)
  })

  return {
    settings: (): Settings => now,
    scheme: (): "light" | "dark" => {
      const wanted = chosen("scheme")
      if (wanted === "light" || wanted === "dark") return wanted
      return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
    },
    isActualSize: (): boolean => isChecked("isActualSize"),
    /** The size of the chosen device; `undefined` for that of the upload. */
    size: (): Pick<(typeof devices)[DeviceName], "width" | "height"> | undefined =>
      now.device === undefined ? undefined : devices[now.device]
  }
}
