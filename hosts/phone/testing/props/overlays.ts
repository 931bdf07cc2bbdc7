/** What stands over the rest of an app. */
import { until } from "../App.ts"
import {
  both,
  draws,
  has,
  hidden,
  lime,
  measures,
  of,
  otherwise,
  red,
  shown,
  tap,
  tapped,
  reports,
  type Claim,
  type Table
} from "./claims.ts"

/** Opens a modal, looks at it, and closes it again. */
const opened =
  (...seen: ReadonlyArray<Claim>): Claim =>
  (app, name) =>
    both(
      tapped(`onShow ${name}`),
      of(`in ${name}`, shown),
      of(`modal ${name}`, ...seen),
      of(`close ${name}`, tapped(`onDismiss ${name}`)),
      of(`modal ${name}`, hidden)
    )(app, name)

/** A modal's own element, which is around what it shows. */
const modal: Table = {
  visible: opened(has({ role: "dialog" })),
  onShow: reports("onShow visible"),
  onDismiss: reports("onDismiss visible"),
  "animationType: slide": opened(),
  "animationType: fade": opened(),
  "animationType: none": opened(),
  transparent: opened(draws({ backgroundColor: "rgba(0, 0, 0, 0)" })),
  backdropColor: opened(draws({ backgroundColor: red }, ":scope > *")),
  "presentationStyle: pageSheet": otherwise("a sheet is as large as the screen"),
  "presentationStyle: fullScreen": opened(measures(390, 844)),
  supportedOrientations: opened(),
  onOrientationChange: both(opened(), reports("onOrientationChange portrait")),
  onRequestClose: otherwise("on iOS a sheet that is swiped down asks for it, and sheets aren't"),
  allowSwipeDismissal: otherwise("sheets aren't swiped")
}

/** Opens a dialog, sees what it shows, and presses one of its buttons. */
const answered =
  (press: string, fill: ReadonlyArray<string>, ...seen: ReadonlyArray<Claim>): Claim =>
  async (app, name) => {
    await app.tap(name)
    const dialog = app.frame.locator("[role=alertdialog], [role=dialog]").last()
    await dialog.waitFor()
    const fields = dialog.locator("input")
    for (const [at, text] of fill.entries()) await fields.nth(at).fill(text)
    await both(...seen)(app, name)
    await dialog.getByRole("button", { name: press, exact: true }).click()
    await dialog.waitFor({ state: "detached" })
  }

/** Within the dialog that is open, an element of this selector, with these attributes or this style. */
const within =
  (selector: string, wanted: Readonly<Record<string, string | RegExp>>): Claim =>
  (app) =>
    until(app, async () => {
      const seen = await app.frame
        .locator("[role=alertdialog], [role=dialog]")
        .last()
        .locator(selector)
        .first()
        .evaluate((one, names) => {
          const style = getComputedStyle(one)
          return names.map((name) => one.getAttribute(name) ?? String(Reflect.get(style, name) ?? one.textContent))
        }, Object.keys(wanted))
      const wrong = Object.entries(wanted).filter(([, one], at) =>
        typeof one === "string" ? seen[at] !== one : !one.test(seen[at] ?? "")
      )
      return wrong.length === 0 ? undefined : `${selector} has ${seen.join()}, and not ${JSON.stringify(wanted)}`
    })

const says =
  (...texts: ReadonlyArray<string>): Claim =>
  async ({ frame }) => {
    const dialog = frame.locator("[role=alertdialog], [role=dialog]").last()
    for (const text of texts) await dialog.getByText(text, { exact: true }).waitFor()
  }

const dialogs: Table = {
  "Alert: title": answered("OK", [], says("A title", "A message")),
  "Alert: message": of("Alert: title", answered("OK", [], says("A message"))),
  "Alert: buttons": both(answered("Delete", []), reports("destructive")),
  "Alert: button's style": of(
    "Alert: buttons",
    answered("Cancel", [], within("button:has-text('Delete')", { color: "rgb(255, 59, 48)" })),
    reports("cancel")
  ),
  "Alert: isPreferred": of(
    "Alert: buttons",
    answered("Later", [], within("button:has-text('Later')", { fontWeight: "600" })),
    reports("preferred")
  ),
  "Alert: userInterfaceStyle": answered("OK", [], within("div", { backgroundColor: "rgb(28, 28, 30)" })),
  "prompt: plain-text": both(answered("OK", ["Bea"], within("input", { type: "text" })), reports("prompt Bea")),
  "prompt: defaultValue": of("prompt: plain-text", answered("OK", []), reports("prompt Ann")),
  "prompt: secure-text": both(answered("OK", ["hush"], within("input", { type: "password" })), reports("secret hush")),
  "prompt: login-password": both(answered("OK", ["ann", "hush"]), reports("login ann hush")),
  "prompt: keyboardType": answered("OK", ["1"], within("input", { inputmode: "numeric" })),
  "sheet: options": both(answered("Delete", []), reports("sheet 1")),
  "sheet: title": answered("Keep", [], says("A sheet", "With a message")),
  "sheet: message": of("sheet: title", answered("Keep", [], says("With a message"))),
  "sheet: cancelButtonIndex": both(
    answered("Cancel", [], within("button:has-text('Cancel')", { fontWeight: "600" })),
    reports("cancelled 2")
  ),
  "sheet: destructiveButtonIndex": both(
    answered("Delete", [], within("button:has-text('Delete')", { color: "rgb(255, 59, 48)" })),
    reports("destroyed 1")
  ),
  "sheet: disabledButtonIndices": answered("Cancel", [], within("button:has-text('Keep')", { disabled: "" })),
  "sheet: tintColor": answered("Keep", [], within("button:has-text('Keep')", { color: red })),
  "sheet: cancelButtonTintColor": answered("Cancel", [], within("button:has-text('Cancel')", { color: lime })),
  "sheet: userInterfaceStyle": answered("Keep", [], within("div", { backgroundColor: "rgb(28, 28, 30)" })),
  "sheet: dismissActionSheet": both(tap, async ({ frame }) => {
    await frame.locator("[role=dialog]").waitFor({ state: "detached" })
  }),
  "sheet: showShareActionSheetWithOptions": tapped("share true")
}

export const overlays: Readonly<Record<string, Table>> = { modal, dialogs }
