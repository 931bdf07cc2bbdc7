/**
 * Slipway for the servers that take neither `nodeListener` (Express, NestJS, Koa) nor `slipway.fetch` (Hono, Bun, Deno, Workers, Vercel).
 * The types name only what is used of each framework, so that Slipway depends on none of them.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { nodeListener } from "./nodeListener.ts"
import type { Slipway } from "./slipway.ts"

type FastifyScope = {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    parser: (request: unknown, body: unknown, done: (error: null) => void) => void
  ): unknown
  all(
    path: string,
    handler: (
      request: { readonly raw: IncomingMessage },
      reply: { readonly raw: ServerResponse; hijack(): unknown }
    ) => void
  ): unknown
}

/** A plugin for Fastify: `await app.register(toFastify(slipway))`. Slipway reads the bodies itself; the parsers of other routes stay. */
export const toFastify = (slipway: Pick<Slipway, "fetch" | "ready">) => {
  const listener = nodeListener(slipway)
  return (scope: FastifyScope, _options: unknown, done: () => void): void => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (_request, _body, parsed) => parsed(null))
    scope.all("/*", (request, reply) => {
      reply.hijack()
      listener(request.raw, reply.raw)
    })
    done()
  }
}

/**
 * The handlers of a catch-all route of Next: `export const { DELETE, GET, HEAD, OPTIONS, POST, PUT } = toNext(slipway)`. Next gives a
 * route no address of the connection, so the client's address is the last one of `X-Forwarded-For`, which Next or your proxy appends.
 */
export const toNext = (slipway: Pick<Slipway, "fetch">) => {
  const handle = (request: Request): Promise<Response> =>
    slipway.fetch(request, { clientAddress: request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() })
  return { DELETE: handle, GET: handle, HEAD: handle, OPTIONS: handle, POST: handle, PUT: handle }
}

/** A request of a function URL or an HTTP API of AWS, in the payload format 2.0. */
type LambdaRequest = {
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly cookies?: ReadonlyArray<string> | undefined
  readonly body?: string | undefined
  readonly isBase64Encoded: boolean
  readonly requestContext: {
    readonly domainName: string
    readonly http: { readonly method: string; readonly sourceIp: string }
  }
}

/**
 * The handler of a function of AWS Lambda: `export const handler = toLambda(slipway)`. An event of a schedule of EventBridge, such as each
 * minute, delivers events and collects garbage.
 */
export const toLambda =
  (slipway: Pick<Slipway, "fetch" | "tasks">) => async (event: LambdaRequest | { readonly source: string }) => {
    if ("source" in event) return slipway.tasks.runOnce({ budget: "20 seconds" })
    const { body, cookies = [], isBase64Encoded, rawPath, rawQueryString, requestContext } = event
    const { method, sourceIp } = requestContext.http
    const headers = new Headers()
    for (const [name, value] of Object.entries(event.headers)) headers.set(name, value ?? "")
    if (cookies.length > 0) headers.set("cookie", cookies.join("; "))
    const url = `https://${requestContext.domainName}${rawPath}${rawQueryString === "" ? "" : `?${rawQueryString}`}`
    const bytes = body === undefined ? null : Buffer.from(body, isBase64Encoded ? "base64" : "utf8")
    const answer = await slipway.fetch(new Request(url, { method, headers, body: bytes }), { clientAddress: sourceIp })
    const setCookies = answer.headers.getSetCookie()
    answer.headers.delete("set-cookie")
    return {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      cookies: setCookies,
      body: Buffer.from(await answer.arrayBuffer()).toString("base64"),
      isBase64Encoded: true
    }
  }
