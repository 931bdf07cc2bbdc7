/** Where a phone would have an app's files. Asked for there, they are looked for among its assets. */
export const appFolder = "file:///app/"

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/")

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
