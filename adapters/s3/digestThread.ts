import { Effect, type Scope } from "effect"
import type { ClientRequest } from "node:http"
import type { Worker } from "node:worker_threads"
import type { Examined } from "../../core/ports/ObjectStore.ts"

interface DigestMessage {
  readonly id: number
  readonly examined: Examined | undefined
}

/**
 * What the thread runs: it reads a URL and answers the digest of the body. A bundler would move a module of its own away from where a
 * thread looks for it, so the thread gets the text of this function. It therefore uses nothing of this module, and has no named
 * functions in it, which bundlers wrap. Gzip is left alone, since its digest is that of other bytes.
 */
const digestBodies = (): void => {
  const { createHash } = process.getBuiltinModule("node:crypto")
  const [http, https] = [process.getBuiltinModule("node:http"), process.getBuiltinModule("node:https")]
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads")
  const options = { keepAlive: true, maxSockets: Infinity }
  const agents = { http: new http.Agent(options), https: new https.Agent(options) }
  const requests = new Map<number, ClientRequest>()
  parentPort?.on("message", ({ id, url }: { readonly id: number; readonly url?: string }) => {
    if (url === undefined) return void requests.get(id)?.destroy()
    const [get, agent] = url.startsWith("https:") ? [https.get, agents.https] : [http.get, agents.http]
    const request = get(url, { agent, timeout: workerData.silence }, (response) => {
      const { "content-encoding": contentEncoding, "content-type": contentType } = response.headers
      if (response.statusCode !== 200 || /gzip/i.test(`${contentEncoding} ${contentType}`)) return request.destroy()
      const hash = createHash("sha256")
      let sizeBytes = 0
      response.on("data", (chunk: Buffer) => {
        sizeBytes += chunk.byteLength
        hash.update(chunk)
      })
      return response.on("end", () => {
        if (!response.complete) return
        requests.delete(id)
        const types = { ...(contentType && { contentType }), ...(contentEncoding && { contentEncoding }) }
        const examined = { sizeBytes, ...types, contentHash: hash.digest("hex") }
        parentPort.postMessage({ id, examined } satisfies DigestMessage, [])
      })
    })
    requests.set(id, request)
    request.on("timeout", () => request.destroy())
    request.on("error", () => {})
    request.on("close", () => {
      if (requests.delete(id)) parentPort.postMessage({ id, examined: undefined } satisfies DigestMessage, [])
    })
  })
}

/** How long the thread waits for the next bytes, in milliseconds. */
const silence = 30_000

/**
 * Digests what URLs give in a thread of its own, so that neither the digest nor the memory of the bytes costs the event loop anything.
 * The answer is `undefined` where that fails for whatever reason, such as on a platform without threads, and for gzip.
 */
export interface DigestThread {
  readonly digest: (url: string) => Effect.Effect<Examined | undefined>
}

/** A thread that is started by the first digest and ended with the scope, or when it fails. */
export const openDigestThread: Effect.Effect<DigestThread, never, Scope.Scope> = Effect.gen(function* () {
  const threads: typeof import("node:worker_threads") | undefined = process.getBuiltinModule("node:worker_threads")
  let thread: Worker | undefined
  let lastId = 0
  const waiting = new Map<number, (examined: Examined | undefined) => void>()

  const settle = ({ examined, id }: DigestMessage) => {
    waiting.get(id)?.(examined)
    waiting.delete(id)
  }
  const start = ({ Worker }: NonNullable<typeof threads>): Worker => {
    const worker = new Worker(`(${digestBodies.toString()})()`, { eval: true, workerData: { silence } })
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
        if (threads === undefined) return resume(Effect.undefined)
        const id = (lastId += 1)
        waiting.set(id, (examined) => resume(Effect.succeed(examined)))
        thread ??= start(threads)
        // The empty list says that no memory is handed over.
        thread.postMessage({ id, url }, [])
        return Effect.sync(() => {
          waiting.delete(id)
          thread?.postMessage({ id }, [])
        })
      })
  }
})
