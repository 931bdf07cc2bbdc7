import { Effect } from "effect"
import { isList, isObject } from "../../dialect/search.ts"
import { facts } from "../../fair/enveloped/facts.ts"
import { start } from "../../fair/enveloped/start.ts"
import type { Answer, Json } from "../../session/Exchange.ts"
import { toAnswer, type Outgoing } from "../../session/transport.ts"
import { fairInProcess } from "../../testing/fairInProcess.ts"
import { endpointOf, fieldsOf, type Endpoint } from "../parts/Call.ts"
import { items, members } from "../parts/json.ts"
import type { WireDialect } from "../parts/WireDialect.ts"
import type { Base } from "./Base.ts"
import { toOwn, toReference, type Names, type Renaming } from "./renaming.ts"

const row: Names = {
  members: [
    ["buildId", "id"],
    ["state", "status"]
  ]
}

const run = [
  ["runId", "id"],
  ["title", "name"]
] as const

type Spoken = Partial<Readonly<Record<Endpoint, Names>>>

/** Where the reference host has the values whose places in a template are named otherwise. */
const elsewhere: Readonly<Record<string, string>> = { width: "deviceSpec.width", height: "deviceSpec.height" }

/** The members of a body, by the places of its template. */
const membersOf = (template: Json, within = ""): ReadonlyArray<Renaming> =>
  Object.entries(members(template)).flatMap(([name, place]): ReadonlyArray<Renaming> => {
    if (typeof place !== "string") return membersOf(place ?? null, `${within}${name}.`)
    const filled = place.slice(1, -1)
    return [[within + name, elsewhere[filled] ?? filled]]
  })

const { file, previewReserve, recording } = facts.bodies

const bodies: Spoken = {
  "builds.reserve": { members: [], items: { files: membersOf(file) } },
  "previews.reserve": {
    members: membersOf(previewReserve),
    items: { files: membersOf(file), recordings: membersOf(recording) }
  }
}

const answers: Spoken = {
  "builds.reserve": { members: [["buildId", "id"]] },
  "builds.finalize": row,
  "builds.latest": row,
  "builds.read": row,
  "previews.finalize": {
    members: [
      ["preview.shareId", "shareId"],
      ["preview.url", "url"]
    ]
  },
  "previews.read": {
    members: [
      ["state", "status"],
      ["artifacts.files", "files"],
      ["artifacts.recordings", "recordings"],
      ["provenance", "git"],
      ["owner", "account"]
    ]
  },
  "runs.register": { members: run },
  "runs.list": {
    members: [
      ["items", "testRuns"],
      ["next", "nextCursor"]
    ],
    items: { testRuns: run }
  }
}

/** This host's words for a state, and those of the reference host. */
const states = {
  builds: [
    ["READY", "ready"],
    ["AWAITING_UPLOAD", "uploading"]
  ],
  previews: [
    ["HOSTED", "ready"],
    ["RESERVED", "uploading"]
  ]
} as const

/** What is answered where the reference host answers 201. */
const created: Partial<Readonly<Record<Endpoint, number>>> = {
  "builds.reserve": 202,
  "previews.reserve": 202,
  "previews.finalize": 200
}

const nothing: Names = { members: [] }
const namesIn = (spoken: Spoken, endpoint: Endpoint | undefined): Names =>
  (endpoint === undefined ? undefined : spoken[endpoint]) ?? nothing

const isReservation = (endpoint: Endpoint | undefined): boolean =>
  endpoint === "builds.reserve" || endpoint === "previews.reserve"

const isDone = (status: number): boolean => status >= 200 && status < 300

const ofRole = (uploads: ReadonlyArray<Json>, role: string) =>
  uploads.filter((one) => isObject(one) && one.role === role)

/** The list of slots, each of which has a role, as the reference host has them. */
const withSlots = (json: Json): Json => {
  if (!isObject(json) || !isList(json.uploads)) return json
  const { uploads, ...rest } = json
  const [bundle = null] = ofRole(uploads, "bundle")
  return { ...rest, slots: { bundle, files: ofRole(uploads, "file"), recordings: ofRole(uploads, "recording") } }
}

/** The same the other way round. */
const withUploads = (json: Json): Json => {
  if (!isObject(json) || !isObject(json.slots)) return json
  const { slots, ...rest } = json
  return { ...rest, uploads: [slots.bundle ?? null, ...items(slots.files), ...items(slots.recordings)] }
}

const withState = (json: Json, endpoint: Endpoint | undefined, from: 0 | 1, name: string): Json => {
  const dialect = endpoint?.startsWith("builds.") === true ? states.builds : states.previews
  const word = isObject(json) ? dialect.find((pair) => pair[from] === json[name])?.[1 - from] : undefined
  return isObject(json) && word !== undefined ? { ...json, [name]: word } : json
}

const referenceUrl = (url: string): string =>
  url.replace("/artifacts/", "/objects/").replace("X-Expires=", "expires=").replace("X-Signature=", "signature=")
const ownUrl = (url: string): string =>
  url.replace("/objects/", "/artifacts/").replace("?expires=", "?X-Expires=").replace("&signature=", "&X-Signature=")

/** The text with each presigned URL in it rewritten. */
const withUrls = (text: string, rewrite: (url: string) => string): string =>
  text.replaceAll(/https?:\/\/[^"]*\/(?:artifacts|objects)\/[^"]*/g, rewrite)

/** The same request about another URL, and with another body where it has one of JSON. */
const rewritten = (
  request: Outgoing,
  rewrite: (url: string) => string,
  parameters: readonly [from: string, to: string],
  change: (json: Json) => Json
): Outgoing => {
  const url = new URL(rewrite(request.url))
  const [from, to] = parameters
  const cursor = url.searchParams.get(from)
  if (cursor !== null) {
    url.searchParams.delete(from)
    url.searchParams.set(to, cursor)
  }
  const fields = typeof request.body === "string" ? fieldsOf(request.body) : {}
  const body =
    Object.keys(fields).length === 0 ? request.body : JSON.stringify(change(JSON.parse(String(request.body))))
  return { ...request, url: cursor === null ? rewrite(request.url) : url.href, body }
}

/** The wire dialect of one host, which remembers the account of each token. */
const makeDialect = (): WireDialect => {
  const shareIds = new Map<Json | undefined, Json>()
  const originals = new WeakMap<Answer, Answer>()

  const toReferenceAnswer: WireDialect["toReferenceAnswer"] = (answer, { endpoint }) => {
    const { json, status } = answer
    if (endpoint === undefined || endpoint === "put" || !isObject(json)) return answer
    const said = isDone(status) ? (json.data ?? null) : (json.error ?? null)
    const names = namesIn(isDone(status) ? answers : {}, endpoint)
    const fields = withSlots(withState(toReference(said, names), endpoint, 0, "status"))
    if (isReservation(endpoint) && isObject(fields)) shareIds.set(fields.token, fields.shareId ?? null)
    const text = withUrls(JSON.stringify(fields), referenceUrl)
    const translated = toAnswer(isDone(status) && status === created[endpoint] ? 201 : status, answer.headers, text)
    originals.set(translated, answer)
    return translated
  }
  const answered: WireDialect["fromReferenceAnswer"] = (answer, { endpoint }) => {
    const { headers, json, status } = answer
    const original = originals.get(answer)
    if (original !== undefined || endpoint === "put" || json === undefined) return original ?? answer
    if (!isDone(status)) return toAnswer(status, headers, JSON.stringify({ error: json }))
    const own = toOwn(withState(withUploads(json), endpoint, 1, "status"), namesIn(answers, endpoint))
    const text = withUrls(JSON.stringify({ data: own, meta: { requestId: "of-a-mutant" } }), ownUrl)
    return toAnswer(status === 201 && endpoint !== undefined ? (created[endpoint] ?? 201) : status, headers, text)
  }
  return {
    toReferenceRequest: (request) =>
      rewritten(request, referenceUrl, ["after", "cursor"], (json) => {
        const endpoint = endpointOf(request, fieldsOf(request.body))
        return toReference(json, namesIn(bodies, endpoint))
      }),
    fromReferenceRequest: (asked) =>
      rewritten(asked, ownUrl, ["cursor", "after"], (json) => {
        const own = toOwn(json, namesIn(bodies, asked.endpoint))
        if (asked.endpoint !== "previews.finalize" || !isObject(own)) return own
        const shareId = shareIds.get(own.token)
        return shareId === undefined ? own : { ...own, shareId }
      }),
    toReferenceAnswer,
    fromReferenceAnswer: answered,
    asHosted: (fields) => ({ ...fields, status: "ready" })
  }
}

const profiles = ["builds", "previews"] as const
const parts = ["type", "length"] as const
const eachPart = profiles.flatMap((profile) => parts.map((part) => ({ profile, part })))

const hidden = "A reservation shows nowhere before it is finalized."

/** The strict fair host: every answer in an envelope, other statuses, every field required, everything parsed. */
export const enveloped: Base = {
  name: "enveloped",
  host: Effect.map(fairInProcess(start), (met) => ({ ...met, dialect: makeDialect() })),
  isWhole: true,
  skippedBy: eachPart.map(({ part, profile }) => `${profile}.put.altered-${part}`),
  unplanted: {
    ...Object.fromEntries(
      eachPart.map(({ part, profile }) => [
        `${profile}.put.${part}-ignored`,
        `A URL of its storage doesn't hold the ${part}.`
      ])
    ),
    "builds.reserve.foreign-done": hidden,
    "builds.key.reserve-done": hidden,
    "builds.key.reserve-of-nobody-done": hidden,
    "builds.scope.reserve-done": hidden,
    "builds.scope.reserve-by-two-done": hidden
  },
  // It refuses a second finalize, so the account's own one is refused too.
  caughtBy: {
    ...Object.fromEntries(
      profiles.flatMap((profile) => [
        [
          `${profile}.finalize.foreign-done`,
          [`${profile}.finalize.foreign-account`, `${profile}.finalize.after-foreign`] as const
        ],
        [`${profile}.finalize.foreign-taken`, [`${profile}.finalize.foreign-account`] as const]
      ])
    ),
    // The words for a state aren't translated within another object.
    "builds.read.enveloped": ["builds.read.same-shape", "builds.read.same-status"]
  }
}
