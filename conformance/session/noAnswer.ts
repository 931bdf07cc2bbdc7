import { Predicate } from "effect"
import { NoAnswer } from "./Session.ts"

/** The codes and names of an error and its causes, outermost first. */
const codesOf = (error: unknown): ReadonlyArray<string> => {
  if (!Predicate.isObject(error)) return []
  const { cause, code, errors, name }: { readonly [Member in string]?: unknown } = {
    cause: Reflect.get(error, "cause"),
    code: Reflect.get(error, "code"),
    errors: Reflect.get(error, "errors"),
    name: Reflect.get(error, "name")
  }
  const inner = Array.isArray(errors) ? errors.flatMap(codesOf) : []
  return [...[code, name].filter(Predicate.isString), ...inner, ...codesOf(cause)]
}

/** The variables that can name a proxy. */
const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"]

/** Where a connection failed, in an error or one of its causes. */
const placesOf = (error: unknown): ReadonlyArray<{ readonly host: unknown; readonly port: unknown }> => {
  if (!Predicate.isObject(error)) return []
  const errors: unknown = Reflect.get(error, "errors")
  const [name, address, port] = ["hostname", "address", "port"].map((member): unknown => Reflect.get(error, member))
  const inner = Array.isArray(errors) ? errors.flatMap(placesOf) : []
  return [{ host: name ?? address, port }, ...inner, ...placesOf(Reflect.get(error, "cause"))]
}

const portOf = ({ port, protocol }: URL): number => Number(port === "" ? (protocol === "https:" ? 443 : 80) : port)

/** The proxy that a connection failed to, as a message names it. */
const failedProxy = (target: URL, error: unknown): string | undefined => {
  for (const variable of proxyVariables) {
    const proxy = URL.parse(process.env[variable] ?? "")
    if (proxy === null) continue
    const isMet = placesOf(error).some(
      ({ host, port }) =>
        host === proxy.hostname || (port === portOf(proxy) && port !== portOf(target) && host !== target.hostname)
    )
    if (isMet && proxy.host !== target.host) return `${proxy.origin} (the proxy in ${variable})`
  }
  return undefined
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A message for each kind of failure. The first that matches is used. */
const kinds: ReadonlyArray<readonly [codes: RegExp, say: (origin: string, message: string) => string]> = [
  [
    /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET|DECRYPT)/,
    (origin, message) =>
      `The certificate of ${origin} is not trusted (${message}); if an authority of your own signed it, name its file in NODE_EXTRA_CA_CERTS`
  ],
  [/^(?:ERR_SSL|EPROTO|ERR_TLS)/, (origin) => `${origin} does not speak TLS as https needs it`],
  [/^ECONNREFUSED$/, (origin) => `Nothing listens at ${origin}: the connection was refused`],
  [/^(?:ENOTFOUND|EAI_AGAIN|EAI_\w+)$/, (origin) => `The name in ${origin} can't be resolved`],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, (origin) => `There is no way from here to ${origin}`],
  [/^(?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, (origin) => `No connection to ${origin} came about in time`],
  [
    /^(?:HPE_\w+|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)$/,
    (origin, message) => `What answers at ${origin} does not speak HTTP (${message})`
  ],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/, (origin) => `${origin} gave another length than it said and ended there`],
  [
    /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE|UND_ERR_CLOSED|ECONNABORTED)$/,
    (origin) => `${origin} closed the connection without a whole answer`
  ]
]

/** Why a request to this URL failed, in one sentence. */
export const noAnswer = (url: string, error: unknown): NoAnswer => {
  const target = new URL(url)
  const origin = failedProxy(target, error) ?? target.origin
  const codes = codesOf(error)
  const kind = kinds.find(([pattern]) => codes.some((code) => pattern.test(code)))
  const reason =
    kind === undefined ? `${origin} gave no answer (${messageOf(error)})` : kind[1](origin, messageOf(error))
  return new NoAnswer({ url, reason: `${reason}.` })
}

/** The message for a request that got no answer within this time. */
export const tooLate = (url: string, timeoutMs: number): NoAnswer =>
  new NoAnswer({ url, reason: `${new URL(url).origin} gave no answer within ${timeoutMs / 1000} seconds.` })
