import type { Pack } from "../../modules/Pack.ts"
import { numberIn } from "../../runtime/decode.ts"
import { isDark } from "../../runtime/device.ts"
import { color } from "../../style/color.ts"
import type { Component } from "../../views/Component.ts"
import { element } from "../../views/element.ts"

const minute = 60_000

/** The field of a browser, how wide it is, and which part of a date in ISO 8601 is its value. */
const fields: Readonly<Record<string, readonly [type: string, width: number, from: number, to: number]>> = {
  date: ["date", 140, 0, 10],
  time: ["time", 110, 11, 16],
  countdown: ["time", 110, 11, 16],
  datetime: ["datetime-local", 220, 0, 16]
}

/** A date, a time or both, in the field that the browser has for it. */
const dateField: Component = (own) => {
  const field = document.createElement("input")
  const drawn = element("view", field)
  field.style.cssText =
    "position:absolute;inset:0;margin:auto;box-sizing:border-box;width:100%;height:34px;border:0;border-radius:8px;" +
    "padding:0 8px;background:#7878801f;font:17px system-ui"
  let shown = 0

  const kind = () => fields[String(own.props()["mode"])] ?? fields["date"] ?? ["date", 140, 0, 10]

  /** How far the shown time is from UTC, in minutes. */
  const offsetAt = (time: number): number =>
    numberIn(own.props()["timeZoneOffsetInMinutes"]) ?? -new Date(time).getTimezoneOffset()

  const textOf = (time: number | undefined): string => {
    const [, , from, to] = kind()
    return time === undefined ? "" : new Date(time + offsetAt(time) * minute).toISOString().slice(from, to)
  }

  field.addEventListener("change", () => {
    const [, , from, to] = kind()
    const whole = new Date(shown + offsetAt(shown) * minute).toISOString()
    const local = Date.parse(whole.slice(0, from) + field.value + whole.slice(to))
    if (Number.isNaN(local)) return
    const offset = offsetAt(local)
    shown = local - offset * minute
    own.emit("topChange", { timestamp: shown, utcOffset: offset, target: own.tag })
  })

  return {
    element: drawn,
    update: (props) => {
      shown = numberIn(props["date"]) ?? Date.now()
      const [type] = kind()
      if (field.type !== type) field.type = type
      field.value = textOf(shown)
      field.min = textOf(numberIn(props["minimumDate"]))
      field.max = textOf(numberIn(props["maximumDate"]))
      field.step = String((numberIn(props["minuteInterval"]) ?? 1) * (type === "date" ? 1 : 60))
      field.disabled = props["enabled"] === false
      field.style.color = color(props["textColor"]) || (isDark() ? "#fff" : "#000")
      field.style.colorScheme = isDark() ? "dark" : "light"
      field.style.accentColor = color(props["accentColor"])
    },
    measure: () => ({ width: kind()[1], height: 34 })
  }
}

/** @react-native-community/datetimepicker: each display is the compact one. */
export const dateTimePicker: Pack = { components: { RNDateTimePicker: dateField } }
