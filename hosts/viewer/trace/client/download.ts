/** Downloads recordings in slices, so that the page stays responsive. */
type Bytes = Uint8Array<ArrayBuffer>

const words = {
  ended: "The link to it expired after an hour. Reload this page to see it.",
  unreachable: "It can't be reached right now. Reload this page to try again.",
  brokenOff: "The download broke off. Reload this page to try again.",
  noGzip: "The gzip file is incomplete."
}

/** The message for people about an answer that isn't the recording. */
const refusal = (status: number): string | undefined =>
  status === 200 || status === 206
    ? undefined
    : status === 401 || status === 403 || status === 410
      ? words.ended
      : `It can't be read: the service answered ${status}.`

/** Why a recording can't be read, in words for people. */
export class Unreadable extends Error {}

const ask = async (url: string, init: RequestInit): Promise<Response> => {
  const response = await fetch(url, { ...init, credentials: "omit" }).catch(() => {
    throw new Unreadable(words.unreachable)
  })
  const why = refusal(response.status)
  if (why !== undefined) throw new Unreadable(why)
  return response
}

/** Why the content of a URL can't be read; nothing if it can. */
export const whyUnreadable = (url: string): Promise<string | undefined> =>
  ask(url, { headers: { range: "bytes=0-0" } }).then(
    async (response) => {
      await response.body?.cancel()
      return undefined
    },
    (error: unknown) => (error instanceof Unreadable ? error.message : String(error))
  )

/** The result of reading a recording, as a message for people. */
export const reasonOf = (error: unknown): string =>
  error instanceof Unreadable
    ? error.message
    : error instanceof TypeError && /gzip|compress|inflate/i.test(error.message)
      ? words.noGzip
      : words.brokenOff

/**
 * Opens a recording. `onBytes` gets the number of bytes that have arrived; it isn't called when the browser decodes a
 * content encoding, because the uploaded bytes can't be counted then.
 *
 * @throws Unreadable
 */
export const download = async (url: string, onBytes: (count: number) => void): Promise<ReadableStream<Bytes>> => {
  const response = await ask(url, {})
  const body = response.body ?? new Blob([]).stream()
  if (response.headers.has("content-encoding")) return body
  let count = 0
  return body.pipeThrough(
    new TransformStream<Bytes, Bytes>({
      transform: (chunk, controller) => {
        count += chunk.byteLength
        onBytes(count)
        controller.enqueue(chunk)
      }
    })
  )
}

/** How many milliseconds the page may be busy before it handles input again. */
const quantum = 8

const channel = new MessageChannel()
const waiting: Array<() => void> = []
channel.port1.addEventListener("message", () => waiting.shift()?.())
channel.port1.start()

/** Waits until the browser has done its other work. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    channel.port2.postMessage(undefined)
  })

/** Await this within long work. It continues at once, or in the next turn if the time slice is used up. */
export const slices = (): (() => Promise<void>) => {
  let until = performance.now() + quantum
  return async () => {
    if (performance.now() < until) return
    await turn()
    until = performance.now() + quantum
  }
}
