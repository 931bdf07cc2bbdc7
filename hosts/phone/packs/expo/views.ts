import { fieldsIn, listIn, numberIn, textIn, type Fields } from "../../runtime/decode.ts"
import { color } from "../../style/color.ts"
import type { Box, Component, Own } from "../../views/Component.ts"
import { element } from "../../views/element.ts"
import { image } from "../../views/image.ts"

const fits: Readonly<Record<string, string>> = {
  cover: "cover",
  contain: "contain",
  fill: "stretch",
  none: "center",
  "scale-down": "center"
}

/** The properties of expo-image as those of React Native's own image. */
const asImage = (props: Fields): Fields => ({
  ...props,
  resizeMode: fits[textIn(props["contentFit"]) ?? "cover"] ?? "cover",
  defaultSource: listIn(props["placeholder"])[0] ?? props["defaultSource"]
})

const expoImage: Component = (own) => {
  const inner: Own = {
    ...own,
    props: () => asImage(own.props()),
    // React crashes an app at an event with an unknown name.
    emit: (name, payload) => own.emit(name === "topLoadEnd" ? "topDisplay" : name, payload)
  }
  const drawn = image(inner)
  return { ...drawn, update: (props, before) => drawn.update?.(asImage(props), asImage(before)) }
}

const pointIn = (value: unknown, x: number, y: number): readonly [number, number] => {
  const [first, second] = Array.isArray(value) ? value : [fieldsIn(value)["x"], fieldsIn(value)["y"]]
  return [numberIn(first) ?? x, numberIn(second) ?? y]
}

/**
 * A gradient between two points of a box, in CSS, which has it run through the middle at an angle: the places of the
 * colours are moved along that line.
 */
const gradientText = (props: Fields, { height, width }: Pick<Box, "height" | "width">): string => {
  const [startX, startY] = pointIn(props["startPoint"] ?? props["start"], 0.5, 0)
  const [endX, endY] = pointIn(props["endPoint"] ?? props["end"], 0.5, 1)
  const [x, y] = [(endX - startX) * width, (endY - startY) * height]
  const length = Math.max(0.001, Math.hypot(x, y))
  const [alongX, alongY] = [x / length, y / length]
  const whole = Math.abs(width * alongX) + Math.abs(height * alongY)
  const from = (startX - 0.5) * width * alongX + (startY - 0.5) * height * alongY + whole / 2
  const colors = listIn(props["colors"])
  const places = listIn(props["locations"]).map(Number)
  const stops = colors.map((one, n) => {
    const at = places[n] ?? n / Math.max(1, colors.length - 1)
    return `${color(one)} ${from + at * length}px`
  })
  return `linear-gradient(${Math.atan2(alongX, -alongY)}rad, ${stops.join()})`
}

/** A view that is filled with a gradient: Expo's, and react-native-linear-gradient. */
export const linearGradient: Component = (own) => {
  const drawn = element("view")
  let size = { width: 1, height: 1 }
  const draw = (): void => {
    drawn.style.backgroundImage = gradientText(own.props(), size)
  }
  return {
    element: drawn,
    update: draw,
    laidOut: (box) => {
      size = box
      draw()
    }
  }
}

/** What is behind it, blurred. */
const blur: Component = (own) => {
  const drawn = element("view")
  return {
    element: drawn,
    update: () => {
      const props = own.props()
      const strength = numberIn(props["intensity"]) ?? numberIn(props["blurAmount"]) ?? 50
      const isDark = /dark/i.test(textIn(props["tint"]) ?? textIn(props["blurType"]) ?? "")
      drawn.style.backdropFilter = `blur(${strength / 5}px)`
      drawn.style.backgroundColor = isDark ? `rgb(0 0 0/${strength / 200})` : `rgb(255 255 255/${strength / 200})`
    }
  }
}

export const expoComponents: Readonly<Record<string, Component>> = {
  ViewManagerAdapter_ExpoImage: expoImage,
  ViewManagerAdapter_ExpoLinearGradient: linearGradient,
  BVLinearGradient: linearGradient,
  ViewManagerAdapter_ExpoBlurView: blur,
  ViewManagerAdapter_ExpoBlur: blur
}

const attributes: Readonly<Record<string, string>> = {
  ExpoImage:
    "source placeholder contentFit placeholderContentFit contentPosition transition blurRadius tintColor cachePolicy " +
    "priority recyclingKey allowDownscaling autoplay accessible",
  ExpoLinearGradient: "colors startPoint endPoint locations dither",
  ExpoBlurView: "tint intensity",
  ExpoBlur: "tint intensity"
}

const events: Readonly<Record<string, string>> = {
  ExpoImage: "LoadStart Load Progress Error Display"
}

/** The commands and events of a view of Expo's. */
export const viewConfig = (name: string) => ({
  validAttributes: Object.fromEntries(
    (attributes[name] ?? "").split(" ").flatMap((attribute) => (attribute === "" ? [] : [[attribute, true]]))
  ),
  directEventTypes: Object.fromEntries(
    (events[name] ?? "")
      .split(" ")
      .flatMap((event) => (event === "" ? [] : [[`top${event}`, { registrationName: `on${event}` }]]))
  )
})
