/** Pickers, menus, segmented controls, sliders and buttons of services. */
import { showDialog } from "../modules/dialogs.ts"
import type { Host, Pack } from "../modules/Host.ts"
import { type Fields, fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { has24Hours, isAndroid, isDark, locale, pressBack } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { drawClock } from "../views/clock.ts"
import { adaptComponent, type Component, type ComponentContext, element } from "../views/Component.ts"
import { setScroller } from "../views/scrollView.ts"

const minute = 60_000

/** What is chosen of a time. */
type TimeMode = "date" | "time" | "datetime" | "countdown"

/** Times as people read them: those of UTC are shifted by the offset of a place, and read in UTC. */
const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale(), { ...options, timeZone: "UTC" })

/** A time of which a part is replaced; days that a month lacks are its last one. */
const withPart = (local: number, part: "year" | "month" | "day" | "hour" | "minute", value: number): number => {
  const date = new Date(local)
  if (part === "hour") return date.setUTCHours(value)
  if (part === "minute") return date.setUTCMinutes(value)
  const [year, month, day] = [
    part === "year" ? value : date.getUTCFullYear(),
    part === "month" ? value : date.getUTCMonth(),
    part === "day" ? value : date.getUTCDate()
  ]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return date.setUTCFullYear(year, month, Math.min(day, last))
}

interface Chosen {
  readonly local: number
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly accent: string
  /** The color of texts on the accent. */
  readonly onAccent?: string
  /** The weekday in the first column, counted from Sunday. */
  readonly firstDay?: number
}

const clamp = (local: number, { max = Infinity, min = -Infinity }: Pick<Chosen, "min" | "max">): number =>
  Math.max(min, Math.min(max, local))

const day = 24 * 60 * minute

/** A month with its days. */
const drawMonth = (choose: (local: number) => void) => {
  const drawn = element("")
  drawn.style.cssText = "box-sizing:border-box;padding:8px 12px;width:100%;font:15px var(--system-fonts)"
  let month = 0

  const button = (text: string, style: string, press: () => void): HTMLButtonElement => {
    const created = document.createElement("button")
    created.type = "button"
    created.textContent = text
    created.style.cssText = `border:0;background:none;color:inherit;font:inherit;padding:0;cursor:pointer;${style}`
    created.addEventListener("click", press)
    return created
  }

  const draw = (chosen: Chosen): void => {
    const first = new Date(month)
    const [year, at] = [first.getUTCFullYear(), first.getUTCMonth()]
    const title = element("")
    title.textContent = format({ month: "long", year: "numeric" }).format(month)
    title.style.cssText = "flex:1;font-weight:600"
    const turn = (by: number) => () => {
      month = Date.UTC(year, at + by, 1)
      draw(chosen)
    }
    const arrow = `width:36px;height:36px;font-size:24px;color:${chosen.accent}`
    const [before, after] = [button("‹", arrow, turn(-1)), button("›", arrow, turn(1))]
    before.ariaLabel = "Previous month"
    after.ariaLabel = "Next month"
    const head = element("", title, before, after)
    head.style.cssText = "display:flex;align-items:center"
    const grid = element("")
    const { firstDay = 0, onAccent = "#fff" } = chosen
    grid.style.cssText = "display:grid;grid-template-columns:repeat(7,1fr);justify-items:center;row-gap:2px"
    for (let weekday = 0; weekday < 7; weekday += 1) {
      const name = element("")
      // The fourth of January 1970 was a Sunday.
      name.textContent = format({ weekday: "narrow" }).format((3 + firstDay + weekday) * day)
      name.style.cssText = "font-size:12px;opacity:.5;padding:6px 0"
      grid.append(name)
    }
    const count = new Date(Date.UTC(year, at + 1, 0)).getUTCDate()
    for (let date = 1; date <= count; date += 1) {
      const local = Date.UTC(year, at, date) + (((chosen.local % day) + day) % day)
      const isChosen = Math.floor(local / day) === Math.floor(chosen.local / day)
      const one = button(String(date), "width:38px;height:38px;border-radius:50%", () => choose(local))
      one.disabled = Math.floor(clamp(local, chosen) / day) !== Math.floor(local / day)
      one.ariaPressed = String(isChosen)
      if (date === 1) one.style.gridColumnStart = String(((first.getUTCDay() - firstDay + 7) % 7) + 1)
      if (one.disabled) one.style.opacity = "0.3"
      if (isChosen) Object.assign(one.style, { background: chosen.accent, color: onAccent })
      grid.append(one)
    }
    drawn.replaceChildren(head, grid)
  }

  return {
    element: drawn,
    set: (chosen: Chosen): void => {
      const date = new Date(chosen.local)
      month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
      draw(chosen)
    }
  }
}

/** A column of the wheels: its rows, the selected one, and the time with another. */
interface Column {
  readonly rows: ReadonlyArray<string>
  readonly at: number
  readonly with: (index: number) => number
}

const count = (length: number, label: (index: number) => string): ReadonlyArray<string> =>
  Array.from({ length }, (_, index) => label(index))

const columnsOf = (mode: TimeMode, local: number, step: number, is24: boolean): ReadonlyArray<Column> => {
  const date = new Date(local)
  const year = date.getUTCFullYear()
  const hours = date.getUTCHours()
  const padded = (value: number): string => String(value).padStart(2, "0")
  const time: ReadonlyArray<Column> = [
    is24
      ? { rows: count(24, String), at: hours, with: (index) => withPart(local, "hour", index) }
      : {
          rows: count(12, (index) => String(index || 12)),
          at: hours % 12,
          with: (index) => withPart(local, "hour", index + (hours < 12 ? 0 : 12))
        },
    {
      rows: count(Math.ceil(60 / step), (index) => padded(index * step)),
      at: Math.floor(date.getUTCMinutes() / step),
      with: (index) => withPart(local, "minute", index * step)
    },
    ...(is24
      ? []
      : [
          {
            rows: ["AM", "PM"],
            at: hours < 12 ? 0 : 1,
            with: (index: number) => withPart(local, "hour", (hours % 12) + index * 12)
          }
        ])
  ]
  if (mode === "time" || mode === "countdown") return time
  if (mode === "datetime") {
    const name = format({ weekday: "short", month: "short", day: "numeric" })
    const around = 180
    return [
      {
        rows: count(2 * around + 1, (index) => name.format(local + (index - around) * day)),
        at: around,
        with: (index) => local + (index - around) * day
      },
      ...time
    ]
  }
  const columns: Readonly<Record<string, Column>> = {
    month: {
      rows: count(12, (index) => format({ month: "long" }).format(Date.UTC(2000, index))),
      at: date.getUTCMonth(),
      with: (index) => withPart(local, "month", index)
    },
    day: {
      rows: count(31, (index) => String(index + 1)),
      at: date.getUTCDate() - 1,
      with: (index) => withPart(local, "day", index + 1)
    },
    year: {
      rows: count(201, (index) => String(year - 100 + index)),
      at: 100,
      with: (index) => withPart(local, "year", year - 100 + index)
    }
  }
  const parts = format({ dateStyle: "medium" }).formatToParts(local)
  return parts.flatMap(({ type }) => columns[type] ?? [])
}

/** How high wheels are, in points. */
const wheelHeight = 216

/** The wheels of a time. */
const drawTime = (choose: (local: number) => void, is24 = has24Hours()) => {
  const drawn = element("view")
  drawn.style.cssText = "position:absolute;inset:0"
  let shown = ""
  let wheels: ReadonlyArray<{ readonly at: number; readonly wheel: ReturnType<typeof makeWheel> }> = []
  /** Turns the wheels to what is selected, which they can only where they are drawn. */
  const turn = (): void => {
    for (const { at, wheel: one } of wheels) {
      one.laidOut(wheelHeight)
      one.choose(at, "instant")
    }
  }
  return {
    element: drawn,
    turn,
    set: (mode: TimeMode, { local }: Chosen, step: number): void => {
      const key = `${mode} ${local} ${step} ${isDark()}`
      if (key === shown) return
      shown = key
      wheels = columnsOf(mode, local, step, is24 || mode === "countdown").map((column) => {
        const turned = makeWheel((index) => choose(column.with(index)))
        turned.set(
          column.rows.map((label) => ({ label })),
          21
        )
        return { wheel: turned, at: column.at }
      })
      const together = drawWheels(wheels.map((one) => one.wheel.element))
      together.style.cssText = "position:absolute;inset:0"
      drawn.replaceChildren(together)
      if (drawn.isConnected) turn()
    }
  }
}

/** The types of a browser's field by what is chosen. */
const fields: Readonly<Record<"date" | "time", readonly [type: string, from: number, to: number]>> = {
  date: ["date", 0, 10],
  time: ["time", 11, 16]
}

/** A part of a time in a grey field, which opens the chooser of the browser. */
const compactField = (kind: "date" | "time", choose: (local: number) => void) => {
  const field = document.createElement("input")
  const label = element("")
  const drawn = element("", label, field)
  const [type, from, to] = fields[kind]
  field.type = type
  field.style.cssText = "position:absolute;inset:0;width:100%;height:100%;opacity:0;cursor:pointer"
  drawn.style.cssText =
    "position:relative;flex:none;height:34px;line-height:34px;border-radius:8px;padding:0 11px;background:#7878801f;" +
    "font:17px/34px var(--system-fonts);white-space:nowrap"
  field.addEventListener("click", () => {
    try {
      field.showPicker()
    } catch {
      // Only a person may open it.
    }
  })
  let shown = 0
  field.addEventListener("change", () => {
    const whole = new Date(shown).toISOString()
    const local = Date.parse(whole.slice(0, from) + field.value + whole.slice(to))
    if (!Number.isNaN(local)) choose(local)
  })
  const textOf = (local: number | undefined): string =>
    local === undefined ? "" : new Date(local).toISOString().slice(from, to)
  return {
    element: drawn,
    set: ({ accent, local, max, min }: Chosen, isEnabled: boolean, step: number, ink: string): void => {
      shown = local
      label.textContent = format(kind === "date" ? { dateStyle: "medium" } : { timeStyle: "short" }).format(local)
      Object.assign(field, { value: textOf(local), min: textOf(min), max: textOf(max), disabled: !isEnabled })
      field.step = String(kind === "date" ? step : step * 60)
      drawn.style.color = ink || (isDark() ? "#fff" : "#000")
      drawn.style.opacity = isEnabled ? "1" : "0.4"
      field.style.accentColor = accent
      field.style.colorScheme = isDark() ? "dark" : "light"
    }
  }
}

const offsetIn = (given: unknown, time: number): number => numberIn(given) ?? -new Date(time).getTimezoneOffset()

/** The date picker of iOS: compact fields, wheels, or a month. */
const dateField: Component = (context) => {
  const drawn = element("view")
  let shown = 0
  const offsetAt = (time: number): number => offsetIn(context.props()["timeZoneOffsetInMinutes"], time)
  const localOf = (time: number | undefined): number | undefined =>
    time === undefined ? undefined : time + offsetAt(time) * minute
  const mode = (): TimeMode => {
    const name = String(context.props()["mode"])
    return name === "time" || name === "datetime" || name === "countdown" ? name : "date"
  }
  const display = (): string => String(context.props()["displayIOS"] ?? "default")
  const chosen = (): Chosen => ({
    local: localOf(shown) ?? 0,
    min: localOf(numberIn(context.props()["minimumDate"])),
    max: localOf(numberIn(context.props()["maximumDate"])),
    accent: color(context.props()["accentColor"]) || "#007aff"
  })
  const choose = (local: number): void => {
    const within = clamp(local, chosen())
    const offset = offsetAt(within)
    shown = within - offset * minute
    draw()
    context.emit("topChange", { timestamp: shown, utcOffset: offset, target: context.tag })
  }
  const [date, time] = [compactField("date", choose), compactField("time", choose)]
  const month = drawMonth(choose)
  const wheels = drawTime(choose)
  const compact = element("", date.element, time.element)
  compact.style.cssText = "position:absolute;inset:0;display:flex;gap:6px;align-items:center"

  const draw = (): void => {
    const props = context.props()
    const step = numberIn(props["minuteInterval"]) ?? 1
    const isWheel = display() === "spinner" || mode() === "countdown"
    const isMonth = display() === "inline" && mode() !== "time"
    drawn.style.colorScheme = isDark() ? "dark" : "light"
    drawn.style.color = color(props["textColor"]) || (isDark() ? "#fff" : "#000")
    if (isWheel) wheels.set(mode(), chosen(), step)
    else if (isMonth) month.set(chosen())
    const isEnabled = props["enabled"] !== false
    date.set(chosen(), isEnabled, 1, color(props["textColor"]))
    time.set(chosen(), isEnabled, step, color(props["textColor"]))
    compact.replaceChildren(
      ...(mode() === "time" || isMonth ? [] : [date.element]),
      ...(mode() === "date" ? [] : [time.element])
    )
    compact.style.top = isMonth ? "auto" : "0"
    compact.hidden = isMonth && mode() === "date"
    drawn.replaceChildren(...(isWheel ? [wheels.element] : isMonth ? [month.element, compact] : [compact]))
  }

  return {
    element: drawn,
    update: (props) => {
      shown = numberIn(props["date"]) ?? Date.now()
      draw()
    },
    laidOut: wheels.turn,
    measure: () => {
      if (display() === "spinner" || mode() === "countdown") return { width: 320, height: wheelHeight }
      if (display() === "inline" && mode() !== "time") return { width: 320, height: mode() === "date" ? 340 : 380 }
      return { width: { date: 134, time: 90, datetime: 230, countdown: 90 }[mode()], height: 34 }
    }
  }
}

/** The years of a date, of which a person chooses one. */
const drawYears = (local: number, { max, min }: Pick<Chosen, "min" | "max">, choose: (year: number) => void) => {
  const yearOf = (time: number): number => new Date(time).getUTCFullYear()
  const year = yearOf(local)
  const [from, to] = [
    yearOf(min ?? withPart(local, "year", year - 100)),
    yearOf(max ?? withPart(local, "year", year + 100))
  ]
  const list = element("scroll")
  list.style.cssText = "height:304px;overflow-y:auto;touch-action:pan-y"
  for (let one = from; one <= to; one += 1) {
    const row = document.createElement("button")
    row.textContent = String(one)
    row.ariaPressed = String(one === year)
    row.style.cssText =
      "display:block;width:100%;height:44px;border:0;background:none;cursor:pointer;" +
      `font:${one === year ? "500 24px" : "16px"} var(--system-fonts);color:${one === year ? "var(--accent)" : "inherit"}`
    row.addEventListener("click", () => choose(one))
    list.append(row)
  }
  return list
}

/** The dialogs of Android in which a date or a time is chosen. */
const openDialog =
  ({ surface }: Host, mode: "date" | "time") =>
  (params: unknown): Promise<object> =>
    new Promise((resolve) => {
      const fields = fieldsIn(params)
      const { dialogButtons, display, maximumDate, minimumDate, timeZoneOffsetInMinutes, title, value } = fields
      const begin = numberIn(value) ?? Date.now()
      const localOf = (time: unknown): number | undefined => {
        const at = numberIn(time)
        return at === undefined ? undefined : at + offsetIn(timeZoneOffsetInMinutes, at) * minute
      }
      let local = localOf(begin) ?? 0
      const chosen = (): Chosen => ({
        local,
        min: localOf(minimumDate),
        max: localOf(maximumDate),
        accent: "var(--accent)",
        onAccent: "var(--on-accent)",
        firstDay: numberIn(fields["firstDayOfWeek"]) ?? 0
      })
      const step = numberIn(fields["minuteInterval"]) ?? 1
      const is24 = typeof fields["is24Hour"] === "boolean" ? fields["is24Hour"] : has24Hours()
      const isWheels = display === "spinner"
      const [head, body] = [element(""), element("")]
      const [year, date] = [document.createElement("button"), document.createElement("button")]
      const month = drawMonth((to) => set(to))
      const wheels = drawTime((to) => set(to), is24)
      const clock = drawClock(
        ({ hours, minutes }) => set(withPart(withPart(local, "hour", hours), "minute", minutes)),
        { is24, step }
      )
      const showMonth = (): void => body.replaceChildren(month.element)
      const showYears = (): void => {
        const list = drawYears(local, chosen(), (to) => {
          set(withPart(local, "year", to))
          showMonth()
        })
        body.replaceChildren(list)
        list.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "center" })
      }
      for (const [button, size, show] of [
        [year, 16, showYears],
        [date, 28, showMonth]
      ] as const) {
        button.style.cssText =
          "display:block;border:0;padding:0;background:none;color:inherit;cursor:pointer;" +
          `font:${size}px var(--system-fonts)`
        button.addEventListener("click", show)
      }
      head.append(year, date)
      head.style.cssText = "padding:16px 24px;background:var(--accent);color:var(--on-accent)"
      const set = (to: number): void => {
        local = clamp(to, chosen())
        year.textContent = format({ year: "numeric" }).format(local)
        date.textContent = format({ weekday: "short", month: "short", day: "numeric" }).format(local)
        if (isWheels) wheels.set(mode, chosen(), step)
        else if (mode === "date") month.set(chosen())
        else clock.set({ hours: new Date(local).getUTCHours(), minutes: new Date(local).getUTCMinutes() })
      }
      if (isWheels) {
        body.style.cssText = `position:relative;height:${wheelHeight}px`
        body.append(wheels.element)
      } else if (mode === "date") showMonth()
      else body.append(clock.element)
      const button = (name: string, usual: string): string =>
        textIn(fieldsIn(fieldsIn(dialogButtons)[name])["label"]) ?? usual
      const end =
        (action: string, at = begin) =>
        (): void =>
          resolve({ action, timestamp: at, utcOffset: offsetIn(timeZoneOffsetInMinutes, at) })
      const neutral = button("neutral", "")
      const result = (): number => local - offsetIn(timeZoneOffsetInMinutes, local) * minute
      showDialog(surface.element, {
        place: "middle",
        title: textIn(title),
        content: mode === "date" && !isWheels ? element("", head, body) : body,
        cancel: end("dismissedAction"),
        choices: [
          ...(neutral === "" ? [] : [{ label: neutral, isAside: true, choose: end("neutralButtonAction") }]),
          { label: button("negative", "Cancel"), choose: end("dismissedAction") },
          {
            label: button("positive", "OK"),
            choose: () => end(mode === "date" ? "dateSetAction" : "timeSetAction", result())()
          }
        ]
      })
      set(local)
      if (isWheels) wheels.turn()
    })

/** @react-native-community/datetimepicker */
const dateTimePicker: Pack = {
  components: { RNDateTimePicker: dateField },
  modules: (host) => {
    const dismiss = async () => pressBack() === undefined
    const [date, time] = [
      { open: openDialog(host, "date"), dismiss },
      { open: openDialog(host, "time"), dismiss }
    ]
    return { RNCDatePicker: date, RNCMaterialDatePicker: date, RNCTimePicker: time, RNCMaterialTimePicker: time }
  }
}

/** How high a row of the wheel is, in points. */
const row = 34

interface WheelRow {
  readonly label: string
  readonly testId?: string
  readonly color?: string
}

/** Rows of which the one in the middle is selected. `select` receives the index of a row that a person chooses. */
const makeWheel = (select: (index: number) => void) => {
  const rows = element("scroll")
  rows.style.cssText = "flex:1;height:100%;overflow-x:hidden;scroll-snap-type:y mandatory;touch-action:pan-y"
  rows.setAttribute("role", "listbox")
  rows.tabIndex = 0
  let selected = -1

  const show = (index: number, behavior: ScrollBehavior): void => rows.scrollTo({ top: index * row, behavior })
  const mark = (): void => {
    for (const [at, option] of [...rows.children].entries()) {
      option.ariaSelected = String(at === selected)
      if (option instanceof HTMLElement) option.style.opacity = at === selected ? "1" : "0.5"
    }
  }

  rows.addEventListener("scrollend", () => {
    const index = Math.round(rows.scrollTop / row)
    if (index === selected || rows.children[index] === undefined) return
    selected = index
    mark()
    select(index)
  })
  setScroller(rows, {
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
    element: rows,
    set: (items: ReadonlyArray<WheelRow>, fontSize: number): void => {
      rows.replaceChildren(
        ...items.map(({ color: ink, label, testId }, at) => {
          const option = element("")
          option.setAttribute("role", "option")
          option.textContent = label
          option.dataset["testid"] = testId ?? ""
          option.style.cssText =
            `height:${row}px;line-height:${row}px;text-align:center;scroll-snap-align:center;cursor:pointer;` +
            `font-size:${fontSize}px;white-space:nowrap;overflow:hidden`
          option.style.color = ink || (isDark() ? "#fff" : "#000")
          option.addEventListener("click", () => show(at, "smooth"))
          return option
        })
      )
      mark()
    },
    choose: (index: number, behavior: ScrollBehavior): void => {
      selected = index
      show(index, behavior)
      mark()
    },
    laidOut: (height: number): void => {
      rows.style.paddingBlock = `${Math.max(0, (height - row) / 2)}px`
      rows.style.boxSizing = "border-box"
      show(selected, "instant")
    }
  }
}

/** Wheels beside each other, behind the row that is selected. */
const drawWheels = (wheels: ReadonlyArray<Element>): HTMLElement => {
  const band = element("")
  const columns = element("", ...wheels)
  band.style.cssText = `position:absolute;left:8px;right:8px;top:calc(50% - ${row / 2}px);height:${row}px;border-radius:8px;background:#7878801f`
  columns.style.cssText = "position:absolute;inset:0 8px;display:flex"
  return element("view", band, columns)
}

/** One wheel. */
const wheel: Component = (context) => {
  const items = () => listIn(context.props()["items"]).map(fieldsIn)
  const rows = makeWheel((index) => {
    const item = items()[index]
    if (item !== undefined) context.emit("topChange", { newValue: item["value"], newIndex: index })
  })
  return {
    element: drawWheels([rows.element]),
    update: (props, before) => {
      const isNew = props["items"] !== before["items"]
      if (isNew || props["color"] !== before["color"])
        rows.set(
          items().map((item) => ({
            label: String(item["label"] ?? ""),
            testId: String(item["testID"] ?? ""),
            color: color(item["textColor"] ?? props["color"])
          })),
          numberIn(props["fontSize"]) ?? 21
        )
      if (isNew || props["selectedIndex"] !== before["selectedIndex"])
        rows.choose(numberIn(props["selectedIndex"]) ?? 0, "instant")
    },
    laidOut: ({ height }) => rows.laidOut(height),
    commands: { setNativeSelectedIndex: (index) => rows.choose(numberIn(index) ?? 0, "smooth") }
  }
}

/** The list of Android: the selected label, which opens a dialog with the others. */
const dropdown: Component = (context) => {
  const drawn = element("view")
  drawn.style.cssText =
    "display:flex;align-items:center;justify-content:space-between;padding:0 16px;cursor:pointer;font-size:16px"
  drawn.setAttribute("role", "combobox")
  const items = () => listIn(context.props()["items"]).map(fieldsIn)
  const labelOf = (index: number): string => String(items()[index]?.["label"] ?? "")
  let index = 0
  const draw = (): void => {
    drawn.textContent = labelOf(index)
    drawn.style.color = color(items()[index]?.["color"] ?? context.props()["color"]) || (isDark() ? "#fff" : "#000")
    const arrow = element("")
    arrow.style.cssText = "border:5px solid transparent;border-top-color:currentcolor;border-bottom:0;opacity:.6"
    arrow.style.borderTopColor = color(context.props()["dropdownIconColor"])
    drawn.append(arrow)
  }
  const open = (): void => {
    if (context.props()["enabled"] === false) return
    context.emit("topFocus", {})
    const end = (): void => context.emit("topBlur", {})
    showDialog(document.querySelector(".phone") ?? drawn, {
      place: "middle",
      title: textIn(context.props()["prompt"]),
      isList: true,
      cancel: end,
      choices: items().map((item, position) => ({
        label: labelOf(position),
        isDisabled: item["enabled"] === false,
        color: color(item["color"]) || "inherit",
        choose: () => {
          context.emit("topSelect", { position })
          end()
        }
      }))
    })
  }
  const select = (to: unknown): void => {
    index = numberIn(to) ?? 0
    draw()
  }
  drawn.addEventListener("click", open)
  return {
    element: drawn,
    update: (props) => select(props["selected"]),
    commands: { setNativeSelected: select, focus: open, blur: () => {} },
    measure: () => ({ width: 160, height: 50 })
  }
}

/** @react-native-picker/picker */
const picker: Pack = {
  components: { RNCPicker: wheel, RNCAndroidDropdownPicker: dropdown, RNCAndroidDialogPicker: dropdown }
}

/** Segments in a row, of which one is selected. */
const segments: Component = (context) => {
  const drawn = element("view")
  drawn.style.cssText = "display:flex;gap:2px;padding:2px;border-radius:9px"
  drawn.setAttribute("role", "radiogroup")
  let selected = -1

  const draw = (): void => {
    const props = context.props()
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
          context.emit("topChange", { value: String(value), selectedSegmentIndex: at, target: context.tag })
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

const range: Component = (context) => {
  const field = document.createElement("input")
  const drawn = element("view", field)
  field.type = "range"
  field.className = "range"
  let isSliding = false
  const emit = (name: string): void => context.emit(name, { value: Number(field.value), fromUser: true })
  const showShare = (): void => {
    const [min, max] = [Number(field.min), Number(field.max)]
    field.style.setProperty("--share", String(max === min ? 0 : (Number(field.value) - min) / (max - min)))
  }
  field.addEventListener("input", () => {
    showShare()
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
      field.style.setProperty("--fill", color(tint) || (isAndroid() ? "var(--accent)" : "#007aff"))
      field.style.setProperty("--track", color(props["maximumTrackTintColor"]) || "#78788033")
      field.style.setProperty("--thumb", color(props["thumbTintColor"]) || (isAndroid() ? "var(--accent)" : "#fff"))
      if (props["value"] !== before["value"] || before["minimumValue"] === undefined)
        field.value = String(numberIn(props["value"]) ?? numberIn(props["minimumValue"]) ?? 0)
      showShare()
    },
    measure: () => ({ width: 200, height: 40 })
  }
}

/** @react-native-community/slider */
const slider: Pack = { components: { RNCSlider: range } }

/** The menu that opens at a view. */
const menuView: Component = (context) => {
  const drawn = element("view")
  const actions = (list: unknown): ReadonlyArray<Fields> => listIn(list).map(fieldsIn)
  const open = (list: ReadonlyArray<Fields>, title: string | undefined): void => {
    const shown = list.filter(({ attributes }) => fieldsIn(attributes)["hidden"] !== true)
    context.emit("topOpenMenu", {})
    const end = (): void => context.emit("topCloseMenu", {})
    showDialog(document.querySelector(".phone") ?? drawn, {
      place: "bottom",
      title,
      cancel: end,
      choices: [
        ...shown.map((action) => {
          const { destructive, disabled } = fieldsIn(action["attributes"])
          const inner = actions(action["subactions"])
          return {
            label: `${action["state"] === "on" ? "✓ " : ""}${textIn(action["title"]) ?? ""}`,
            style: destructive === true ? ("destructive" as const) : ("default" as const),
            isDisabled: disabled === true,
            choose: () => {
              if (inner.length > 0) open(inner, textIn(action["title"]))
              else context.emit("topPressAction", { event: textIn(action["id"]) ?? textIn(action["title"]) ?? "" })
              end()
            }
          }
        }),
        { label: "Cancel", style: "cancel" as const, choose: end }
      ]
    })
  }
  const show = (): void => open(actions(context.props()["actions"]), textIn(context.props()["title"]))
  drawn.addEventListener("click", () => {
    if (context.props()["shouldOpenOnLongPress"] !== true) show()
  })
  drawn.addEventListener("contextmenu", (event) => {
    event.preventDefault()
    if (context.props()["shouldOpenOnLongPress"] === true) show()
  })
  return { element: drawn, commands: { show } }
}

/** @react-native-menu/menu */
const menu: Pack = {
  components: { MenuView: menuView },
  legacy: {
    MenuView: {
      props: "title actions actionsHash shouldOpenOnLongPress isAnchoredToRight themeVariant",
      events: "PressAction OpenMenu CloseMenu"
    }
  }
}

/** A menu with the properties and the event of another library. */
const menuLike =
  (toProps: (props: Fields) => Fields, choose: (context: ComponentContext, id: string) => void): Component =>
  (context) =>
    menuView({
      ...context,
      props: () => toProps(context.props()),
      emit: (name, payload) => {
        if (name === "topPressAction") choose(context, String(payload["event"]))
      }
    })

/** The actions of react-native-context-menu-view; their ids are the indices on the way to them. */
const indexedActions = (list: unknown, before = ""): ReadonlyArray<Fields> =>
  listIn(list).map((one, index) => {
    const { actions, destructive, disabled, title } = fieldsIn(one)
    const id = `${before}${index}`
    return { id, title, attributes: { destructive, disabled }, subactions: indexedActions(actions, `${id}.`) }
  })

const contextMenu: Component = menuLike(
  (props) => ({
    title: props["title"],
    shouldOpenOnLongPress: props["dropdownMenuMode"] !== true,
    actions: indexedActions(props["actions"])
  }),
  (context, id) => {
    const indexPath = id.split(".").map(Number)
    let actions: unknown = context.props()["actions"]
    let name: unknown
    for (const index of indexPath) ({ actions, title: name } = fieldsIn(listIn(actions)[index]))
    context.emit("topPress", { index: indexPath.at(-1), indexPath, name })
  }
)

/** The items of react-native-ios-context-menu. */
const keyedActions = (list: unknown): ReadonlyArray<Fields> =>
  listIn(list).map((one) => {
    const { actionKey, actionTitle, menuAttributes, menuItems, menuState, menuTitle } = fieldsIn(one)
    const attributes = Object.fromEntries(listIn(menuAttributes).map((name) => [String(name), true]))
    const title = actionTitle ?? menuTitle
    return { id: actionKey, title, attributes, state: menuState, subactions: keyedActions(menuItems) }
  })

const iosContextMenu = (isButton: boolean): Component =>
  menuLike(
    (props) => {
      const { menuItems, menuTitle } = fieldsIn(props["menuConfig"])
      const shouldOpenOnLongPress = !isButton || props["isMenuPrimaryAction"] === false
      return { title: textIn(menuTitle) || undefined, actions: keyedActions(menuItems), shouldOpenOnLongPress }
    },
    (context, actionKey) => context.emit("topPressMenuItem", { actionKey })
  )

/** react-native-context-menu-view and react-native-ios-context-menu, which zeego uses. */
const contextMenus: Pack = {
  components: {
    ContextMenu: contextMenu,
    RNIContextMenuButton: iosContextMenu(true),
    RNIContextMenuView: iosContextMenu(false)
  },
  legacy: {
    ContextMenu: {
      props: "title subtitle actions dropdownMenuMode disabled previewBackgroundColor",
      events: "Press PreviewPress Cancel"
    }
  }
}

const timeIn = (value: unknown): number | undefined => numberIn(Date.parse(String(value)))

/** react-native-date-picker, without its own dialog. */
const datePicker: Pack = {
  components: {
    RNDatePicker: adaptComponent(
      dateField,
      (props) => ({
        ...props,
        displayIOS: "spinner",
        mode: props["mode"] ?? "datetime",
        date: timeIn(props["date"]),
        minimumDate: timeIn(props["minimumDate"]),
        maximumDate: timeIn(props["maximumDate"]),
        timeZoneOffsetInMinutes: numberIn(Number.parseFloat(String(props["timeZoneOffsetInMinutes"])))
      }),
      (name, { timestamp }) => [name, { timestamp }]
    )
  },
  legacy: {
    RNDatePicker: {
      props: "date maximumDate minimumDate minuteInterval mode timeZoneOffsetInMinutes theme",
      colors: "textColor",
      events: "Change"
    }
  }
}

/** A button of a service, whose guidelines say how it looks. */
const brandButton =
  (lookOf: (props: Fields) => readonly [text: string, background: string, ink: string]): Component =>
  (context) => {
    const drawn = element("view")
    drawn.setAttribute("role", "button")
    drawn.addEventListener("click", () => {
      if (context.props()["disabled"] !== true) context.emit("topPress", {})
    })
    return {
      element: drawn,
      update: (props) => {
        const [text, background, ink] = lookOf(props)
        drawn.textContent = text
        drawn.style.cssText +=
          `;display:flex;align-items:center;justify-content:center;cursor:pointer;font:600 17px var(--system-fonts);` +
          `white-space:nowrap;overflow:hidden;background:${background};color:${ink};box-shadow:inset 0 0 0 .5px #8888;` +
          `border-radius:${numberIn(props["cornerRadius"]) ?? 5}px`
      }
    }
  }

const appleLooks = { Black: ["#000", "#fff"], White: ["#fff", "#000"], WhiteOutline: ["#fff", "#000"] } as const
const appleTexts = { SignIn: "Sign in", Default: "Sign in", Continue: "Continue", SignUp: "Sign up" }

const appleButtons = Object.entries(appleLooks).flatMap(([style, [background, ink]]) =>
  Object.entries(appleTexts).map(
    ([type, text]) =>
      [
        `RNAppleAuthButtonViewManager${style}${type}`,
        brandButton(() => [`${text} with Apple`, background, ink])
      ] as const
  )
)

/** The buttons of @react-native-google-signin/google-signin and @invertase/react-native-apple-authentication; signing in fails. */
const signInButtons: Pack = {
  components: {
    ...Object.fromEntries(appleButtons),
    RNGoogleSigninButton: brandButton(({ color: scheme, size }) => [
      size === 2 ? "G" : size === 1 ? "Sign in with Google" : "Sign in",
      scheme === "dark" ? "#4285f4" : "#fff",
      scheme === "dark" ? "#fff" : "#0008"
    ])
  },
  legacy: Object.fromEntries(appleButtons.map(([name]) => [name, { props: "cornerRadius", events: "Press" }]))
}

export const controls: ReadonlyArray<Pack> = [
  contextMenus,
  datePicker,
  dateTimePicker,
  menu,
  picker,
  segmentedControl,
  signInButtons,
  slider
]
