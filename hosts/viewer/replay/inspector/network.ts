/** What the network panel shows of the logged exchanges, and the archive (HAR 1.2) of them. */
import { bytesText, durationText } from "../../../../core/rules/amounts.ts"
import { toBase64 } from "../../../phone/modules/network.ts"
import type { LoggedExchange, LoggedResponse } from "../frame/networkLog.ts"
import { mostInspected, type Item, type Section } from "./inspectorMessages.ts"

const isText = /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|javascript)|x-www-form-urlencoded))/i

const headerOf = ({ headers }: LoggedResponse, wanted: string): string =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ""

const typeOf = (response: LoggedResponse): string => headerOf(response, "content-type")

const sizeText = ({ body, isCut }: LoggedResponse): string =>
  body === undefined ? "" : `${isCut === true ? "over " : ""}${bytesText(body.byteLength)}`

const stateOf = ({ error, response, took }: LoggedExchange): string =>
  response === undefined && error === undefined
    ? "pending"
    : [
        response === undefined ? "failed" : String(response.status),
        durationText(took ?? 0),
        response && sizeText(response)
      ]
        .filter((one) => one)
        .join(" · ")

/** An exchange as an item of the list. `shown` removes what must not be read from a URL. */
export const exchangeItem = (exchange: LoggedExchange, shown: (text: string) => string): Item => ({
  id: exchange.id,
  name: shown(`${exchange.method} ${exchange.url}`).slice(0, mostInspected.name),
  detail: stateOf(exchange),
  hasChildren: false
})

const bodyText = (response: LoggedResponse): string => {
  const { body, isCut } = response
  if (body === undefined || body.byteLength === 0) return ""
  const type = typeOf(response)
  if (type !== "" && !isText.test(type)) return `${sizeText(response)} of ${type}`
  const text = new TextDecoder().decode(body)
  return isCut === true || text.length > mostInspected.value ? `${text.slice(0, mostInspected.value - 1)}…` : text
}

export const exchangeSections = (exchange: LoggedExchange, shown: (text: string) => string): ReadonlyArray<Section> => {
  const { error, method, requestBody, requestHeaders, response, url } = exchange
  const sections: ReadonlyArray<Section> = [
    {
      title: "General",
      rows: [
        ["URL", shown(url)],
        ["method", method],
        ["status", response === undefined ? (error ?? "pending") : `${response.status} ${response.statusText}`.trim()]
      ]
    },
    { title: "Request headers", rows: requestHeaders },
    {
      title: "Request body",
      rows: requestBody === undefined ? [] : [["body", requestBody.slice(0, mostInspected.value)]]
    },
    { title: "Response headers", rows: response?.headers ?? [] },
    { title: "Response body", rows: response === undefined ? [] : [["body", bodyText(response)]] }
  ]
  return sections.filter(({ rows }) => rows.length > 0)
}

/** How many bytes of bodies an archive has, those of requests and of responses together. */
const mostBodies = 2 ** 22

const pairsOf = (headers: LoggedResponse["headers"]) => headers.map(([name, value]) => ({ name, value }))

interface Room {
  bytes: number
}

const leftOut = "The archive is full, so the body was left out."

const hasRoom = (room: Room, bytes: number): boolean => {
  room.bytes -= bytes
  return room.bytes >= 0
}

const postDataOf = (text: string | undefined, room: Room): object => {
  if (text === undefined) return {}
  const fits = hasRoom(room, text.length)
  return { postData: { mimeType: "", text: fits ? text : "", ...(fits ? {} : { comment: leftOut }) } }
}

const contentOf = (response: LoggedResponse, room: Room): object => {
  const { body, isCut } = response
  const about = { size: body?.byteLength ?? 0, mimeType: typeOf(response) || "x-unknown" }
  if (body === undefined) return about
  if (!hasRoom(room, body.byteLength)) return { ...about, comment: leftOut }
  const cut = isCut === true ? { comment: `Only the first ${bytesText(body.byteLength)} were kept.` } : {}
  return isText.test(about.mimeType)
    ? { ...about, ...cut, text: new TextDecoder().decode(body) }
    : { ...about, ...cut, encoding: "base64", text: toBase64(body) }
}

/** The log as an archive, which `docs/replay.md` says how to give back to a preview. */
export const archiveText = (exchanges: ReadonlyArray<LoggedExchange>, shown: (text: string) => string): string => {
  const room = { bytes: mostBodies }
  const entries = exchanges.map((exchange) => {
    const { begun, error, method, requestBody, requestHeaders, response, took = 0, url } = exchange
    const query = URL.canParse(url) ? [...new URL(url).searchParams] : []
    const none = { status: 0, statusText: error ?? "", headers: [] }
    return {
      startedDateTime: new Date(begun).toISOString(),
      time: took,
      request: {
        method,
        url: shown(url),
        httpVersion: "HTTP/1.1",
        cookies: [],
        headers: pairsOf(requestHeaders),
        queryString: query.map(([name, value]) => ({ name, value })),
        headersSize: -1,
        bodySize: -1,
        ...postDataOf(requestBody, room)
      },
      response: {
        status: response?.status ?? none.status,
        statusText: response?.statusText ?? none.statusText,
        httpVersion: "HTTP/1.1",
        cookies: [],
        headers: pairsOf(response?.headers ?? []),
        content: response === undefined ? { size: 0, mimeType: "x-unknown" } : contentOf(response, room),
        redirectURL: "",
        headersSize: -1,
        bodySize: -1
      },
      cache: {},
      timings: { send: 0, wait: took, receive: 0 }
    }
  })
  return JSON.stringify({ log: { version: "1.2", creator: { name: "Slipway", version: "1" }, entries } }, null, 2)
}
