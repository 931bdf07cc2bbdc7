/**
 * The reads of a right key while webhooks hang, uploads dribble, a stranger guesses keys, and a large preview is finalized, all at
 * once; and the reads of a bare Node with as many connections, requests and bytes.
 */
import { DateTime, Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { layer, layerClient } from "../../../adapters/postgres/index.ts"
import { WebhookId } from "../../../core/model/SlipwayEvent.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import { makeKey } from "../../../core/rules/credentials.ts"
import { createClient } from "../../client/index.ts"
import type { Side } from "../peers/slipway.ts"
import { owner, repo } from "../repository.ts"

const guessesPerSecond = 100

/** Has a host send every event to so many webhooks that never answer, and registers a test run each second. */
const hangingWebhooks = async (database: string, { key, url }: Side, count: number): Promise<Connections> => {
  const receiver = await hanging()
  const add = Effect.gen(function* () {
    const store = yield* WebhookStore
    const createdAt = yield* DateTime.now
    for (let index = 0; index < count; index += 1) {
      const secret = `whsec_${randomBytes(24).toString("base64")}`
      yield* store.insert({
        id: WebhookId.make(crypto.randomUUID()),
        url: `${receiver.url}/${index}`,
        secret,
        types: [],
        createdAt
      })
    }
  })
  const stores = Layer.provide(layer, layerClient({ url: Redacted.make(database) }))
  await Effect.runPromise(Effect.provide(add, stores))
  const client = createClient({ url, key })
  const { testRuns } = await client.testRuns.list({ org: owner, repo, limit: 1 })
  const previewShareId = testRuns[0]?.previewShareId ?? ""
  const register = () =>
    client.testRuns.register({ kind: "maestro", name: "attacked", status: "passed", owner, repo, previewShareId })
  await register()
  const events = asking(1, register)
  while (receiver.taken() === 0) await new Promise((resolve) => setTimeout(resolve, 50))
  return {
    close: () => {
      events.close()
      receiver.close()
    }
  }
}

/** The URLs of so many slots of one reservation. */
const slotUrls = async ({ key, url }: Side, count: number): Promise<ReadonlyArray<string>> => {
  const file = { sizeBytes: slowUploadBytes, contentType: "text/plain" }
  const { slots } = await createClient({ url, key }).previews.reserve({
    contentHash: "0".repeat(64),
    bundleSizeBytes: 1,
    bundleContentType: "text/javascript",
    files: Array.from({ length: count }, (_, index) => ({ path: `${index}.txt`, ...file }))
  })
  return slots.files.map(({ putUrl }) => putUrl)
}

/** Keys of the right form that no account has, each shown once. */
const guesses = (url: string): Connections =>
  asking(guessesPerSecond, async () => {
    const random = randomBytes(20).toString("hex")
    const answer = await fetch(url, { headers: { authorization: `Bearer ${makeKey(random)}` } })
    return answer.arrayBuffer()
  })

/** Begins the attack on a host whose metadata is in this database. */
export const attackSlipway = async (
  database: string,
  side: Side,
  build: string,
  counts: { readonly webhooks: number; readonly uploads: number }
): Promise<Connections> => {
  const parts = [
    await hangingWebhooks(database, side, counts.webhooks),
    await slowUploads(await slotUrls(side, counts.uploads)),
    guesses(`${side.url}/api/v1/builds/${build}`)
  ]
  return { close: () => parts.forEach((part) => part.close()) }
}

/** As much of it as a bare Node knows: uploads that dribble, and requests of a stranger. */
export const attackBare = async (url: string, counts: { readonly uploads: number }): Promise<Connections> => {
  const parts = [
    await slowUploads(Array.from({ length: counts.uploads }, (_, index) => `${url}/${index}`)),
    guesses(url)
  ]
  return { close: () => parts.forEach((part) => part.close()) }
}

// Connections that hold a server busy without asking it for anything.

export interface Connections {
  readonly close: () => void
}

const opened = async (
  url: string,
  count: number,
  use: (socket: Socket, index: number) => void
): Promise<ReadonlyArray<Socket>> => {
  const { hostname, port } = new URL(url)
  const sockets = new Array<Socket>()
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(100, count - sockets.length) }, () => connect(Number(port), hostname))
    await Promise.all(some.map((socket) => once(socket, "connect")))
    for (const [index, socket] of some.entries()) {
      // The server may end it: that is the server's affair.
      socket.on("error", () => socket.destroy())
      use(socket, sockets.length + index)
    }
    sockets.push(...some)
  }
  return sockets
}

/** Connections that have asked once and are kept open. */
export const idle = async (url: string, count: number): Promise<Connections> => {
  const sockets = await opened(url, count, (socket) =>
    socket.resume().write("GET /livez HTTP/1.1\r\nhost: bench\r\n\r\n")
  )
  return { close: () => sockets.forEach((socket) => socket.destroy()) }
}

/** A connection for each of these heads of a request, which sends `chunk` of the body ten times a second. */
const dribbling = async (url: string, heads: ReadonlyArray<string>, chunk: string): Promise<Connections> => {
  const sockets = await opened(url, heads.length, (socket, index) => socket.resume().write(heads[index] ?? ""))
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(chunk)
  }, 100)
  return {
    close: () => {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Connections that send the body of a request a byte at a time, ten a second. */
export const slow = (url: string, count: number): Promise<Connections> => {
  const head =
    "POST /api/v1/builds HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n"
  return dribbling(
    url,
    Array.from({ length: count }, () => head),
    " "
  )
}

/** How many bytes each of {@link slowUploads} announces. */
const slowUploadBytes = 1_000_000

/** Connections that PUT to these URLs, 80 bytes a second: more than the least that a host takes, a kibibyte in half a minute. */
const slowUploads = (urls: ReadonlyArray<string>): Promise<Connections> => {
  const heads = urls.map((url) => {
    const { host, pathname, search } = new URL(url)
    return `PUT ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: text/plain\r\ncontent-length: ${slowUploadBytes}\r\n\r\n`
  })
  return dribbling(urls[0] ?? "", heads, "dribble ")
}

/** A server that takes connections and whatever they send, and never answers; `taken` is how many it has. */
export const hanging = async (): Promise<Connections & { readonly url: string; readonly taken: () => number }> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.resume())
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    taken: () => sockets.size,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Asks so many times a second, whether or not the earlier answers are there. */
export const asking = (perSecond: number, ask: () => Promise<unknown>): Connections => {
  const timer = setInterval(() => void ask().catch(() => undefined), 1000 / perSecond)
  return { close: () => clearInterval(timer) }
}
