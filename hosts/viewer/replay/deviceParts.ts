import { type DeviceName, deviceOf, devices, locales, textSizes, usualSettings } from "../../phone/settings/settings.ts"
import { frameAllows } from "../content/contentPolicy.ts"
import { html, type Html } from "../ui/html.ts"

/** A running bundle: its title, the path of its documents, and its target screen. */
export interface RunningBundle {
  readonly title: string
  readonly path: string
  readonly device: { readonly width?: number; readonly height?: number } | undefined
}

/** The device of an upload that declares no size. */
const usualDevice: DeviceName = "iphone-17"

/** The device that stands for the declared size, if one is of about that size, and the size of the screen. */
export const screenOf = ({ device: declared }: RunningBundle) => {
  const { height, width } = { ...devices[usualDevice], ...declared }
  const name = deviceOf({ width, height })
  const size = name === undefined ? { width: Math.round(width), height: Math.round(height) } : devices[name]
  return { name, width: size.width, height: size.height }
}

/**
 * The frame that runs a bundle. It may run scripts, but has no origin, opens no windows and can't navigate the page.
 */
export const replayFrame = (running: RunningBundle, name?: DeviceName): Html => {
  const { height, width } = screenOf(running)
  return html`<iframe
    ${name === undefined ? "" : html`name="${JSON.stringify({ ...usualSettings, device: name })}"`}
    src="${running.path}"
    title="${running.title} running"
    sandbox="allow-scripts"
    allow="${frameAllows}"
    referrerpolicy="no-referrer"
    width="${width}"
    height="${height}"
  ></iframe>`
}

export const tool = (name: string, label: string): Html =>
  html`<button type="button" class="quiet" data-do="${name}">${label}</button>`

export const toggle = (name: string, label: string): Html =>
  html`<button type="button" class="quiet" data-do="${name}" aria-pressed="false">${label}</button>`

const option = (value: string | number, label: string, isChosen = false): Html =>
  html`<option value="${value}" ${isChosen ? "selected" : ""}>${label}</option>`

const choice = (setting: string, label: string, options: ReadonlyArray<Html>): Html =>
  html`<label
    >${label}
    <select data-setting="${setting}">
      ${options}
    </select></label
  >`

const check = (setting: string, label: string): Html =>
  html`<label><input type="checkbox" data-setting="${setting}" /> ${label}</label>`

/** The payload in the menu, as Apple has it. */
const usualPush = `{ "aps": { "alert": { "title": "Title", "body": "Text" } } }`

const whyId = "push-error"

/** How the device is set up. The first choice of a list is the usual one. */
export const deviceMenu = (running: RunningBundle): Html => {
  const { height, name, width } = screenOf(running)
  return html`<details class="menu setup">
    <summary>Device</summary>
    <div>
      ${choice("device", "Device", [
        ...(name === undefined ? [option("", `As uploaded, ${width} × ${height}`, true)] : []),
        ...Object.entries(devices).map(([value, device]) => option(value, device.label, value === name))
      ])}
      ${choice("scheme", "Appearance", [option("", "As the browser"), option("light", "Light"), option("dark", "Dark")])}
      ${choice(
        "textSize",
        "Text size",
        Object.entries(textSizes).map(([label, size]) => option(size, label, size === 1))
      )}
      ${choice("locale", "Language", [
        option("", "As the browser"),
        ...Object.entries(locales).map(([value, label]) => option(value, label))
      ])}
      ${choice("network", "Network", [
        option("online", "Online"),
        option("slow", "Slow"),
        option("offline", "Offline")
      ])}
      ${choice("permissions", "Permissions", [
        option("ask", "Ask"),
        option("granted", "Granted"),
        option("denied", "Denied")
      ])}
      ${check("isRtl", "Right to left")} ${check("hasReducedMotion", "Reduced motion")}
      ${check("isActualSize", "Actual size")}
      <form class="link">
        <label>Link <input type="url" required maxlength="2000" placeholder="app://path" /></label>
        <button class="quiet">Open</button>
      </form>
      <form class="push">
        <label
          >Push notification
          <textarea rows="4" required spellcheck="false" aria-describedby="${whyId}">${usualPush}</textarea>
        </label>
        <p id="${whyId}" role="alert" hidden></p>
        <button class="quiet">Send</button>
      </form>
    </div>
  </details>`
}
