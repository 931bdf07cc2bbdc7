/** The digests of an app's assets, by the paths at which a phone would have them. */
export type Digests = ReadonlyMap<string, string>

const asset = /registerAsset\)?\(\{([^{}]*)\}\)/g

const fieldIn = (text: string, name: string): string | undefined =>
  new RegExp(`["']?\\b${name}["']?:["']([^"']*)["']`).exec(text)?.[1]

const listIn = (text: string, name: string): ReadonlyArray<string> =>
  (new RegExp(`["']?\\b${name}["']?:\\[([^\\]]*)\\]`).exec(text)?.[1] ?? "")
    .split(",")
    .map((one) => one.replaceAll(/["'\s]/g, ""))

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
