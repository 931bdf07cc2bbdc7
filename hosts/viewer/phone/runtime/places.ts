/** Where a phone would have an app's files. Asked for there, they are looked for beside the bundle. */
export const appFolder = "file:///app/"

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/")

/**
 * Where on the page something of the app is. Its own files stand beside the bundle, as `--assets-dest` leaves them, or at
 * the top of what was uploaded with it; those of Expo are named by their digests.
 */
export const placesBeside = (
  bundle: string,
  digests: ReadonlyMap<string, string>
): ((uri: string) => ReadonlyArray<string>) => {
  const beside = bundle.slice(0, bundle.lastIndexOf("/") + 1)
  return (uri) => {
    if (!uri.startsWith(appFolder)) return [uri]
    const own = decodeURI(uri.slice(appFolder.length)).replace(/[?#].*$/, "")
    const digest = digests.get(own)
    const path = digest === undefined ? encoded(own) : `assets/${digest}`
    return [...new Set([beside, "./"])].map((folder) => folder + path)
  }
}
