/** Where the files of an app are. */
import type { Platform } from "../settings/settings.ts"

/** Where a phone would have an app's files. Asked for there, they are looked for among its assets. */
export const appFolder = "file:///app/"

/**
 * The URLs at which something of the app may be. Its own files lie in one of these folders, named by their digests, as Expo
 * exports them, or by their paths, as `--assets-dest` leaves them: those of Expo's modules too, if React Native bundles them.
 */
export const assetUrlsIn = (folders: ReadonlyArray<string>, digests: ReadonlyMap<string, string>) => {
  const paths = new Map([...digests].map(([path, digest]) => [`assets/${digest}`, path]))
  return (uri: string): ReadonlyArray<string> => {
    if (!uri.startsWith(appFolder)) return [uri]
    const path = decodeURI(uri.slice(appFolder.length)).replace(/[?#].*$/, "")
    const digest = digests.get(path)
    const names = [digest === undefined ? path : `assets/${digest}`, paths.get(path) ?? path]
    return [...new Set(folders.flatMap((folder) => names.map((name) => folder + encoded(name))))]
  }
}

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/")

/** The digests of an app's assets, by the paths at which a phone would have them. */
type Digests = ReadonlyMap<string, string>

/**
 * The digests of the assets that a bundle registers. Expo exports them by these, and not by the paths that React Native
 * asks for on a phone.
 */
export const digestsIn = (bundle: string, platform: Platform): Digests => {
  const byPath = new Map<string, string>()
  for (const [, text = ""] of bundle.matchAll(asset)) {
    const digests = listIn(text, "fileHashes")
    const [folder, name, type] = [fieldIn(text, "httpServerLocation"), fieldIn(text, "name"), fieldIn(text, "type")]
    if (folder === undefined || name === undefined) continue
    for (const [index, scale] of listIn(text, "scales").entries()) {
      const digest = digests[index]
      const suffix = scale === "1" ? "" : `@${scale}x`
      if (digest === undefined || digest === "") continue
      const path = folder.replace(/^\//, "")
      byPath.set(
        platform === "ios"
          ? `${path}/${name}${suffix}.${type ?? ""}`
          : `${androidFolder(type, scale)}/${androidName(`${path}/${name}`)}.${type ?? ""}`,
        digest
      )
    }
  }
  return byPath
}

/** The folder that Android has for the pictures of a density, or for other files. */
const androidFolder = (type: string | undefined, scale: string | undefined): string => {
  if (!/^(?:gif|heic|heif|jpeg|jpg|ktx|png|webp|xml)$/.test(type ?? "")) return "raw"
  return `drawable-${densities[scale ?? ""] ?? "mdpi"}`
}

const densities: Readonly<Record<string, string>> = {
  "0.75": "ldpi",
  "1": "mdpi",
  "1.5": "hdpi",
  "2": "xhdpi",
  "3": "xxhdpi",
  "4": "xxxhdpi"
}

/** The name of a file as Android's resources have it: the folders are a part of it. */
const androidName = (path: string): string =>
  path
    .toLowerCase()
    .replaceAll("/", "_")
    .replaceAll(/[^a-z0-9_]/g, "")
    .replace(/^assets_/, "")

const asset = /registerAsset\)?\(\{([^{}]*)\}\)/g

const fieldIn = (text: string, name: string): string | undefined =>
  new RegExp(`["']?\\b${name}["']?:["']([^"']*)["']`).exec(text)?.[1]

const listIn = (text: string, name: string): ReadonlyArray<string> =>
  (new RegExp(`["']?\\b${name}["']?:\\[([^\\]]*)\\]`).exec(text)?.[1] ?? "")
    .split(",")
    .map((one) => one.replaceAll(/["'\s]/g, ""))
