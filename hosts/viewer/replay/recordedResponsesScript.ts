/**
 * Runs before an app that has HTTP archives among its recordings: requests for anything but its own
 * files are answered from there. Nothing is sent: other requests reach the sandbox, which refuses them.
 */
import { XMLHttpRequestInterceptor } from "@mswjs/interceptors/XMLHttpRequest"
import { FetchInterceptor } from "@mswjs/interceptors/fetch"
import { fieldsIn, listIn, textIn } from "../../phone/runtime/decode.ts"
import { settings } from "../../phone/runtime/device.ts"
import { type Answered, answeredEvent, keptBody } from "./networkLog.ts"
import {
  type Exchange,
  type Found,
  makeRecordedResponses,
  readHar,
  type RecordedResponse,
  type ReplayRequest,
  slowDelay
} from "./recordedResponses.ts"

/** How much of all archives is read, in bytes: parsing them needs several times as much memory. */
const maxBytes = 64 * 1024 ** 2
let bytesLeft = maxBytes

const ownFolder = new URL("./", document.baseURI).href
const fetchOwn = window.fetch.bind(window)

/** The archives, by what the document says of them. */
const archives = listIn(
  JSON.parse(document.querySelector<HTMLElement>("template[data-archives]")?.dataset["archives"] ?? "[]")
)
  .map(fieldsIn)
  .map(({ name, url }) => ({ name: textIn(name) ?? "", url: textIn(url) ?? "" }))

const read = async ({ name, url }: (typeof archives)[number]): Promise<ReadonlyArray<Exchange>> => {
  try {
    const answer = await fetchOwn(url)
    if (!answer.ok) throw new Error(`The host answered ${answer.status}.`)
    const content = await answer.blob()
    if (content.size > bytesLeft) throw new Error(`All archives are larger than ${maxBytes / 1024 ** 2} MiB together.`)
    bytesLeft -= content.size
    const { exchanges, leftOut } = readHar(await content.text())
    const rest = leftOut === 0 ? "" : ` ${leftOut} more have no answer that can be given.`
    console.info(`${name} answers what the app asks of its API: ${exchanges.length} requests were recorded.${rest}`)
    return exchanges
  } catch (error) {
    console.warn(`${name} can’t be read, so it answers nothing. ${String(error)}`)
    return []
  }
}

/** One after the other, so that no two are in memory as text at once. */
const readAll = async (): Promise<ReadonlyArray<Exchange>> => {
  const all: Array<ReadonlyArray<Exchange>> = []
  for (const archive of archives) all.push(await read(archive))
  return all.flat()
}

const answering = readAll().then((exchanges) => makeRecordedResponses(exchanges, location.origin))

/** Whether a response with a status has a body at all. */
const isBare = (status: number): boolean => status === 204 || status === 205 || status === 304

const responseOf = ({ body, headers, status, statusText }: RecordedResponse): Response =>
  new Response(isBare(status) ? null : body, {
    status,
    statusText,
    headers: headers.map(([name, value]): [string, string] => [name, value])
  })

/** Where an answer leads on to. */
const nextOf = ({ headers, status }: RecordedResponse, url: string): string | undefined => {
  const to = headers.find(([name]) => name.toLowerCase() === "location")?.[1]
  return to !== undefined && [301, 302, 303, 307, 308].includes(status) && URL.canParse(to, url)
    ? new URL(to, url).href
    : undefined
}

/** As a browser follows what leads on, up to twenty times. */
const follow = (answers: (asked: ReplayRequest) => Found, asked: ReplayRequest, left = 20): Found => {
  const found = answers(asked)
  const next = found.kind === "answer" ? nextOf(found.answer, asked.url) : undefined
  if (found.kind === "none" || next === undefined || left === 0) return found
  const isKept = found.answer.status >= 307
  return follow(answers, { method: isKept ? asked.method : "GET", url: next, body: isKept ? asked.body : "" }, left - 1)
}

const answer = async (request: Request): Promise<Response | undefined> => {
  const { method, redirect, url } = request
  if (url.startsWith(ownFolder) || !/^https?:/.test(url)) return undefined
  if (settings().network === "offline") {
    console.warn(`Nothing answers ${method} ${url}: the device is offline.`)
    return undefined
  }
  const asked = { method, url, body: await request.clone().text() }
  const answers = await answering
  const found = redirect === "follow" ? follow(answers, asked) : answers(asked)
  const what = `${method} ${url}`
  if (found.kind === "none") {
    console.warn(`Nothing answers ${what}: ${found.why}.`)
    return undefined
  }
  const turn = found.of === 1 ? "" : `, ${found.turn} of ${found.of}`
  const { body, headers, status, statusText } = found.answer
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  if (settings().network === "slow") {
    await new Promise((arrived) => setTimeout(arrived, slowDelay(bytes.byteLength)))
  }
  console.debug(`Answered as recorded: ${what} (${found.answer.status}${turn})`)
  const exchange: Answered = {
    method,
    url,
    requestHeaders: [...request.headers],
    requestBody: asked.body === "" ? undefined : asked.body,
    response: { status, statusText, headers, ...keptBody(bytes) }
  }
  document.dispatchEvent(new CustomEvent(answeredEvent, { detail: exchange }))
  return responseOf(found.answer)
}

for (const interceptor of [new FetchInterceptor(), new XMLHttpRequestInterceptor()]) {
  interceptor.apply()
  interceptor.on("request", async ({ controller, request }) => {
    const response = await answer(request)
    if (response !== undefined) controller.respondWith(response)
  })
}
