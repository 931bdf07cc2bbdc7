import { Effect, type Scope } from "effect"
import { Worker } from "node:worker_threads"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { Examined } from "../../core/ports/ObjectStore.ts"

/**
 * What the thread runs: it reads a URL and answers the digest of the body. It is a text, because a bundler takes a module of its own
 * away from the place where a thread looks for it. Gzip is left alone, since its digest is that of other bytes.
 */
const program = `
const { createHash } = require("node:crypto")
const { parentPort, workerData } = require("node:worker_threads")
const options = { keepAlive: true, maxSockets: Infinity }
const [http, https] = [require("node:http"), require("node:https")]
const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) }
const requests = new Map()
parentPort.on("message", ({ id, url }) => {
  if (url === undefined) return requests.get(id)?.destroy()
  const answer = (examined) => {
    requests.delete(id)
    parentPort.postMessage({ id, examined })
  }
  const { protocol } = new URL(url)
  const get = protocol === "https:" ? https.get : http.get
  const request = get(url, { agent: agents[protocol], timeout: workerData.silence }, (response) => {
    const { "content-encoding": contentEncoding, "content-type": contentType } = response.headers
    if (response.statusCode !== 200 || /gzip/i.test(contentEncoding + " " + contentType)) return request.destroy()
    const hash = createHash("sha256")
    let sizeBytes = 0
    response.on("data", (piece) => {
      sizeBytes += piece.byteLength
      hash.update(piece)
    })
    response.on("end", () => {
      if (response.complete) answer({ sizeBytes, contentType, contentEncoding, contentHash: hash.digest("hex") })
    })
  })
  requests.set(id, request)
  request.on("timeout", () => request.destroy())
  request.on("error", () => {})
  request.on("close", () => requests.has(id) && answer(undefined))
})
`

/** How long the thread waits for the next bytes, in milliseconds. */
const silence = 30_000

interface Answer {
  readonly id: number
  readonly examined: Examined | undefined
}

/**
 * Digests what URLs give in a thread of its own, so that neither the digest nor the memory of the bytes costs the event loop anything.
 * The answer is `undefined` where that fails for whatever reason, and for gzip.
 */
export interface DigestThread {
  readonly digest: (url: string) => Effect.Effect<Examined | undefined>
}

/** A thread that is started by the first digest and ended with the scope, or when it fails. */
export const openDigestThread: Effect.Effect<DigestThread, never, Scope.Scope> = Effect.gen(function* () {
  let thread: Worker | undefined
  let lastId = 0
  const waiting = new Map<number, (examined: Examined | undefined) => void>()

  const settle = ({ examined, id }: Answer) => {
    waiting.get(id)?.(examined)
    waiting.delete(id)
  }
  const start = (): Worker => {
    const worker = new Worker(program, { eval: true, workerData: { silence } })
    // A host that stops doesn't wait for it.
    worker.unref()
    worker.on("message", settle)
    worker.on("error", () => {})
    worker.on("exit", () => {
      thread = undefined
      for (const id of waiting.keys()) settle({ id, examined: undefined })
    })
    return worker
  }
  yield* Effect.addFinalizer(() => Effect.promise(async () => void (await thread?.terminate())))

  return {
    digest: (url) =>
      Effect.callback((resume) => {
        const id = (lastId += 1)
        waiting.set(id, (examined) => resume(Effect.succeed(examined && withoutUndefined({ ...examined }))))
        thread ??= start()
        // The empty list says that no memory is handed over.
        thread.postMessage({ id, url }, [])
        return Effect.sync(() => {
          waiting.delete(id)
          thread?.postMessage({ id }, [])
        })
      })
  }
})
