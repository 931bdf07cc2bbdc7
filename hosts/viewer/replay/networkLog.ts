/**
 * The last requests of an app by `fetch` and `XMLHttpRequest`, and their responses, for who inspects it. It keeps references and
 * the first part of each body, so that an app that nobody inspects runs as fast as without it.
 */

/** A request and its response, as far as that has come. */
export interface LoggedExchange {
  readonly id: number
  readonly method: string
  readonly url: string
  readonly requestHeaders: ReadonlyArray<readonly [name: string, value: string]>
  readonly requestBody: string | undefined
  /** Milliseconds since 1970. */
  readonly begun: number
  response?: LoggedResponse
  /** Why there is none. */
  error?: string
  /** Milliseconds until the response, or the error. */
  took?: number
}

export interface LoggedResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Its beginning, as far as it is kept. */
  body?: Uint8Array<ArrayBuffer>
  isCut?: boolean
}

/** Limits: the exchanges that are kept, and the bytes of a body. */
const maxLogged = { exchanges: 200, body: 2 ** 18 }

/** The event by which a script in the frame asks for the log: the detail is a function that receives it. */
export const logEvent = "replay-log"

/** The event by which a script that answers requests itself reports an exchange. */
export const answeredEvent = "replay-answered"

export type Answered = Pick<LoggedExchange, "method" | "url" | "requestHeaders" | "requestBody"> & {
  readonly response: LoggedResponse
}

const encoder = new TextEncoder()

/** The part of a body that is kept. */
export const keptBody = (body: Uint8Array<ArrayBuffer>): Pick<LoggedResponse, "body" | "isCut"> => ({
  body: body.slice(0, maxLogged.body),
  isCut: body.byteLength > maxLogged.body
})

const textOf = (body: unknown): string | undefined => {
  if (typeof body === "string") return body.slice(0, maxLogged.body)
  if (body instanceof URLSearchParams) return String(body)
  return body === null || body === undefined ? undefined : "(not text)"
}

/** Reads the beginning of the copy of a response that the app reads too. */
const readBody = async (response: LoggedResponse, copy: Response): Promise<void> => {
  const reader = copy.body?.getReader()
  if (reader === undefined) return
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let length = 0
  let isBroken = false
  try {
    while (length <= maxLogged.body) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value)
      length += value.byteLength
    }
    await reader.cancel()
  } catch {
    // The app gets the error from its own copy.
    isBroken = true
  }
  const kept = keptBody(new Uint8Array(await new Blob(parts).arrayBuffer()))
  Object.assign(response, kept, { isCut: isBroken || kept.isCut })
}

const headersOf = (lines: string): LoggedResponse["headers"] =>
  lines
    .trim()
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) => {
      const at = line.indexOf(":")
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const
    })

/** The body of an XMLHttpRequest, where its type can be read at once. */
const bodyOf = (request: XMLHttpRequest): Uint8Array<ArrayBuffer> | undefined => {
  const { response, responseType } = request
  if (responseType === "" || responseType === "text")
    return encoder.encode(request.responseText.slice(0, maxLogged.body + 1))
  if (response instanceof ArrayBuffer) return new Uint8Array(response)
  return responseType === "json" ? encoder.encode(JSON.stringify(response)) : undefined
}

const makeLog = () => {
  const exchanges: Array<LoggedExchange> = []
  let last = 0
  return {
    exchanges,
    dropped: () => last - exchanges.length,
    begin: (begun: Omit<LoggedExchange, "id" | "begun">): LoggedExchange => {
      const exchange = { id: ++last, begun: Date.now(), ...begun }
      if (exchanges.push(exchange) > maxLogged.exchanges) exchanges.shift()
      return exchange
    },
    end: (exchange: LoggedExchange, ended: Pick<LoggedExchange, "response" | "error">): void => {
      Object.assign(exchange, ended, { took: Date.now() - exchange.begun })
    }
  }
}

export type NetworkLog = ReturnType<typeof makeLog>

const logFetch = (log: NetworkLog): void => {
  const { fetch } = window

  const watch = async (
    input: RequestInfo | URL,
    init: RequestInit | undefined,
    answer: Promise<Response>
  ): Promise<void> => {
    const request = input instanceof Request ? input : undefined
    const exchange = log.begin({
      method: (init?.method ?? request?.method ?? "GET").toUpperCase(),
      url: request?.url ?? new URL(String(input), document.baseURI).href,
      requestHeaders: [...new Headers(init?.headers ?? request?.headers)],
      requestBody: textOf(init?.body)
    })
    try {
      const response = await answer
      const logged: LoggedResponse = {
        status: response.status,
        statusText: response.statusText,
        headers: [...response.headers]
      }
      log.end(exchange, { response: logged })
      if (!response.bodyUsed) await readBody(logged, response.clone())
    } catch (error) {
      log.end(exchange, { error: String(error) })
    }
  }

  window.fetch = (input, init) => {
    const answer = fetch.call(window, input, init)
    // What can't be logged, such as an invalid URL, rejects the app's own promise.
    watch(input, init, answer).catch(() => {})
    return answer
  }
}

interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Array<readonly [string, string]>
}

const logRequests = (log: NetworkLog): void => {
  const all = new WeakMap<XMLHttpRequest, Asked>()
  const { open, send, setRequestHeader } = XMLHttpRequest.prototype

  const watch = (request: XMLHttpRequest, { headers, method, url }: Asked, body: unknown): void => {
    const exchange = log.begin({ method, url, requestHeaders: headers, requestBody: textOf(body) })
    request.addEventListener("loadend", () => {
      if (request.status === 0) log.end(exchange, { error: "There was no response." })
      else {
        const body = bodyOf(request)
        log.end(exchange, {
          response: {
            status: request.status,
            statusText: request.statusText,
            headers: headersOf(request.getAllResponseHeaders()),
            ...(body === undefined ? {} : keptBody(body))
          }
        })
      }
    })
  }

  Object.assign(XMLHttpRequest.prototype, {
    open(this: XMLHttpRequest, method: string, url: string | URL, ...more: ReadonlyArray<unknown>) {
      Reflect.apply(open, this, [method, url, ...more])
      const whole = URL.canParse(String(url), document.baseURI)
        ? new URL(String(url), document.baseURI).href
        : String(url)
      all.set(this, { method: String(method).toUpperCase(), url: whole, headers: [] })
    },
    setRequestHeader(this: XMLHttpRequest, name: string, value: string) {
      setRequestHeader.call(this, name, value)
      all.get(this)?.headers.push([String(name), String(value)])
    },
    send(this: XMLHttpRequest, body?: XMLHttpRequestBodyInit | null) {
      const asked = all.get(this)
      if (asked !== undefined) watch(this, asked, body)
      send.call(this, body)
    }
  })
}

/** Begins to log; before any script of the app. */
export const logNetwork = (): void => {
  const log = makeLog()
  logFetch(log)
  logRequests(log)
  document.addEventListener(answeredEvent, (event) => {
    if (!(event instanceof CustomEvent)) return
    const { response, ...asked }: Answered = event.detail
    log.end(log.begin(asked), { response })
  })
  document.addEventListener(logEvent, (event) => {
    if (event instanceof CustomEvent && typeof event.detail === "function") event.detail(log)
  })
}
