import type { Pack } from "../../modules/Pack.ts"
import { numberIn } from "../../runtime/decode.ts"
import { color } from "../../style/color.ts"
import type { Component } from "../../views/Component.ts"
import { element } from "../../views/element.ts"

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
export const slider: Pack = { components: { RNCSlider: range } }
