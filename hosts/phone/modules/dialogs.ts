import { fieldsIn, listIn, numberIn, textIn, type AppFunction, type Fields } from "../runtime/decode.ts"
import { showDialog, type Choice, type Line } from "./dialog.ts"
import { color } from "../style/color.ts"
import { modes } from "../views/inputModes.ts"
import type { Host, Modules } from "./Host.ts"

const styleOf = (key: string, { cancelButtonKey, destructiveButtonKey }: Fields): Choice["style"] =>
  key === cancelButtonKey ? "cancel" : key === destructiveButtonKey ? "destructive" : "default"

/** What is to be typed: nothing, a line, a line that nobody may read, or both, as `login-password`. */
const linesOf = (asked: Fields): ReadonlyArray<Line> => {
  const type = textIn(asked["type"]) ?? "default"
  const value = textIn(asked["defaultValue"]) ?? ""
  const inputMode = modes[textIn(asked["keyboardType"]) ?? ""]
  if (type === "login-password") {
    return [
      { value, isSecret: false, inputMode, placeholder: "Login" },
      { value: "", isSecret: true, placeholder: "Password" }
    ]
  }
  return type === "default" ? [] : [{ value, isSecret: type === "secure-text", inputMode }]
}

/** `Alert.alert` and `Alert.prompt`. */
const alert =
  ({ calls, surface }: Host) =>
  (asked: Fields, answered: AppFunction): void => {
    const given = listIn(asked["buttons"]).flatMap((button) => Object.entries(fieldsIn(button)))
    const buttons: ReadonlyArray<readonly [string, unknown]> = given.length > 0 ? given : [["0", "OK"]]
    const lines = linesOf(asked)
    showDialog(surface.element, {
      place: "middle",
      title: textIn(asked["title"]),
      message: textIn(asked["message"]),
      lines,
      isDark: asked["userInterfaceStyle"] === "dark",
      choices: buttons.map(([key, label]) => ({
        label: String(label),
        style: styleOf(key, asked),
        isPreferred: key === asked["preferredButtonKey"],
        choose: ([text, password]) =>
          calls.call(answered, Number(key), lines.length > 1 ? { login: text, password } : (text ?? ""))
      }))
    })
  }

/** `ActionSheetIOS`. */
const actionSheet = ({ calls, notes, surface }: Host) => {
  let close = (): void => {}
  return {
    getConstants: () => ({}),
    showActionSheetWithOptions: (asked: Fields, answered: AppFunction): void => {
      const cancel = numberIn(asked["cancelButtonIndex"])
      const destructive = new Set([
        ...listIn(asked["destructiveButtonIndices"]),
        ...listIn(asked["destructiveButtonIndex"])
      ])
      const disabled = new Set(listIn(asked["disabledButtonIndices"]))
      const tint = (name: string): string | undefined => color(asked[name]) || undefined
      const tints = (isCancel: boolean, isDestructive: boolean, isDisabled: boolean): string | undefined => {
        if (isDestructive) return undefined
        const own = isCancel ? tint("cancelButtonTintColor") : isDisabled ? tint("disabledButtonTintColor") : undefined
        return own ?? tint("tintColor")
      }
      close = showDialog(surface.element, {
        place: "bottom",
        title: textIn(asked["title"]),
        message: textIn(asked["message"]),
        isDark: asked["userInterfaceStyle"] === "dark",
        choices: listIn(asked["options"]).map((label, index) => ({
          label: String(label),
          style: index === cancel ? "cancel" : destructive.has(index) ? "destructive" : "default",
          isDisabled: disabled.has(index),
          color: tints(index === cancel, destructive.has(index), disabled.has(index)),
          choose: () => calls.call(answered, index)
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

/** What asks the person in front of the phone something. */
export const dialogs: Modules = (host) => ({
  AlertManager: { alertWithArgs: alert(host) },
  ActionSheetManager: actionSheet(host)
})
