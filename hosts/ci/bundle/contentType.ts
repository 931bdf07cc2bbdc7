import { lookup } from "mrmime"

/** The types of bundler output that no list of types has. */
const ofBundlers: Readonly<Record<string, string>> = {
  bundle: "text/javascript",
  jsbundle: "text/javascript",
  map: "application/json"
}

const bytes = "application/octet-stream"

/** The content type of a file with this name; Expo's assets are named by their digests, and `ending` is their type. */
export const contentTypeOf = (name: string, ending = name.slice(name.lastIndexOf(".") + 1)): string => {
  const key = ending.toLowerCase()
  return (Object.hasOwn(ofBundlers, key) ? ofBundlers[key] : lookup(key)) ?? bytes
}
