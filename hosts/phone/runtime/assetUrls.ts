/** Where a phone would have an app's files. Asked for there, they are looked for among its assets. */
export const appFolder = "file:///app/"

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/")

/**
 * The URLs at which something of the app may be. Its own files lie in one of these folders by their paths, as
 * `--assets-dest` leaves them; those of Expo are named by their digests.
 */
export const assetUrlsIn =
  (folders: ReadonlyArray<string>, digests: ReadonlyMap<string, string>) =>
  (uri: string): ReadonlyArray<string> => {
    if (!uri.startsWith(appFolder)) return [uri]
    const own = decodeURI(uri.slice(appFolder.length)).replace(/[?#].*$/, "")
    const digest = digests.get(own)
    const path = digest === undefined ? encoded(own) : `assets/${digest}`
    return [...new Set(folders)].map((folder) => folder + path)
  }
