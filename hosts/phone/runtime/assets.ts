/** Where the files of an app are. */

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
    const own = decodeURI(uri.slice(appFolder.length)).replace(/[?#].*$/, "")
    const digest = digests.get(own)
    const names = [digest === undefined ? own : `assets/${digest}`, paths.get(own) ?? own]
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
export const digestsIn = (bundle: string): Digests => {
  const found = new Map<string, string>()
  for (const [, text = ""] of bundle.matchAll(asset)) {
    const digests = listIn(text, "fileHashes")
    const [folder, name, type] = [fieldIn(text, "httpServerLocation"), fieldIn(text, "name"), fieldIn(text, "type")]
    if (folder === undefined || name === undefined) continue
    for (const [index, scale] of listIn(text, "scales").entries()) {
      const digest = digests[index]
      const suffix = scale === "1" ? "" : `@${scale}x`
      if (digest !== undefined && digest !== "")
        found.set(`${folder.replace(/^\//, "")}/${name}${suffix}.${type ?? ""}`, digest)
    }
  }
  return found
}

const asset = /registerAsset\)?\(\{([^{}]*)\}\)/g

const fieldIn = (text: string, name: string): string | undefined =>
  new RegExp(`["']?\\b${name}["']?:["']([^"']*)["']`).exec(text)?.[1]

const listIn = (text: string, name: string): ReadonlyArray<string> =>
  (new RegExp(`["']?\\b${name}["']?:\\[([^\\]]*)\\]`).exec(text)?.[1] ?? "")
    .split(",")
    .map((one) => one.replaceAll(/["'\s]/g, ""))
