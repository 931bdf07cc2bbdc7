import { slipway } from "./slipway.ts"

/** A request of a function URL or an HTTP API, in the payload format 2.0. */
interface HttpEvent {
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: Record<string, string>
  readonly cookies?: ReadonlyArray<string>
  readonly body?: string
  readonly isBase64Encoded: boolean
  readonly requestContext: {
    readonly domainName: string
    readonly http: { readonly method: string; readonly sourceIp: string }
  }
}

export const handler = async (event: HttpEvent | { readonly source: "aws.scheduler" | "aws.events" }) => {
  // A schedule of EventBridge, such as each minute, delivers events and collects garbage.
  if ("source" in event) return slipway.tasks.runOnce({ budget: "20 seconds" })
  const { body, cookies = [], isBase64Encoded, rawPath, rawQueryString, requestContext } = event
  const { method, sourceIp } = requestContext.http
  const headers = new Headers(event.headers)
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
