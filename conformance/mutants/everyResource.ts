import { Effect } from "effect"
import type { HttpResponse, Json, KeyName } from "../session/Exchange.ts"
import { keyHeader } from "../session/live.ts"
import {
  accountOf,
  by,
  eachOf,
  items,
  keyOf,
  members,
  saying,
  type Area,
  type Call,
  type Endpoint,
  type Middleware,
  type MutantTable,
  type Reservation,
  type Row
} from "./Mutant.ts"
import {
  answer,
  asking,
  at,
  changingFields,
  continuing,
  refusesButPerforms,
  failing,
  failure,
  forEither,
  instead,
  isDone,
  like,
  missing,
  notFound,
  outright,
  refusing,
  unchanged,
  type Where
} from "./fronts.ts"
import { createHash } from "node:crypto"
import { asText, eachMember, follow } from "../dialect/Dialect.ts"

/** What each endpoint that requires the scope of its area does, as in "A request without a key …". */
const guarded: Readonly<Record<Area, Readonly<Record<string, string>>>> = {
  builds: {
    reserve: "reserves builds",
    finalize: "finalizes builds",
    latest: "reads the latest build of a branch",
    read: "reads builds by their ids"
  },
  previews: { reserve: "reserves previews", finalize: "finalizes previews", read: "reads previews" },
  runs: { register: "registers test runs", list: "lists test runs" }
}

/** The endpoints whose effect a read shows. */
const shown: ReadonlyArray<string> = ["builds.reserve", "builds.finalize", "previews.finalize", "runs.register"]

/** The keys of an account that lack the scope of an area. */
const lackedBy: Readonly<Record<Area, ReadonlyArray<KeyName>>> = {
  builds: ["previewUpload", "testRuns", "withoutBuilds"],
  previews: ["builds", "testRuns", "withoutPreviewUpload"],
  runs: ["builds", "previewUpload", "withoutTestRuns"]
}

/** The request with a key that has every scope, of the same account, or of account a when it had no key of an account. */
export const asIfAllowed = (call: Call): Call => by(call, accountOf(call) ?? "a")

const refusedAndDone = (where: Where): Middleware =>
  continuing(where, (refusal, call, ask) => Effect.as(ask(asIfAllowed(call)), refusal))

/** Who calls without the right key, and whether it is one. */
export const callers = (area: Area): ReadonlyArray<readonly [check: string, id: string, caller: string, is: Where]> => [
  ["key", "", "A request without a key", ({ by }) => by === "none"],
  ["key", "-of-nobody", "An unknown key", ({ by }) => by === "unknown"],
  [
    "scope",
    "",
    "A key with another scope",
    // A billed reservation needs another scope as well: `previews/reserve.ts` has those faults.
    (call) => lackedBy[area].some((key) => keyOf(call) === key) && call.fields.billingKind === undefined
  ],
  [
    "scope",
    "-by-two",
    "A key with the two other scopes",
    (call) => keyOf(call) === lackedBy[area][2] && call.fields.billingKind === undefined
  ]
]

/** Every wrong caller is accepted, or is refused and the request is done all the same, where a read can show it. */
const unguarded = (area: Area, name: string, does: string): MutantTable => {
  const endpoint = `${area}.${name}`
  const rows = callers(area).flatMap(([group, id, caller, is]): ReadonlyArray<readonly [string, Row]> => {
    const check = `${group}.${name}`
    const where: Where = (call, target) => call.endpoint === endpoint && is(call, target)
    const done = `${caller} is refused, and ${does} all the same.`
    return [
      [`${check}${id === "" ? "-unneeded" : id}`, [`${caller} ${does}.`, check, asking(where, asIfAllowed)]],
      ...(shown.includes(endpoint) ? [[`${check}${id}-done`, [done, check, refusedAndDone(where)]] as const] : [])
    ]
  })
  return Object.fromEntries(rows)
}

/** The endpoint requires another scope besides that of its area. */
const wantsMore = (endpoint: Endpoint, key: KeyName, scope: string, what: string): MutantTable => ({
  [`${endpoint.split(".")[1]}.wants-more`]: [
    `A key with only the scope \`${scope}\` can't ${what}.`,
    "scope.suffices",
    refusing(at(endpoint, (call) => keyOf(call) === key))
  ]
})

/** The value of the header that carries a key begins like that of account a's key. */
const beginsLikeA: Where = ({ by, headers }, { config, keys }) => {
  if (by !== "unknown" || keys.a.all === undefined) return false
  const [[name, value] = ["", ""]] = Object.entries(keyHeader(config.bindings.key, keys.a.all))
  return headers[name]?.startsWith(value.slice(0, Math.floor(value.length / 2))) === true
}

const special: Readonly<Record<Area, MutantTable>> = {
  builds: {
    "key.latest-by-beginning": [
      "A read of the latest build accepts a key of which only the first half is an account's.",
      "key.latest",
      asking(at("builds.latest", beginsLikeA), asIfAllowed)
    ],
    ...wantsMore("builds.latest", "builds", "builds", "read the latest build")
  },
  previews: wantsMore("previews.read", "previewUpload", "preview_upload", "read a preview"),
  runs: wantsMore("runs.list", "testRuns", "test_runs", "list test runs")
}

/** The mutants of an area that accept or refuse the wrong keys. */
export const keyMutants = (area: Area): MutantTable =>
  Object.assign({}, ...Object.entries(guarded[area]).map(([name, does]) => unguarded(area, name, does)), special[area])

const isForeign = (call: Call): boolean =>
  call.reservation !== undefined && accountOf(call.reservation.call) !== accountOf(call)

const isByOtherKey = (call: Call): boolean =>
  call.reservation !== undefined && !isForeign(call) && keyOf(call.reservation.call) !== keyOf(call)

const others = { builds: "previews", previews: "builds" } as const

/** The same token at the finalize of a profile. */
const atFinalize = ({ fields: { token }, ...call }: Call, profile: Reservation["profile"]): Call => {
  const path = profile === "builds" ? "/api/v1/builds" : "/api/v1/previews/finalize"
  const body = { token, ...(profile === "builds" ? { operation: "finalize" } : {}) }
  const url = new URL(path, call.url).href
  return { ...call, url, endpoint: `${profile}.finalize`, fields: body, body: JSON.stringify(body) }
}

/** Answers such a finalize as the one before with the same token, where that succeeded. */
const answeringAgain = (where: Where, such: (call: Call) => boolean): Middleware => {
  return (ask, target) => {
    const done = new Map<unknown, HttpResponse>()
    return (call) =>
      Effect.map(ask(call), (answer) => {
        if (!where(call, target)) return answer
        if (isDone(answer)) done.set(call.fields.token, answer)
        return (such(call) ? done.get(call.fields.token) : undefined) ?? answer
      })
  }
}

/** A refused finalize uses up its token when `burns` is true of it. */
const usingUp =
  (profile: Reservation["profile"], burns: (call: Call, refusal: HttpResponse) => boolean): Middleware =>
  (ask, ...host) => {
    const used = new Set<unknown>()
    const remember = (call: Call) => (answered: HttpResponse) =>
      Effect.sync(() => !isDone(answered) && burns(call, answered) && used.add(call.fields.token))
    const front = instead(at(`${profile}.finalize`), (call, ask) =>
      used.has(call.fields.token) ? Effect.succeed(notFound) : Effect.tap(ask(call), remember(call))
    )
    return front(ask, ...host)
  }

/** By whose key, and with which token, builds or previews are finalized. */
export const finalizerMutants = (profile: Reservation["profile"]): MutantTable => {
  const endpoint = `${profile}.finalize` as const
  return {
    "finalize.foreign-taken": [
      "Another account's key finalizes.",
      ["finalize.foreign-account", "finalize.foreign-again"],
      forEither(at(endpoint))
    ],
    "finalize.foreign-again-taken": [
      "A finalize by another account is answered 201 once the own account has finalized.",
      "finalize.foreign-again",
      answeringAgain(at(endpoint), isForeign)
    ],
    "finalize.elsewhere-taken": [
      `A token of ${profile} finalizes at the other endpoint.`,
      "finalize.elsewhere",
      asking(
        at(`${others[profile]}.finalize`, ({ reservation }) => reservation?.profile === profile),
        (call) => by(atFinalize(call, profile), accountOf(call) ?? "a")
      )
    ],
    "finalize.foreign-done": [
      "A finalize by another account's key is refused, and done all the same.",
      "finalize.foreign-account",
      refusesButPerforms(at(endpoint))
    ],
    "finalize.used-up-by-another": [
      "A finalize by another account is refused and uses up the token.",
      "finalize.after-foreign",
      usingUp(profile, isForeign)
    ],
    "finalize.used-up-early": [
      "A finalize that is refused because an object is missing uses up its token.",
      profile === "builds" ? "finalize.early" : ["finalize.early", "finalize.after-missing"],
      usingUp(profile, (call) => missing(call).length > 0)
    ],
    "finalize.own-key-only": [
      "Only the key that reserved can finalize.",
      "finalize.other-key",
      refusing(at(endpoint, isByOtherKey))
    ],
    "finalize.any-token": [
      "A finalize with an unknown token is answered 201.",
      "finalize.unknown-token",
      outright(
        at(endpoint, ({ fields, reservation }) => fields.token !== undefined && reservation === undefined),
        answer(201, { url: "http://reference.example/of-nothing" })
      )
    ]
  }
}

type Profile = Reservation["profile"]

const reads = { builds: at(["builds.latest", "builds.read"]), previews: at("previews.read") } as const
const names = { builds: "id", previews: "shareId" } as const

/** Such a request for a finalized upload makes it read as one that isn't finalized. */
const undoes = (profile: Profile, where: Where): Middleware => {
  const finalize = at(`${profile}.finalize`)
  return (ask, target) => {
    const finalized = new Set<string>()
    const undone = new Set<unknown>()
    const undoing = changingFields(reads[profile], (fields) => {
      const { previewUrl: _previewUrl, ...rest } = fields
      return undone.has(fields[names[profile]]) ? { ...rest, status: "uploading" } : fields
    })(ask, target)
    return (call) =>
      Effect.tap(undoing(call), (answer) =>
        Effect.sync(() => {
          const { reservation } = call
          if (reservation?.profile !== profile) return
          if (finalized.has(reservation.token) && where(call, target)) undone.add(reservation.id)
          if (finalize(call, target) && isDone(answer)) finalized.add(reservation.token)
        })
      )
  }
}

/** The token lifetime that a host announces, in milliseconds. Its tokens live longer. */
const reportedMs = 1

/** What happens to a build or a preview that is finalized already, or too late. */
export const afterFinalizeMutants = (profile: Profile): MutantTable => ({
  "finalize.never-too-late": [
    "A token finalizes after the life that the host tells.",
    "finalize.expired",
    unchanged,
    // The other profile's check would report the same.
    { tokenLifeMs: reportedMs, profiles: [profile] }
  ],
  "finalize.again-undoes": [
    "A second finalize with the same token undoes the first.",
    "finalize.again",
    undoes(profile, at(`${profile}.finalize`))
  ],
  "put.late-undoes": [
    "A PUT to a slot after finalize undoes the finalize.",
    "put.after-finalize",
    undoes(
      profile,
      at("put", ({ method }) => method === "PUT")
    )
  ]
})

/** The mistakes that are answered 500, by the names of their checks. */
const mistakes = (table: Readonly<Record<string, readonly [mistake: string, where: Where]>>): MutantTable =>
  eachOf(table, ([mistake, where], name) => [
    `mistakes.${name}-fails`,
    `${mistake} is answered 500.`,
    `mistakes.${name === "incomplete" ? "finalize-incomplete" : name}`,
    name === "gzip" ? outright(where, failure) : failing(where)
  ])

const ofAnotherSize = { bundleSizeBytes: (size: unknown) => typeof size === "string" }
const inGzip: readonly [string, Where] = ["The PUT of a bundle in gzip", at("put", ({ body }) => body?.[0] === 0x1f)]

/** Hosts that answer a mistake of the caller with 500. */
export const mistakeMutants: Readonly<Record<Area, MutantTable>> = {
  builds: mistakes({
    reserve: ["A bundle size that is a text", like("builds.reserve", ofAnotherSize)],
    body: ["A reservation of a build whose body is a list", at("builds.reserve", ({ body }) => body === "[]")],
    incomplete: ["A finalize before the bundle has arrived", at("builds.finalize", (call) => missing(call).length > 0)],
    gzip: inGzip,
    read: ["A read for an unknown platform", like("builds.latest", { platform: "toaster" })]
  }),
  previews: mistakes({
    reserve: ["A reservation of a preview whose bundle size is a text", like("previews.reserve", ofAnotherSize)],
    body: ["The finalize of a preview with an empty body", at("previews.finalize", ({ body }) => body === "{}")],
    gzip: inGzip,
    read: ["A shareId of 500 characters", at("previews.read", ({ url }) => url.length > 500)]
  }),
  runs: mistakes({
    register: [
      "A registration with a stepCount below 0",
      like("runs.register", { stepCount: (count) => Number(count) < 0 })
    ],
    body: ["A registration of a test run whose body is a list", at("runs.register", ({ body }) => body === "[]")],
    list: ["A limit that is no number", like("runs.list", { limit: "many" })]
  })
}

/** Answers every seventh request that does what was asked with another status code. */
const everySeventh =
  (where: Where, status: number): Middleware =>
  (ask, target) => {
    let done = 0
    return (call) =>
      Effect.map(ask(call), (answered) => {
        if (!where(call, target) || !isDone(answered)) return answered
        done += 1
        return done % 7 === 0 ? answer(status, answered.json ?? {}) : answered
      })
  }

const seventh = (id: string, requests: string, where: Where, status: 200 | 201): MutantTable => ({
  [`choices.${id}-status`]: [
    `Every seventh ${requests} is answered ${status}, the others ${status === 200 ? 201 : 200}.`,
    "choices-kept",
    everySeventh(where, status)
  ]
})

/** The host answers one situation in different ways. */
export const choiceMutants: Readonly<Record<Area, MutantTable>> = {
  builds: seventh("put", "PUT for a build", at("put"), 201),
  previews: seventh("reserve", "reservation of a preview", at("previews.reserve"), 200),
  runs: seventh("register", "registration of a test run", at("runs.register"), 200)
}

/** Takes fewer or more bytes of a file or a recording than were declared, and finalizes them as if they had been declared. */
const lenientWith =
  (profile: Profile, group: "files" | "recordings", takes: (more: number) => boolean): Middleware =>
  (ask) => {
    const puts = new Map<string, Map<number, Call>>()
    const short = new Set<string>()
    /** Where the objects of this group begin among the slots, which are those of the bundle, the files, the recordings. */
    const start = ({ call: { fields } }: Reservation) => (group === "files" ? 1 : 1 + items(fields.files).length)
    const asPut = (reservation: Reservation): ReadonlyArray<Json> =>
      items(reservation.call.fields[group]).map((object, index) => {
        const { body = "" } = puts.get(reservation.token)?.get(start(reservation) + index) ?? {}
        const facts = { sizeBytes: body.length, contentHash: createHash("sha256").update(body).digest("hex") }
        return Object.assign({}, object, facts)
      })
    const resent = Effect.fnUntraced(function* (finalize: Call, reservation: Reservation) {
      const { json } = yield* ask(saying(reservation.call, { [group]: asPut(reservation) }))
      const urls = [...eachMember(json)].flatMap(({ name, value }) => (name === "putUrl" ? (asText(value) ?? []) : []))
      for (const [place, put] of puts.get(reservation.token) ?? []) yield* ask({ ...put, url: urls[place] ?? put.url })
      return yield* ask(saying(finalize, { token: follow(json ?? null, "/token") }))
    })
    return (call) => {
      const { body, endpoint, method, reservation, url } = call
      if (reservation?.profile !== profile) return ask(call)
      const { token } = reservation
      if (endpoint === `${profile}.finalize` && short.has(token)) return resent(call, reservation)
      const place = reservation.putUrls.indexOf(url)
      if (endpoint !== "put" || method !== "PUT" || place < 0) return ask(call)
      puts.set(token, (puts.get(token) ?? new Map<number, Call>()).set(place, call))
      const declared = items(reservation.call.fields[group])[place - start(reservation)]
      if (declared === undefined || !takes((body?.length ?? 0) - Number(members(declared).sizeBytes))) return ask(call)
      short.add(token)
      return Effect.succeed(answer(200, {}))
    }
  }

const wrongLengthTaken = (profile: Profile, object: "file" | "recording"): MutantTable => ({
  [`put.shorter-${object}-taken`]: [
    `Fewer bytes of a ${object} than were declared are accepted and finalized.`,
    `put.shorter-${object}`,
    lenientWith(profile, `${object}s`, (more) => more < 0)
  ],
  [`put.longer-${object}-taken`]: [
    `More bytes of a ${object} than were declared are accepted and finalized.`,
    `put.longer-${object}`,
    lenientWith(profile, `${object}s`, (more) => more > 0)
  ]
})

/** Faults with other objects than small bundles. */
const otherSlotMutants = (profile: Profile): MutantTable => ({
  ...wrongLengthTaken(profile, "file"),
  ...(profile === "previews" ? wrongLengthTaken(profile, "recording") : {}),
  "put.large-refused": [
    "A PUT of more than a MiB is refused.",
    "put.large",
    refusing(at("put", ({ body }) => (body?.length ?? 0) > 1024 ** 2))
  ]
})

/** The facts of a bundle, as it was PUT or as it was declared. */
interface Put {
  readonly contentType: string
  readonly sizeBytes: number
  readonly sha256: string
}

const sent = ({ body, headers }: Call): Put => ({
  contentType: headers["content-type"] ?? "",
  sizeBytes: body?.length ?? 0,
  sha256: createHash("sha256")
    .update(body ?? "")
    .digest("hex")
})

const declared = ({ call: { fields } }: Reservation): Put => ({
  contentType: String(fields.bundleContentType),
  sizeBytes: Number(fields.bundleSizeBytes),
  sha256: String(fields.contentHash)
})

/** Accepts a bundle that isn't the declared one, if `takes` allows it, and finalizes it as if it had been declared. */
const lenient =
  (
    profile: Reservation["profile"],
    takes: (sent: Put, declared: Put, reservation: Reservation) => boolean
  ): Middleware =>
  (ask) => {
    const taken = new Map<string, Call>()
    const finalized = Effect.fnUntraced(function* (call: Call, { call: reserve }: Reservation, put: Call) {
      const { contentType, sha256, sizeBytes } = sent(put)
      const facts = { bundleContentType: contentType, bundleSizeBytes: sizeBytes, contentHash: sha256 }
      const { json } = yield* ask(saying(reserve, facts))
      const [url, token] = ["/slots/bundle/putUrl", "/token"].map((at) => asText(follow(json, at)))
      yield* ask({ ...put, url: url ?? put.url })
      return yield* ask(saying(call, { token }))
    })
    return (call) => {
      const { endpoint, method, reservation, url } = call
      if (reservation?.profile !== profile) return ask(call)
      if (endpoint === `${profile}.finalize`) {
        const put = taken.get(reservation.token)
        return put === undefined ? ask(call) : finalized(call, reservation, put)
      }
      const isBundle = endpoint === "put" && method === "PUT" && url === reservation.putUrls[0]
      if (!isBundle || !takes(sent(call), declared(reservation), reservation)) return ask(call)
      // The host takes no empty bundle.
      taken.set(reservation.token, sent(call).sizeBytes === 0 ? { ...call, body: "0" } : call)
      return Effect.succeed(answer(200, {}))
    }
  }

/** Accepts wrong bytes, and refuses every finalize after that. */
const firstBytesStay =
  (profile: Reservation["profile"]): Middleware =>
  (ask, ...host) => {
    const spoilt = new Set<unknown>()
    const refusal = Effect.succeed(answer(422, { code: "other_bytes" }))
    const finalizing = instead(at(`${profile}.finalize`), (call, ask) =>
      spoilt.has(call.fields.token) ? refusal : ask(call)
    )(ask, ...host)
    return (call) => {
      const { endpoint, method, reservation, url } = call
      const isBundle = endpoint === "put" && method === "PUT" && url === reservation?.putUrls[0]
      if (!isBundle || reservation?.profile !== profile) return finalizing(call)
      if (sent(call).sha256 === declared(reservation).sha256) return ask(call)
      spoilt.add(reservation.token)
      return Effect.succeed(answer(200, {}))
    }
  }

/** The parts of a signed URL: its path and each of its parameters. */
const partsOf = (url: string): Readonly<Record<string, string>> => {
  const { pathname, searchParams } = new URL(url)
  return { key: pathname, ...Object.fromEntries(searchParams) }
}

/** The only part in which a URL differs from one of its reservation; `undefined` when it differs in none or several. */
const alteredPart = ({ reservation, url }: Call): string | undefined => {
  const parts = Object.entries(partsOf(url))
  const altered = (reservation?.putUrls ?? []).map((given) => {
    const own = partsOf(given)
    return parts.filter(([name, value]) => own[name] !== value).map(([name]) => name)
  })
  const least = altered.toSorted((one, other) => one.length - other.length)[0]
  return least?.length === 1 ? least[0] : undefined
}

/** The parts of a presigned URL that a storage may ignore, by the names of their checks. */
const ignorable = {
  signature: ["signature", "another signature"],
  key: ["key", "the key of another object"],
  expiry: ["expires", "a later end"],
  type: ["type", "another content type"],
  length: ["length", "another length"]
} as const

const takenIf = (when: Where): Middleware => outright(at("put", when), answer(200, {}))

/** A presigned URL accepts something else than the PUT that it was signed for. */
const misusedMutants: MutantTable = {
  "put.readable": [
    "A URL that was signed for PUT answers GET.",
    "put.as-get",
    takenIf(({ method }) => method === "GET")
  ],
  "put.postable": [
    "A URL that was signed for PUT stores the bytes of a POST.",
    "put.as-post",
    asking(
      at("put", ({ method }) => method === "POST"),
      (call) => ({ ...call, method: "PUT" })
    )
  ],
  "put.deletable": [
    "A URL that was signed for PUT accepts DELETE.",
    "put.as-delete",
    takenIf(({ method }) => method === "DELETE")
  ],
  "put.unsigned-taken": [
    "A PUT is accepted without a signature.",
    "put.unsigned",
    takenIf(({ url }) => !url.includes("?"))
  ],
  ...eachOf(ignorable, ([part, text], id) => [
    `put.${id}-ignored`,
    `A PUT is accepted at a URL with ${text}.`,
    `put.altered-${id}`,
    takenIf((call) => alteredPart(call) === part)
  ])
}

/** A slot that has refused a PUT refuses every other. */
const closedByRefusal: Middleware = (ask) => {
  const shut = new Set<string>()
  return (call) => {
    if (call.endpoint !== "put" || call.method !== "PUT") return ask(call)
    if (shut.has(call.url)) return Effect.succeed(answer(403, { code: "slot_closed" }))
    return Effect.tap(ask(call), (answer) => Effect.sync(() => !isDone(answer) && shut.add(call.url)))
  }
}

type Facts = Parameters<Parameters<typeof lenient>[1]>

/** How a bundle may differ from its declaration, by the names of checks: a mutant's name, what is accepted, and whether it is that. */
const otherBundles: Readonly<
  Record<string, readonly [id: string, what: string, differs: (...facts: Facts) => boolean]>
> = {
  shorter: [
    "shorter-taken",
    "Fewer bytes than were declared are",
    (sent, { sizeBytes }) => sent.sizeBytes > 0 && sent.sizeBytes < sizeBytes
  ],
  empty: ["nothing-taken", "No bytes, though some were declared, are", (sent) => sent.sizeBytes === 0],
  longer: ["longer-taken", "More bytes than were declared are", (sent, { sizeBytes }) => sent.sizeBytes > sizeBytes],
  "other-type": [
    "other-type-taken",
    "The declared bytes with another content type are",
    (sent, { contentType }) => sent.contentType !== contentType
  ],
  "other-bytes": [
    "digest-ignored",
    "Other bytes of the declared length are",
    (sent, { sha256, sizeBytes }) => sent.sizeBytes === sizeBytes && sent.sha256 !== sha256
  ]
}

/** What comes of another upload of a build that is ready. */
const againMutants: MutantTable = {
  "put.shorter-again-taken": [
    "Fewer bytes than were declared for another upload of a ready build are accepted and finalized.",
    "put.shorter-again",
    (ask, ...host) => {
      const ready = new Set<unknown>()
      const again = new Set<unknown>()
      const taking = lenient("builds", (sent, { sizeBytes }, { id, token }) => {
        if (ready.has(id)) again.add(token)
        return again.has(token) && sent.sizeBytes < sizeBytes
      })(ask, ...host)
      return (call) =>
        Effect.tap(taking(call), (answered) =>
          Effect.sync(() => call.endpoint === "builds.finalize" && isDone(answered) && ready.add(call.reservation?.id))
        )
    }
  ]
}

/** Slots of builds or of previews that accept what they must refuse. */
export const uploadMutants = (profile: Reservation["profile"]): MutantTable => ({
  ...eachOf(otherBundles, ([id, what, differs], check) => [
    `put.${id}`,
    `${what} accepted and finalized.`,
    check === "shorter" && profile === "builds" ? ["put.shorter", "put.shorter-again"] : `put.${check}`,
    lenient(profile, differs)
  ]),
  ...(profile === "builds" ? againMutants : {}),
  "put.first-bytes-stay": [
    "A slot that accepted wrong bytes accepts the right ones, and the finalize after them is refused.",
    "put.right-after-wrong",
    firstBytesStay(profile)
  ],
  ...misusedMutants,
  "put.refused-for-good": [
    "A slot that has refused a PUT refuses every other.",
    "put.right-after-wrong",
    closedByRefusal
  ],
  ...otherSlotMutants(profile)
})
