/** A server in the place of S3 whose answers a test chooses, for answers that a real one can't be made to give. */
import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { freePort } from "../../postgres/testing/freePort.ts"
import { openClient } from "../client.ts"
import { openStore } from "./server.ts"

/** A request, read to its end. */
interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export type Script = (sent: Sent, response: ServerResponse) => void

/** An error in S3's format. */
export const refuse = (response: ServerResponse, status: number, code: string): void => {
  response.writeHead(status, { "content-type": "application/xml" })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>It says ${code}.</Message></Error>`)
}

/** A listing of objects of 5 bytes in S3's format. */
export const listing = (response: ServerResponse, ...names: ReadonlyArray<string>): void => {
  const contents = names.map((name) => `<Contents><Key>${name}</Key><Size>5</Size></Contents>`)
  response.writeHead(200, { "content-type": "application/xml" })
  response.end(`<?xml version="1.0"?><ListBucketResult>${contents.join("")}</ListBucketResult>`)
}

const start = async (port: number, script: Script, sent: Array<Sent>) => {
  const server = createServer(async (request, response) => {
    const { headers, method = "", url = "" } = request
    const one = { method, url: new URL(url, "http://store"), headers, body: await text(request) }
    sent.push(one)
    script(one, response)
  })
  await once(server.listen(port, "127.0.0.1"), "listening")
  return async () => {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  }
}

export const secretAccessKey = "the secret of the scripted store"

/**
 * A store in the bucket `bucket` of a server with scripted answers, and the requests that it got. The server can't be
 * reached until `up` is run, and again after that scope closes.
 */
export const scripted = Effect.fnUntraced(function* (script: Script) {
  const sent: Array<Sent> = []
  const port = yield* Effect.promise(freePort)
  const store = yield* openStore({
    bucket: "bucket",
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: Redacted.make("AKID"), secretAccessKey: Redacted.make(secretAccessKey) }
  })
  const up = Effect.acquireRelease(
    Effect.promise(() => start(port, script, sent)),
    (stop) => Effect.promise(stop)
  )
  return { store, sent, up }
})

/** {@link scripted} with its server running from the start. */
export const scriptedStore = (script: Script) => Effect.tap(scripted(script), ({ up }) => up)

/** A client of the bucket `bucket` of a server that answers so. */
export const clientOf = Effect.fnUntraced(function* (answer: RequestListener) {
  const server = createServer(answer)
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  const address = server.address()
  if (address === null || typeof address === "string") return yield* Effect.die("a TCP server has a port")
  return yield* openClient({
    bucket: "bucket",
    endpoint: `http://127.0.0.1:${address.port}`,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: Redacted.make("AKID"), secretAccessKey: Redacted.make(secretAccessKey) }
  })
})
