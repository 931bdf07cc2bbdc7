import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn, listIn, numberIn } from "../../runtime/decode.ts"
import { isDark } from "../../runtime/device.ts"
import { color } from "../../style/color.ts"
import type { Component } from "../../views/Component.ts"
import { element } from "../../views/element.ts"

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
export const segmentedControl: Pack = {
  components: { RNCSegmentedControl: segments },
  legacy: {
    RNCSegmentedControl: {
      props: "values selectedIndex enabled momentary appearance fontStyle activeFontStyle",
      colors: "tintColor backgroundColor",
      events: "Change"
    }
  }
}
