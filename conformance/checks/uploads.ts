import { Effect } from "effect"
import {
  Dialect,
  must,
  Violation,
  type Declared,
  type DeclaredFile,
  type Reserved,
  type Slot
} from "../dialect/Dialect.ts"
import type { HttpResponse, Content, Credential, KeyName, Tamper } from "../session/Exchange.ts"
import { Session, type NoResponse } from "../session/Session.ts"
import {
  a,
  answered2xx,
  b,
  buildInput,
  bundle,
  bundleSizeBytes,
  fileSizeBytes,
  finalizePreview,
  hostedPreview,
  hostedRow,
  isRefused,
  keyOf,
  mustAnswer,
  mustNotFail,
  mustShow,
  mustStillWait,
  ownFile,
  previewInput,
  recordingSizeBytes,
  queryOf,
  readLatest,
  readyBuild,
  readyRow,
  refuses,
  reserveBuild,
  reservePreview,
  settled,
  Skipped,
  standing,
  unusual,
  unusualCost,
  uploadAll,
  uploadedBuild,
  uploadedPreview,
  visible,
  type CheckTable
} from "./steps.ts"
import { gzipOf } from "../session/fileKinds.ts"
import { canTamper } from "../session/tamper.ts"

type Step<A, E = Violation | NoResponse> = Effect.Effect<A, E, Session | Dialect>

/** What is uploaded: a bundle alone, or also files and other values. */
type Kind = "usual" | "unusual"

/** Reserve, upload and finalize, as a build or as a preview. */
interface Flow {
  readonly profile: "builds" | "previews"
  readonly reserve: (kind?: Kind) => Step<Reserved>
  readonly finalize: (reserved: Reserved, as?: Credential) => Step<HttpResponse, NoResponse>
  /** Requires what the finalize of a complete upload answers. */
  readonly finalized: (answer: HttpResponse) => Step<unknown>
  /** Reserves and uploads. `mustWait` requires that it still reads as it did before any finalize. */
  readonly uploaded: (kind?: Kind) => Step<{ readonly reserved: Reserved; readonly mustWait: Step<void> }>
  /** Reserves, uploads and finalizes. `mustStay` requires that it still reads as it did then; `what` is what was done. */
  readonly ready: (
    kind?: Kind
  ) => Step<{ readonly reserved: Reserved; readonly mustStay: (what: string) => Step<void> }>
}

const overrides = (kind: Kind = "usual") => (kind === "usual" ? Effect.succeed({}) : unusual("upload"))

export const buildFlow: Flow = {
  profile: "builds",
  reserve: Effect.fnUntraced(function* (kind) {
    return (yield* reserveBuild("upload", yield* overrides(kind))).reserved
  }),
  finalize: ({ token }, as = { account: "a", key: "all" }) =>
    Dialect.use((dialect) => dialect.finalizeBuild(token, as)),
  finalized: readyRow,
  uploaded: (kind) => Effect.flatMap(overrides(kind), (some) => uploadedBuild("upload", some)),
  ready: Effect.fnUntraced(function* (kind) {
    const { input, reserved } = yield* readyBuild("upload", yield* overrides(kind))
    const latest = readLatest(queryOf(input))
    const before = yield* settled(visible(latest))
    yield* must(before.found, "A ready build is read as the latest of its branch.", "It was not found.")
    return { reserved, mustStay: (what) => mustShow(latest, before, `${what} leaves the build as it was.`) }
  })
}

export const previewFlow: Flow = {
  profile: "previews",
  reserve: Effect.fnUntraced(function* (kind) {
    return (yield* reservePreview("upload", yield* overrides(kind))).reserved
  }),
  finalize: finalizePreview,
  finalized: hostedRow,
  uploaded: Effect.fnUntraced(function* (kind) {
    const { reserved, shareId } = yield* uploadedPreview("upload", yield* overrides(kind))
    const before = yield* standing(shareId)
    return { reserved, mustWait: mustStillWait(shareId, before, finalizePreview(reserved)) }
  }),
  ready: Effect.fnUntraced(function* (kind) {
    const { reserved, shareId } = yield* hostedPreview("upload", yield* overrides(kind))
    const before = yield* standing(shareId)
    const mustStay = Effect.fnUntraced(function* (what: string) {
      const now = yield* standing(shareId)
      yield* must(now === before, `${what} leaves the hosted preview as it was.`, "Its metadata changed.")
    })
    return { reserved, mustStay }
  })
}

/** The slot of the bundle. */
const bundleSlot = ({ slots: [slot] }: Pick<Reserved, "slots">): Effect.Effect<Slot, Violation> =>
  slot === undefined
    ? new Violation({ expected: "The reservation has a slot for the bundle.", came: "It had none." })
    : Effect.succeed(slot)

const nouns = {
  builds: { one: "build", ready: "ready build" },
  previews: { one: "preview", ready: "hosted preview" }
} as const

/** The cost of a check that uploads what is unusual. */
const more = (profile: Flow["profile"], requests: number, bytes: number) => ({
  requests: requests + unusualCost[profile].requests,
  bytes: bytes + unusualCost[profile].bytes
})

const foreign = "A finalize by another account than the one that reserved"

/** Only the account that reserved may finalize. */
export const foreignFinalizeChecks = ({ finalize, profile, uploaded }: Flow): CheckTable => ({
  [`${profile}.finalize.foreign-account`]: {
    title: `A ${nouns[profile].one} finalized by another account's key is refused and stays as it was.`,
    cost: { requests: 5, bytes: bundleSizeBytes },
    *run() {
      const { mustWait, reserved } = yield* uploaded()
      yield* refuses(finalize(reserved, b), foreign, `${profile}.finalize.foreign-account`)
      yield* mustWait
    }
  }
})

/** A token finalizes only where its kind of upload is finalized, and again after it was refused too early. */
export const tokenChecks = (
  { finalize, finalized, profile, reserve, uploaded }: Flow,
  other: Flow,
  scoped: KeyName
): CheckTable => ({
  [`${profile}.finalize.elsewhere`]: {
    title: `The token of a ${nouns[profile].one} is refused at the finalize of ${other.profile}.`,
    cost: more(profile, 6, bundleSizeBytes),
    *run() {
      const { mustWait, reserved } = yield* uploaded("unusual")
      const what = `The token of a ${nouns[profile].one} at the finalize of ${other.profile}`
      const token = { ...reserved, shareId: reserved.shareId ?? reserved.token }
      for (const as of [a, keyOf("a", scoped)]) {
        yield* refuses(other.finalize(token, as), what, `${profile}.finalize.elsewhere`)
      }
      yield* mustWait
    }
  },
  [`${profile}.finalize.early`]: {
    title: `A finalize that is refused before the upload is complete leaves the token good for the complete one.`,
    cost: more(profile, 4, bundleSizeBytes),
    *run() {
      const reserved = yield* reserve("unusual")
      // Whether it is refused, other checks tell.
      if (!isRefused(yield* finalize(reserved))) return
      yield* uploadAll(reserved)
      const answer = yield* finalize(reserved)
      yield* mustAnswer(answer, "The finalize after one that was too early")
      yield* finalized(answer)
    }
  }
})

/** Nothing may change what is finalized already. */
export const afterFinalizeChecks = ({ finalize, profile, ready }: Flow): CheckTable => ({
  [`${profile}.finalize.again`]: {
    title: `A second finalize with the same token leaves the ${nouns[profile].ready} as it is.`,
    cost: { requests: 6, bytes: bundleSizeBytes },
    *run() {
      const session = yield* Session
      const { mustStay, reserved } = yield* ready()
      const { status } = yield* finalize(reserved)
      yield* session.observe(`${profile}.finalize.again.status`, status)
      yield* mustStay("A second finalize")
    }
  },
  [`${profile}.put.after-finalize`]: {
    title: `A PUT after finalize leaves the ${nouns[profile].ready} as it is.`,
    // Each of the other slots gets a late PUT as well.
    cost: more(profile, 6 + unusualCost[profile].requests, 2 * bundleSizeBytes + unusualCost[profile].bytes),
    *run() {
      const dialect = yield* Dialect
      const session = yield* Session
      const { mustStay, reserved } = yield* ready("unusual")
      for (const [place, slot] of reserved.slots.entries()) {
        const late = { ...slot, content: session.content("late", slot.content.bytes.byteLength, slot.contentType) }
        const { status } = yield* dialect.put(slot, late)
        if (place === 0) yield* session.observe(`${profile}.put.after-finalize.status`, status)
      }
      yield* mustStay("A PUT after finalize")
    }
  }
})

/** A token no longer finalizes once the life has passed that the config tells. */
const expiredChecks = ({ finalize, profile, reserve, uploaded }: Flow): CheckTable => ({
  [`${profile}.put.expired`]: {
    title: "A PUT after the life of its URL, where the config tells it, is refused.",
    cost: { requests: 2, bytes: bundleSizeBytes },
    *run() {
      const dialect = yield* Dialect
      const { config, wait } = yield* Session
      if (config.putUrlLifeMs === undefined) {
        return yield* new Skipped({ reason: "The lifetime of a putUrl is set as `putUrlLifeMs`." })
      }
      const slot = yield* bundleSlot(yield* reserve())
      yield* wait(config.putUrlLifeMs)
      yield* refuses(dialect.put(slot, slot), "A PUT after the life of its URL", `${profile}.put.expired`)
    }
  },
  [`${profile}.finalize.expired`]: {
    title: "A finalize after the life of its token, where the config tells it, is refused and changes nothing.",
    cost: { requests: 5, bytes: bundleSizeBytes },
    *run() {
      const session = yield* Session
      const { tokenLifeMs } = session.config
      if (tokenLifeMs === undefined) {
        return yield* new Skipped({ reason: "The lifetime of a token is set as `tokenLifeMs`, or by --token-life." })
      }
      const { mustWait, reserved } = yield* uploaded()
      yield* session.wait(tokenLifeMs)
      yield* refuses(finalize(reserved), "A finalize after the life of its token", `${profile}.finalize.expired`)
      yield* mustWait
    }
  }
})

/** How many bytes gzip adds to what it stores as it is. */
const addedBytes = 23

/**
 * The digest is that of the uncompressed bundle, so a target may accept a compressed one, or may compare the digest
 * with the received bytes. Its behavior is recorded.
 */
const gzipChecks = ({ finalize, profile }: Flow): CheckTable => ({
  [`${profile}.mistakes.gzip`]: {
    title: "A bundle that comes in gzip, its digest that of the uncompressed one, doesn't return 5xx.",
    cost: { requests: 3, bytes: bundleSizeBytes + addedBytes },
    *run() {
      const dialect = yield* Dialect
      const { content } = yield* Session
      const contentType = "text/javascript"
      const { bytes, sha256 } = content("bundle", bundleSizeBytes, contentType)
      const bundle = { content: { bytes: gzipOf(bytes), sha256 }, contentType }
      const input = yield* previewInput("upload", { bundle })
      const answer =
        profile === "builds" ? yield* dialect.reserveBuild(input, a) : yield* dialect.reservePreview(input, a)
      yield* mustNotFail(profile, "gzip.reserve", answer)
      if (!answered2xx(answer)) return
      const reserved = yield* dialect.reserved(answer, input)
      for (const slot of reserved.slots) yield* mustNotFail(profile, "gzip.put", yield* dialect.put(slot, slot))
      yield* mustNotFail(profile, "gzip.finalize", yield* finalize(reserved))
    }
  }
})

/** A file of no bytes has a slot as every other, unless the reservation is refused. */
const empty = ({ finalize, profile }: Flow): CheckTable => ({
  [`${profile}.files.empty`]: {
    title: "A declared file of no bytes has a slot, and takes its PUT, unless the reservation is refused.",
    cost: { requests: 5, bytes: bundleSizeBytes + fileSizeBytes },
    *run() {
      const dialect = yield* Dialect
      const { content, observe } = yield* Session
      const nothing: DeclaredFile = {
        path: "assets/empty.txt",
        contentType: "text/plain",
        content: content("nothing", 0)
      }
      const files = [nothing, yield* ownFile("upload")]
      const isBuild = profile === "builds"
      const input = isBuild ? yield* buildInput("upload", { files }) : yield* previewInput("upload", { files })
      const answer = isBuild
        ? yield* dialect.reserveBuild(input, a)
        : yield* dialect.reservePreview({ ...input, recordings: [] }, a)
      yield* observe(`${profile}.files.empty.status`, answer.status)
      if (isRefused(answer)) return
      const reserved = yield* dialect.reserved(answer, input)
      yield* uploadAll(reserved)
      yield* mustAnswer(yield* finalize(reserved), "The finalize of an upload with a file of no bytes")
    }
  }
})

/** How many bytes a large bundle has: more than fits a buffer that is meant for JSON, or a part of an upload. */
const largeBytes = 16 * 1024 ** 2 + 1

/** A bundle of several MiB is uploaded as every other, unless the reservation is refused as too large. */
const large = ({ finalize, profile }: Flow): CheckTable => ({
  [`${profile}.put.large`]: {
    title: "A bundle of more than 16 MiB is uploaded and finalized, unless the reservation is refused.",
    cost: { requests: 3, bytes: largeBytes },
    *run() {
      const dialect = yield* Dialect
      const { content, observe } = yield* Session
      const contentType = "text/javascript"
      const bundle = { content: content("large.bundle", largeBytes, contentType), contentType }
      const input = yield* previewInput("upload", { bundle })
      const answer =
        profile === "builds" ? yield* dialect.reserveBuild(input, a) : yield* dialect.reservePreview(input, a)
      yield* observe(`${profile}.put.large.status`, answer.status)
      if (isRefused(answer)) return
      const reserved = yield* dialect.reserved(answer, input)
      yield* uploadAll(reserved)
      yield* mustAnswer(yield* finalize(reserved), "The finalize of a bundle of more than 16 MiB")
    }
  }
})

/** What of the uploads beside small bundles is held to. */
const otherSlotChecks = (flow: Flow): CheckTable => ({ ...empty(flow), ...large(flow) })

/** A URL that was signed for PUT must be refused with every other method. */
const otherMethod = ({ finalize, profile, reserve }: Flow, method: "GET" | "POST" | "DELETE"): CheckTable => ({
  [`${profile}.put.as-${method.toLowerCase()}`]: {
    title: `A ${method} of a URL that was signed for PUT is refused.`,
    cost: { requests: { GET: 4, POST: 2, DELETE: 3 }[method], bytes: bundleSizeBytes },
    *run() {
      const { exchange } = yield* Session
      const reserved = yield* reserve()
      const slot = yield* bundleSlot(reserved)
      // Uploaded first, so that there is an object to get and to delete. A POST may store what a slot takes only once.
      if (method !== "POST") yield* uploadAll(reserved)
      if (method === "GET") yield* finalize(reserved)
      const attempt = exchange({
        method,
        url: slot.putUrl,
        as: "none",
        headers: { "content-type": slot.contentType },
        ...(method === "POST" ? { content: slot.content } : {})
      })
      const what = `A ${method} of a URL that was signed for PUT`
      yield* refuses(attempt, what, `${profile}.put.as-${method.toLowerCase()}`)
    }
  }
})

interface Alteration {
  /** Completes "A PUT to a URL …". */
  readonly text: string
  /** What is PUT: exactly what the altered URL seems to allow. */
  readonly sent: (
    slot: Slot,
    content: (label: string, sizeBytes: number, contentType: string) => Content
  ) => { readonly contentType: string; readonly content: Content }
}

/** How many bytes the session adds to the length in a URL. */
export const lengthened = 3600

/** The content type that the session writes into a URL. */
export const otherType = "text/html"

const asDeclared: Alteration["sent"] = ({ content, contentType }) => ({ content, contentType })

const alterations: Readonly<Record<Tamper, Alteration>> = {
  signature: { text: "with another signature", sent: asDeclared },
  key: { text: "with the key of another object", sent: asDeclared },
  expiry: { text: "with a later end", sent: asDeclared },
  type: { text: "with another content type", sent: ({ content }) => ({ content, contentType: otherType }) },
  length: {
    text: "with another length",
    sent: ({ contentType }, content) => ({
      contentType,
      content: content("longer", bundleSizeBytes + lengthened, contentType)
    })
  }
}

const alteredUrl = ({ profile, reserve }: Flow, tamper: Tamper): CheckTable => ({
  [`${profile}.put.altered-${tamper}`]: {
    title: `A PUT to a URL ${alterations[tamper].text} than it was given is refused.`,
    cost: { requests: 2, bytes: bundleSizeBytes + (tamper === "length" ? lengthened : 0) },
    *run() {
      const dialect = yield* Dialect
      const session = yield* Session
      const { slots } = yield* reserve("unusual")
      const slot = yield* bundleSlot({ slots })
      const paths = new Set(slots.map(({ putUrl }) => putUrl.split("?")[0]))
      // Where all objects have one path, the query says which is meant.
      if (tamper === "key" && paths.size === 1) return
      if (!canTamper(slot.putUrl, tamper, session.config.bindings.uploadUrl)) {
        return yield* new Skipped({
          reason: `The URL has no known parameter for its ${tamper}; name one of another name in \`bindings.uploadUrl.${tamper}\`.`
        })
      }
      const { sent, text } = alterations[tamper]
      const attempt = dialect.put(slot, { ...sent(slot, session.content), tamper })
      yield* refuses(attempt, `A PUT to a URL ${text}`, `${profile}.put.altered-${tamper}`)
    }
  }
})

/** How many bytes the last object has of what is unusual. */
const lastBytes = { builds: fileSizeBytes, previews: recordingSizeBytes } as const

/** A presigned URL must accept only the PUT that it was signed for. */
const signedUrlChecks = (flow: Flow): CheckTable => ({
  ...otherMethod(flow, "GET"),
  ...otherMethod(flow, "POST"),
  ...otherMethod(flow, "DELETE"),
  ...alteredUrl(flow, "signature"),
  ...alteredUrl(flow, "key"),
  ...alteredUrl(flow, "expiry"),
  ...alteredUrl(flow, "type"),
  ...alteredUrl(flow, "length"),
  [`${flow.profile}.put.unsigned`]: {
    title: "A PUT to a presigned URL without its query, and so without a signature, is refused.",
    cost: { requests: 3, bytes: bundleSizeBytes + lastBytes[flow.profile] },
    *run() {
      const dialect = yield* Dialect
      const { slots } = yield* flow.reserve("unusual")
      for (const { putUrl, ...sent } of [slots.at(0), slots.at(-1)].flatMap((slot) => slot ?? [])) {
        const [place = putUrl, query] = putUrl.split("?")
        // A URL that is signed in its path has no query to leave out.
        if (query === undefined) return
        const what = "A PUT without a signature"
        yield* refuses(dialect.put({ putUrl: place }, sent), what, `${flow.profile}.put.unsigned`)
      }
    }
  },
  [`${flow.profile}.put.other-signature`]: {
    title: "A PUT to the URL of one object with the signature of another one is refused.",
    cost: { requests: 2, bytes: bundleSizeBytes },
    *run() {
      const dialect = yield* Dialect
      const { slots } = yield* flow.reserve("unusual")
      const [{ putUrl, ...sent } = yield* bundleSlot({ slots }), other] = [slots[0], slots[1]]
      const [[place = ""], [, query]] = [putUrl.split("?"), other?.putUrl.split("?") ?? []]
      // Without a path of its own, the query says which object is meant.
      if (query === undefined || other?.putUrl.startsWith(`${place}?`) === true) return
      const attempt = dialect.put({ putUrl: `${place}?${query}` }, sent)
      yield* refuses(attempt, "A PUT with the signature of another object", `${flow.profile}.put.other-signature`)
    }
  }
})

/** A PUT of something else than was declared. */
interface WrongPut {
  readonly name: string
  /** Completes "A PUT …". */
  readonly text: string
  readonly sizeBytes: number
  readonly sent: (slot: Slot, content: (label: string, sizeBytes: number, contentType: string) => Content) => Declared
}

const ofOtherContent = (name: string, text: string, sizeBytes: number): WrongPut => ({
  name,
  text,
  sizeBytes,
  sent: ({ contentType }, content) => ({ contentType, content: content(name, sizeBytes, contentType) })
})

/** The PUTs whose headers already show that they are wrong. */
const mismatches: ReadonlyArray<WrongPut> = [
  ofOtherContent("shorter", "of one byte less than was declared", bundleSizeBytes - 1),
  ofOtherContent("empty", "of no bytes", 0),
  ofOtherContent("longer", "of one byte more than was declared", bundleSizeBytes + 1),
  {
    name: "other-type",
    text: "with another content type than the slot's",
    sizeBytes: bundleSizeBytes,
    sent: ({ content }) => ({ content, contentType: "text/html" })
  }
]

const otherBytes = ofOtherContent("other-bytes", "of as many other bytes as were declared", bundleSizeBytes)

const wrongPut = (
  { finalize, profile, reserve }: Flow,
  { name, sent, sizeBytes, text }: WrongPut,
  before = { requests: 0, bytes: 0 }
): CheckTable => ({
  [`${profile}.put.${name}`]: {
    title: `A PUT ${text} is refused, or the finalize after it is.`,
    cost: { requests: 3 + before.requests, bytes: sizeBytes + before.bytes },
    *run() {
      const dialect = yield* Dialect
      const session = yield* Session
      const reserved = yield* reserve()
      const slot = yield* bundleSlot(reserved)
      const put = yield* dialect.put(slot, sent(slot, session.content))
      yield* session.observe(`${profile}.put.${name}.status`, put.status)
      if (isRefused(put)) return
      yield* mustAnswer(put, `A PUT ${text}, unless it is refused with 4xx,`)
      const finalized = yield* finalize(reserved)
      yield* must(
        isRefused(finalized),
        `A PUT ${text} is refused with 4xx, or the finalize after it is.`,
        `The PUT returned ${put.status} and the finalize ${finalized.status}.`
      )
    }
  }
})

/** The bytes of a PUT must be exactly the declared ones. */
const wrongPutChecks = (flow: Flow): CheckTable =>
  Object.fromEntries([...mismatches, otherBytes].flatMap((wrong) => Object.entries(wrongPut(flow, wrong))))

/** Reserves the update of a ready build, with another bundle. */
const reserveUpdate = Effect.gen(function* () {
  yield* readyBuild("upload")
  return (yield* reserveBuild("upload", { bundle: yield* bundle("update") })).reserved
})

/** What becomes a ready build is verified as what becomes a new one. */
export const updateChecks: CheckTable = wrongPut(
  { ...buildFlow, reserve: () => reserveUpdate },
  { ...otherBytes, name: "other-bytes-of-update", text: `${otherBytes.text} for the update of a ready build` },
  { requests: 3, bytes: bundleSizeBytes }
)

/** What the slots of a build or of a preview accept and refuse. */
export const uploadChecks = (flow: Flow): CheckTable => ({
  ...wrongPutChecks(flow),
  ...signedUrlChecks(flow),
  ...otherSlotChecks(flow),
  ...gzipChecks(flow),
  ...expiredChecks(flow)
})
