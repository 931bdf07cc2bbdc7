import { listIn, textIn, type Fields } from "../../runtime/decode.ts"
import { adapted } from "../../views/adapted.ts"
import { blur } from "../../views/blur.ts"
import type { Component } from "../../views/Component.ts"
import { image } from "../../views/image.ts"
import { linearGradient } from "../../views/linearGradient.ts"
import { view } from "../../views/view.ts"

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

// React crashes an app at an event with an unknown name.
const expoImage = adapted(image, asImage, (name, payload) => [name === "topLoadEnd" ? "topDisplay" : name, payload])

export const expoComponents: Readonly<Record<string, Component>> = {
  ViewManagerAdapter_ExpoImage: expoImage,
  ViewManagerAdapter_ExpoLinearGradient: linearGradient,
  ViewManagerAdapter_ExpoBlurView: blur,
  ViewManagerAdapter_ExpoBlur: blur,
  ViewManagerAdapter_ExpoBlur_ExpoBlurView: blur,
  ViewManagerAdapter_ExpoBlur_ExpoBlurTargetView: view
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
