import { open } from "node:fs/promises"
import { isNative, phoneObstacle, sniffBytes, unsupportedFormat } from "../../../core/rules/bundleFormat.ts"
import type { FoundBundle } from "./findBundle.ts"
import { modulesNotReplayed } from "./nativeModules.ts"

/** Whether a bundle can replay, as far as its bytes show. */
export interface Examined {
  /** Whether a browser can run it by itself; a phone's own it can't. */
  readonly isTransformed: boolean
  /** Why it can't replay, for people; `undefined` if it may. */
  readonly obstacle?: string | undefined
  /** What won't be as in the app, for people. */
  readonly lacks: ReadonlyArray<string>
}

/** How much of a bundle is read as text: more than any app has, and little enough for a small machine. */
const readBytes = 32 * 1024 * 1024

const beginningOf = async (file: string): Promise<Uint8Array> => {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const buffer = new Uint8Array(Math.min(size, readBytes))
    const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

const some = (names: ReadonlyArray<string>): string =>
  names.slice(0, 5).join(", ") + (names.length > 5 ? ` and ${names.length - 5} more` : "")

/** The files of an app that its bundle asks for by paths from the root of a host, where a replay isn't. */
const askedFromRoot = (text: string, { files }: FoundBundle): ReadonlyArray<string> => {
  const paths = new Set(files.map(({ path }) => `/${path}`))
  const quoted = Array.from(text.matchAll(/["'`(](\/[^"'`\s\\)?#]{1,500})/g), ([, path = ""]) => path)
  return [...new Set(quoted)].filter((path) => paths.has(path))
}

/** Examines the bytes of a bundle. */
export const examine = async (found: FoundBundle): Promise<Examined> => {
  const bytes = await beginningOf(found.bundle.file)
  const start = bytes.subarray(0, sniffBytes)
  const format = unsupportedFormat(start)
  if (format !== undefined) return { isTransformed: false, obstacle: format, lacks: [] }
  const text = new TextDecoder("latin1").decode(bytes)
  if (!isNative(start)) {
    const fromRoot = askedFromRoot(text, found)
    const lacks =
      fromRoot.length === 0
        ? []
        : [
            `It asks for ${fromRoot.length} of its files by absolute paths, where a replay has none: ${some(fromRoot)}. ` +
              'With Expo, "experiments": { "baseUrl": "." } in app.json makes them relative.'
          ]
    return { isTransformed: true, lacks }
  }
  const modules = modulesNotReplayed(text)
  const lacks =
    modules.length === 0
      ? []
      : [`It needs native modules that the replay doesn't know, and whose methods fail there: ${some(modules)}.`]
  return { isTransformed: false, obstacle: phoneObstacle(text), lacks }
}
