import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn, listIn, numberIn } from "../../runtime/decode.ts"
import { isDark } from "../../runtime/device.ts"
import { color } from "../../style/color.ts"
import type { Component } from "../../views/Component.ts"
import { element } from "../../views/element.ts"
import { setScroller } from "../../views/scroller.ts"

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
export const picker: Pack = { components: { RNCPicker: wheel } }
