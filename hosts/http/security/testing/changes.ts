/**
 * Random changes to a valid request. A change consists of numbers and names, so that it can be printed and repeated.
 */
import { Schema } from "effect"
import type { WireRequest } from "./wire.ts"

const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`

/** JSON values that no client would send on purpose. */
const jsonValues = {
  null: "null",
  true: "true",
  zero: "0",
  "minus zero": "-0",
  minus: "-1",
  "a half": "0.5",
  "past every integer": "9007199254740993",
  infinite: "1e400",
  tiny: "1e-400",
  "a thousand digits": "9".repeat(1000),
  "no text": '""',
  blank: '" "',
  "a long text": `"${"x".repeat(5000)}"`,
  "a lone surrogate": '"\\ud800"',
  "a written NUL": '"a\\u0000b"',
  "lines and tabs": '"a\\r\\nb\\tc"',
  "turned around": '"\\u202egpj.exe"',
  combining: `"e${"\u0301".repeat(300)}"`,
  emoji: '"👩‍👩‍👧‍👦🏳️‍🌈"',
  "a byte order mark": '"\\ufeffa"',
  "a dotted I": '"İ"',
  markup: '"</script><script>alert(1)</script><img src=x onerror=alert(1)>"',
  quotes: `"'\\" or 1=1; -- "`,
  "a path": '"../../../../etc/passwd"',
  "an escaped path": '"%2e%2e%2f%2e%2e%2f"',
  "a script's URL": '"javascript:alert(1)"',
  "no list": "[]",
  "no object": "{}",
  "a list": '["a"]',
  "a deep list": deep(2000),
  "a long list": `[${"1,".repeat(2000)}1]`,
  "many fields": `{${Array.from({ length: 500 }, (_, index) => `"k${index}":${index}`).join(",")}}`,
  "a prototype": '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}',
  "not JSON": "undefined"
} as const

/** Texts for paths, queries and headers. None contains a line break, which can't be sent there. */
const texts = {
  nothing: "",
  "a dot": ".",
  "two dots": "..",
  "two dots, escaped": "%2e%2e",
  "up, escaped": "..%2f..%2f..%2f",
  "up after a semicolon": "..;/",
  "a slash, escaped": "%2f",
  "a backslash": "%5c..%5c",
  "a NUL": "%00",
  "a line's end": "%0d%0aset-cookie:%20a=b",
  "half an escape": "%",
  "no escape": "%zz",
  "broken UTF-8": "%c0%ae%ff",
  "a byte": "\u00ff",
  "a long text": "x".repeat(3000),
  "a percent of percents": "%2525252e",
  markup: "%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
  "markup as it is": `"><svg/onload=alert(1)>'`,
  quotes: "'%20or%201=1;--",
  "a URL": "https://evil.example/",
  "another host": "//evil.example",
  "a number": "99999999999999999999",
  minus: "-1",
  "the ID of nothing": "00000000-0000-7000-8000-000000000000",
  "a share id of nothing": "AAAAAAAAAAAAAAAAAAAAAA",
  "a right to left mark": "%e2%80%ae",
  upper: "BUILDS",
  proto: "__proto__"
} as const

const headerValues = {
  nothing: "",
  star: "*/*",
  html: "text/html",
  json: "application/json",
  "json in another charset": "application/json; charset=utf-16",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data; boundary=x",
  plain: "text/plain",
  gzip: "gzip",
  "many codings": "gzip, ".repeat(50),
  identity: "identity",
  "an image": "image/png;q=0.1, */*;q=0",
  "many types": Array.from({ length: 500 }, (_, index) => `a/b${index};q=0.${index}`).join(","),
  "many bytes": "\u00ff".repeat(100),
  "first bytes": "bytes=0-0",
  "last bytes": "bytes=-5",
  "no bytes": "bytes=5-1",
  "past the end": "bytes=999999999-",
  "past every number": "bytes=99999999999999999999-999999999999999999999",
  "many ranges": `bytes=${"0-1,".repeat(500)}0-1`,
  "other units": "lines=0-1",
  "no bearer": "Bearer",
  "a wrong key": `Bearer slip_${"A".repeat(46)}`,
  "a basic one": "Basic YTpi",
  "two keys": "Bearer a, Bearer b",
  "an empty session": "slipway=",
  "a wrong session": "slipway=eyJrZXlJZCI6IngiLCJpc3N1ZWRBdCI6MH0.AAAA",
  "many cookies": "a=b; ".repeat(500),
  null: "null",
  evil: "https://evil.example",
  "an entity tag": '"AAAA"',
  "a weak one": 'W/"AAAA"',
  "a date": "Thu, 01 Jan 1970 00:00:00 GMT",
  document: "document",
  "cross-site": "cross-site",
  "a long text": "x".repeat(3000),
  words: "é ñ 中".normalize("NFD").replaceAll(/[^\x20-\xff]/g, "?"),
  "a host": "evil.example:99999",
  "a right key with more": "idempotency key"
} as const

const headerNames = [
  "accept",
  "accept-encoding",
  "accept-language",
  "authorization",
  "access-control-request-headers",
  "access-control-request-method",
  "content-encoding",
  "content-type",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "origin",
  "range",
  "referer",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-http-method-override",
  "x-request-id"
] as const

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"] as const

const keysOf = <A extends Readonly<Record<string, string>>>(table: A) =>
  Schema.Literals(Object.keys(table).filter((key): key is keyof A & string => key in table))

/** A relative position, from 0 to just below 1. */
const place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))

const jsonValue = Schema.Union([keysOf(jsonValues), Schema.Struct({ text: Schema.String })])

export const Change = Schema.Union([
  Schema.TaggedStruct("value", { at: place, to: jsonValue }),
  Schema.TaggedStruct("field added", { at: place, named: Schema.String, to: jsonValue }),
  Schema.TaggedStruct("value left out", { at: place }),
  Schema.TaggedStruct("value doubled", { at: place }),
  Schema.TaggedStruct("body cut", { at: place }),
  Schema.TaggedStruct("byte of the body", {
    at: place,
    to: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
  }),
  Schema.TaggedStruct("no body", {}),
  Schema.TaggedStruct("body", { to: jsonValue }),
  Schema.TaggedStruct("segment", { at: place, to: keysOf(texts) }),
  Schema.TaggedStruct("segment added", { at: place, to: keysOf(texts) }),
  Schema.TaggedStruct("character of the target", {
    at: place,
    to: Schema.Int.check(Schema.isBetween({ minimum: 0x21, maximum: 0x7e }))
  }),
  Schema.TaggedStruct("query", { at: place, to: keysOf(texts) }),
  Schema.TaggedStruct("query added", { named: keysOf(texts), to: keysOf(texts) }),
  Schema.TaggedStruct("query left out", { at: place }),
  Schema.TaggedStruct("query doubled", { at: place }),
  Schema.TaggedStruct("header", { named: Schema.Literals(headerNames), to: keysOf(headerValues) }),
  Schema.TaggedStruct("header left out", { at: place }),
  Schema.TaggedStruct("method", { to: Schema.Literals(methods) })
])
export type Change = typeof Change.Type

/** A JSON text split around one of its values. `holes` has a split for every value, the whole text first. */
interface Hole {
  readonly start: number
  readonly end: number
}

/** The start and end of every value in a JSON text. */
const holesOf = (json: string): ReadonlyArray<Hole> => {
  const holes: Array<Hole> = []
  let at = 0
  const blank = () => {
    while (/\s/.test(json[at] ?? "")) at++
  }
  const text = () => {
    at++
    while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1
    at++
  }
  const value = () => {
    blank()
    const start = at
    const opening = json[at]
    if (opening === "{" || opening === "[") {
      at++
      for (blank(); at < json.length && json[at] !== "}" && json[at] !== "]"; blank()) {
        if (opening === "{") {
          text()
          blank()
          at++
        }
        value()
        blank()
        if (json[at] === ",") at++
      }
      at++
    } else if (opening === '"') text()
    else while (at < json.length && !/[\s,\]}]/.test(json[at] ?? "")) at++
    holes.push({ start, end: at })
  }
  value()
  return holes.toSorted((one, other) => one.start - other.start)
}

const chosen = <A>(from: ReadonlyArray<A>, at: number): A | undefined => from[Math.floor((at / 1000) * from.length)]

const written = (value: typeof jsonValue.Type): string =>
  typeof value === "string" ? jsonValues[value] : JSON.stringify(value.text)

const isJson = ({ headers }: WireRequest): boolean => headers["content-type"] === "application/json"

/** The request with another body text. A body that isn't JSON is changed as plain text. */
const inBody = (request: WireRequest, at: number, change: (body: string, hole: Hole) => string): WireRequest => {
  const { body } = request
  if (body === undefined) return request
  const text = Buffer.from(body).toString("utf8")
  const hole = isJson(request)
    ? chosen(holesOf(text), at)
    : { start: Math.floor((at / 1000) * text.length), end: text.length }
  return hole === undefined ? request : { ...request, body: Buffer.from(change(text, hole)) }
}

/** The path of a target, and its query without the question mark where it has one. */
const partsOf = (target: string): readonly [path: string, query?: string] => {
  const mark = target.indexOf("?")
  return mark < 0 ? [target] : [target.slice(0, mark), target.slice(mark + 1)]
}

type ChangeOfList = (parts: ReadonlyArray<string>) => ReadonlyArray<string>

const inPath = (request: WireRequest, change: ChangeOfList): WireRequest => {
  const [path, query] = partsOf(request.target)
  const changed = `/${change(path.slice(1).split("/")).join("/")}`
  return { ...request, target: query === undefined ? changed : `${changed}?${query}` }
}

const inQuery = (request: WireRequest, change: ChangeOfList): WireRequest => {
  const [path, query] = partsOf(request.target)
  const parts = change(query?.split("&") ?? [])
  return { ...request, target: parts.length === 0 ? path : `${path}?${parts.join("&")}` }
}

const at = (place: number, length: number): number => Math.floor((place / 1000) * length)

const sent = (text: string): string => text.replaceAll(" ", "%20")

/** The request with one change. It stays the same if it lacks the changed part. */
export const changed = (request: WireRequest, change: Change): WireRequest => {
  switch (change._tag) {
    case "value":
      return inBody(
        request,
        change.at,
        (body, { end, start }) => body.slice(0, start) + written(change.to) + body.slice(end)
      )
    case "field added":
      return inBody(request, change.at, (body, { start }) =>
        body[start] === "{"
          ? `${body.slice(0, start + 1)}${JSON.stringify(change.named)}:${written(change.to)},${body.slice(start + 1)}`
          : body
      )
    case "value left out":
      return inBody(request, change.at, (body, { end, start }) => body.slice(0, start) + body.slice(end))
    case "value doubled":
      return inBody(request, change.at, (body, { end, start }) => `${body.slice(0, end)},${body.slice(start)}`)
    case "body cut":
      return request.body === undefined
        ? request
        : { ...request, body: request.body.subarray(0, at(change.at, request.body.byteLength)) }
    case "byte of the body": {
      if (request.body === undefined || request.body.byteLength === 0) return request
      const body = Uint8Array.from(request.body)
      body[at(change.at, body.byteLength)] = change.to
      return { ...request, body }
    }
    case "no body": {
      const { body: _, ...rest } = request
      return rest
    }
    case "body":
      return { ...request, body: Buffer.from(written(change.to)) }
    case "segment":
      return inPath(request, (segments) => segments.with(at(change.at, segments.length), sent(texts[change.to])))
    case "segment added":
      return inPath(request, (segments) =>
        segments.toSpliced(at(change.at, segments.length + 1), 0, sent(texts[change.to]))
      )
    case "character of the target": {
      const place = 1 + at(change.at, request.target.length)
      const { target } = request
      return { ...request, target: target.slice(0, place) + String.fromCharCode(change.to) + target.slice(place + 1) }
    }
    case "query":
      return inQuery(request, (parts) =>
        parts.length === 0
          ? parts
          : parts.with(
              at(change.at, parts.length),
              `${parts[at(change.at, parts.length)]?.split("=")[0]}=${sent(texts[change.to])}`
            )
      )
    case "query added":
      return inQuery(request, (parts) => [...parts, `${sent(texts[change.named])}=${sent(texts[change.to])}`])
    case "query left out":
      return inQuery(request, (parts) => parts.toSpliced(at(change.at, parts.length), 1))
    case "query doubled":
      return inQuery(request, (parts) => {
        const part = chosen(parts, change.at)
        return part === undefined ? parts : [...parts, part]
      })
    case "header":
      return { ...request, headers: { ...request.headers, [change.named]: headerValues[change.to] } }
    case "header left out": {
      const left = chosen(Object.keys(request.headers), change.at)
      const headers = Object.entries(request.headers).filter(([name]) => name !== left)
      return { ...request, headers: Object.fromEntries(headers) }
    }
    case "method":
      return { ...request, method: change.to }
  }
}
