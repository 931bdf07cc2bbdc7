import type { Host } from "../../modules/Host.ts"
import { fieldsIn, type Fields } from "../../runtime/decode.ts"
import { appFolder } from "../../runtime/assetUrls.ts"

/** The default manifest of an app: apps that link to screens need a scheme. */
const unknown: Fields = { name: "app", slug: "app", scheme: "app" }

/** The text of a file beside the bundle. The app asks for it while it is loaded, so it is waited for. */
const textOf = (place: string): string | undefined => {
  const request = new XMLHttpRequest()
  request.open("GET", place, false)
  try {
    request.send()
  } catch {
    return undefined
  }
  return request.status === 200 ? request.responseText : undefined
}

/**
 * The configuration of an Expo app, `Constants.expoConfig`. On a phone it is a part of the binary, and no export carries
 * it: it is read where `app.json` was uploaded beside the bundle.
 */
export const manifestOf = ({ notes, assetUrls }: Host): Fields => {
  for (const place of assetUrls(`${appFolder}app.json`)) {
    const text = textOf(place)
    if (text === undefined) continue
    try {
      const { expo, ...bare } = fieldsIn(JSON.parse(text))
      return expo === undefined ? bare : fieldsIn(expo)
    } catch {
      notes.line("app.json isn’t JSON.")
    }
  }
  notes.line("The app’s app.json isn’t beside its bundle: Constants.expoConfig knows no more than a name.")
  return unknown
}
