import type { Naming } from "./sourceNamesScript.ts"

/** The largest source map that is read, in bytes. */
const maxBytes = 64 * 1024 * 1024

/** Reads a file of the upload, of at most so many bytes. */
export const readText = async (url: string, most: number): Promise<string> => {
  const response = await fetch(url)
  const length = Number(response.headers.get("content-length") ?? 0)
  if (!response.ok || response.body === null || length > most) throw new Error("a file of the upload can’t be read")
  const decoder = new TextDecoder()
  let [text, bytes] = ["", 0]
  for (let reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > most) {
      await reader.cancel()
      throw new Error("a file of the upload is too large")
    }
    text += decoder.decode(value, { stream: true })
  }
}

/**
 * Positions in a bundle as those in its sources, from the source map that was uploaded beside it. It is loaded with the first
 * text that has a position; `loaded` is called once there are names. Positions stay as they are without a map that can be read.
 */
export const makeSourceNames = (section: HTMLElement, loaded: () => void) => {
  const { bundle, sourceMap, sourceNames } = section.dataset
  let naming: Naming | undefined
  let isAsked = false

  const load = async (script: string, map: string, path: string): Promise<void> => {
    const { makeNaming }: { readonly makeNaming: (map: string, bundle: string) => Naming } = await import(script)
    naming = makeNaming(await readText(map, maxBytes), path)
    loaded()
  }

  return {
    named: (text: string): string => {
      if (bundle === undefined || sourceMap === undefined || sourceNames === undefined) return text
      if (naming !== undefined) return naming(text)
      if (!isAsked && text.includes(`${bundle}:`)) {
        isAsked = true
        load(sourceNames, sourceMap, bundle).catch((error: unknown) => console.warn("No source names:", String(error)))
      }
      return text
    }
  }
}
