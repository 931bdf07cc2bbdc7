/** Pickers, segmented controls and sliders. */
import type { Pack } from "../modules/Host.ts"
import { fieldsIn, listIn, numberIn } from "../runtime/decode.ts"
import { isDark } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { type Component, element } from "../views/Component.ts"
import { setScroller } from "../views/scrollView.ts"

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
const dateTimePicker: Pack = { components: { RNDateTimePicker: dateField } }

/** How high a row of the wheel is, in points. */
const row = 34

/** A wheel of rows, of which the one in the middle is selected. */
const wheel: Component = (own) => {
  const band = element("")
  const rows = element("scroll")
  const drawn = element("view", band, rows)
  band.style.cssText = `position:absolute;left:8px;right:8px;top:calc(50% - ${row / 2}px);height:${row}px;border-radius:8px;background:#7878801f`
  rows.style.cssText = "position:absolute;inset:0;overflow-x:hidden;scroll-snap-type:y mandatory;touch-action:pan-y"
  rows.setAttribute("role", "listbox")
  rows.tabIndex = 0
  let selected = -1

  const items = () => listIn(own.props()["items"]).map(fieldsIn)

  const show = (index: number, behavior: ScrollBehavior): void => rows.scrollTo({ top: index * row, behavior })

  const mark = (): void => {
    for (const [at, option] of [...rows.children].entries()) {
      option.ariaSelected = String(at === selected)
      if (!(option instanceof HTMLElement)) continue
      option.style.opacity = at === selected ? "1" : "0.5"
      option.style.color = color(items()[at]?.["textColor"] ?? own.props()["color"]) || (isDark() ? "#fff" : "#000")
    }
  }

  const select = (index: number): void => {
    const item = items()[index]
    if (item === undefined || index === selected) return
    selected = index
    mark()
    own.emit("topChange", { newValue: item["value"], newIndex: index })
  }

  rows.addEventListener("scrollend", () => select(Math.round(rows.scrollTop / row)))
  setScroller(drawn, {
    takes: (x, y) => Math.abs(y) > Math.abs(x),
    begin: () => {
      rows.style.scrollSnapType = "none"
    },
    move: (_, y) => rows.scrollBy({ top: -y, behavior: "instant" }),
    end: (_, velocity) => {
      const to = Math.round((rows.scrollTop - velocity * 150) / row)
      show(Math.max(0, Math.min(to, rows.childElementCount - 1)), "smooth")
      rows.style.scrollSnapType = "y mandatory"
    }
  })

  return {
    element: drawn,
    update: (props, before) => {
      if (props["items"] !== before["items"]) {
        rows.replaceChildren(
          ...items().map((item, at) => {
            const option = element("")
            option.setAttribute("role", "option")
            option.textContent = String(item["label"] ?? "")
            option.dataset["testid"] = String(item["testID"] ?? "")
            option.style.cssText =
              `height:${row}px;line-height:${row}px;text-align:center;scroll-snap-align:center;cursor:pointer;` +
              `font-size:${numberIn(props["fontSize"]) ?? 21}px;white-space:nowrap;overflow:hidden`
            option.addEventListener("click", () => show(at, "smooth"))
            return option
          })
        )
      }
      const wanted = numberIn(props["selectedIndex"]) ?? 0
      if (props["selectedIndex"] !== before["selectedIndex"] || props["items"] !== before["items"]) {
        selected = wanted
        show(wanted, "instant")
      }
      mark()
    },
    laidOut: ({ height }) => {
      rows.style.paddingBlock = `${Math.max(0, (height - row) / 2)}px`
      show(selected, "instant")
    },
    commands: {
      setNativeSelectedIndex: (index) => {
        selected = numberIn(index) ?? 0
        show(selected, "smooth")
        mark()
      }
    }
  }
}

/** @react-native-picker/picker */
const picker: Pack = { components: { RNCPicker: wheel } }

/** Segments in a row, of which one is selected. */
const segments: Component = (own) => {
  const drawn = element("view")
  drawn.style.cssText = "display:flex;gap:2px;padding:2px;border-radius:9px"
  drawn.setAttribute("role", "radiogroup")
  let selected = -1

  const draw = (): void => {
    const props = own.props()
    const [plain, active] = [fieldsIn(props["fontStyle"]), fieldsIn(props["activeFontStyle"])]
    drawn.style.background = color(props["backgroundColor"]) || (isDark() ? "#7676803d" : "#7676801f")
    drawn.replaceChildren(
      ...listIn(props["values"]).map((value, at) => {
        const segment = document.createElement("button")
        const isSelected = at === selected
        const font = isSelected ? { ...plain, ...active } : plain
        segment.textContent = String(value)
        segment.setAttribute("role", "radio")
        segment.ariaChecked = String(isSelected)
        segment.disabled = props["enabled"] === false
        const tint = color(props["tintColor"]) || (isDark() ? "#636366" : "#fff")
        segment.style.cssText =
          `flex:1;min-width:0;border:0;border-radius:7px;background:${isSelected ? tint : "none"};cursor:pointer;` +
          `font:${isSelected ? 600 : 500} ${numberIn(font["fontSize"]) ?? 13}px system-ui`
        segment.style.color = color(font["color"]) || (isDark() ? "#fff" : "#000")
        segment.addEventListener("click", () => {
          selected = props["momentary"] === true ? -1 : at
          draw()
          own.emit("topChange", { value: String(value), selectedSegmentIndex: at, target: own.tag })
        })
        return segment
      })
    )
  }

  return {
    element: drawn,
    update: (props, before) => {
      if (props["selectedIndex"] !== before["selectedIndex"]) selected = numberIn(props["selectedIndex"]) ?? -1
      draw()
    }
  }
}

/** @react-native-segmented-control/segmented-control */
const segmentedControl: Pack = {
  components: { RNCSegmentedControl: segments },
  legacy: {
    RNCSegmentedControl: {
      props: "values selectedIndex enabled momentary appearance fontStyle activeFontStyle",
      colors: "tintColor backgroundColor",
      events: "Change"
    }
  }
}

const range: Component = (own) => {
  const field = document.createElement("input")
  const drawn = element("view", field)
  field.type = "range"
  field.style.cssText = "position:absolute;inset:0;width:100%;height:100%;margin:0;cursor:pointer;touch-action:none"
  let isSliding = false
  const emit = (name: string): void => own.emit(name, { value: Number(field.value), fromUser: true })
  field.addEventListener("input", () => {
    if (!isSliding) emit("topRNCSliderSlidingStart")
    isSliding = true
    emit("topRNCSliderValueChange")
  })
  field.addEventListener("change", () => {
    isSliding = false
    emit("topRNCSliderSlidingComplete")
  })
  return {
    element: drawn,
    update: (props, before) => {
      field.min = String(numberIn(props["minimumValue"]) ?? 0)
      field.max = String(numberIn(props["maximumValue"]) ?? 1)
      field.step = String(numberIn(props["step"]) || "any")
      field.disabled = props["disabled"] === true
      const isBackwards = props["inverted"] === true
      field.style.direction = isBackwards ? "rtl" : ""
      const tint = props["minimumTrackTintColor"]
      field.style.accentColor = tint === undefined || tint === null ? "#007aff" : color(tint)
      if (props["value"] !== before["value"] || before["minimumValue"] === undefined)
        field.value = String(numberIn(props["value"]) ?? numberIn(props["minimumValue"]) ?? 0)
    },
    measure: () => ({ width: 200, height: 40 })
  }
}

/** @react-native-community/slider */
const slider: Pack = { components: { RNCSlider: range } }

export const controls: ReadonlyArray<Pack> = [dateTimePicker, picker, segmentedControl, slider]
