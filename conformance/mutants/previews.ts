import { Effect } from "effect"
import type { HttpResponse, Json, KeyName } from "../session/Exchange.ts"
import {
  accountOf,
  by,
  eachOf,
  items,
  keyOf,
  members,
  reading,
  saying,
  toMutants,
  type Ask,
  type Call,
  type Fields,
  type Middleware,
  type MutantTable,
  type Row
} from "./Mutant.ts"
import {
  answer,
  asking,
  at,
  changingFields,
  continuing,
  foreignUrl,
  forUnownedResource,
  isDone,
  lacking,
  like,
  missing,
  otherSlots,
  refusing,
  withBody,
  type Missing,
  type Where
} from "./fronts.ts"
import { isObject } from "../dialect/Dialect.ts"
import {
  afterFinalizeMutants,
  choiceMutants,
  finalizerMutants,
  keyMutants,
  mistakeMutants,
  uploadMutants
} from "./everyResource.ts"
import { emptyFileMutants } from "./builds.ts"

/** What a reservation of a preview answers. */
const reserveMutants: MutantTable = {
  ...eachOf({ recording: "recordings", file: "files" } as const, (group, object) => [
    `reserve.third-${object}-without-slot`,
    `Only the first two ${group} of a preview have slots.`,
    "reserve.answer",
    otherSlots("previews", group, (slots) => slots.slice(0, 2))
  ]),
  ...lacking("slots", "A slot of a preview", at("previews.reserve"), {
    objectKey: "slots.object-key",
    contentType: "slots.content-type"
  })
}

/** Answers a reservation with the shareId of another account's preview of the same bundle. */
const byContent: Middleware = (ask) => {
  const known = new Map<unknown, readonly [account: unknown, shareId: Json | undefined]>()
  return (call) =>
    Effect.map(ask(call), (answered) => {
      if (call.endpoint !== "previews.reserve" || !isDone(answered)) return answered
      const { contentHash } = call.fields
      const [account, shareId] = known.get(contentHash) ?? []
      const fields = members(answered.json)
      if (shareId === undefined) known.set(contentHash, [accountOf(call), fields.shareId])
      return shareId === undefined || account === accountOf(call)
        ? answered
        : withBody(answered, { ...fields, shareId })
    })
}

/** Whose content and whose repository a preview may have. */
const groundMutants: MutantTable = {
  "reserve.by-content": [
    "The same bundle from two accounts is one preview.",
    ["reserve.same-content", "metadata.account"],
    byContent
  ],
  "reserve.foreign-granted": [
    "A preview of another account's repository is reserved.",
    "reserve.foreign-repository",
    asking(
      at("previews.reserve", (call, { config }) => {
        const { a, b } = config.accounts
        return call.fields.owner === b.linked.owner && accountOf(call) === "a" && a.linked.owner !== b.linked.owner
      }),
      (call, { config }) => saying(call, config.accounts.a.linked)
    )
  ]
}

const billedTo = (key: KeyName): Where =>
  at("previews.reserve", (call) => call.fields.billingKind === "test_run" && keyOf(call) === key)

/** The keys that lack one of the scopes for a billed preview, by the scope that they have. */
const insufficient: Readonly<Record<string, readonly [key: KeyName, lacked: string]>> = {
  "preview-upload": ["previewUpload", "test-runs"],
  "test-runs": ["testRuns", "preview-upload"],
  "two-without-test-runs": ["withoutTestRuns", "test-runs"],
  "two-without-preview-upload": ["withoutPreviewUpload", "preview-upload"]
}

/** Which scopes a key needs to reserve a preview that is billed as a test run. */
const billedMutants: MutantTable = {
  "billed.never": [
    "A preview that is billed as a test run is refused to a key with both scopes.",
    "billed.both-scopes",
    refusing(billedTo("all"))
  ],
  ...eachOf(insufficient, ([key, lacked], id) => [
    `billed.by-${id}`,
    `A preview that is billed as a test run is reserved by a key without \`${lacked.replace("-", "_")}\`.`,
    `billed.without-${lacked}`,
    asking(billedTo(key), (call) => by(call, accountOf(call) ?? "a"))
  ])
}

const finalize = at("previews.finalize")

const declares = (call: Call, name: "files" | "recordings"): boolean =>
  items(call.reservation?.call.fields[name]).length > 0

/** When finalize hosts a preview, and what it answers. */
const finalizeMutants: MutantTable = {
  ...lacking("finalize", "The answer to the finalize of a preview", finalize, { url: "finalize.hosted-url" }),
  "finalize.files-or-recordings": [
    "A preview that has both files and recordings is never hosted.",
    [
      "finalize.all-objects",
      "finalize.after-missing",
      "finalize.after-foreign",
      "finalize.early",
      "read.foreign",
      "key.read",
      "scope.read",
      "scope.suffices"
    ],
    refusing(at("previews.finalize", (call) => declares(call, "files") && declares(call, "recordings")))
  ]
}

/** Whether a finalize was refused for missing objects that are all such ones. */
const areMissing = (answer: HttpResponse, call: Call, such: (missing: Missing) => boolean): boolean => {
  const objects = missing(call)
  return !isDone(answer) && objects.length > 0 && objects.every(such)
}

/** Continues a finalize that was refused for missing objects that are all such ones as if it hosted the preview. */
const hostedIf =
  (such: (missing: Missing) => boolean) =>
  (refusal: HttpResponse, call: Call, ask: Ask): Effect.Effect<HttpResponse> =>
    areMissing(refusal, call, such)
      ? Effect.map(ask(reading(call, "previews.read", `/previews/${call.reservation?.id ?? ""}`)), ({ json }) =>
          answer(201, { ...members(json), status: "ready" })
        )
      : Effect.succeed(refusal)

/** Hosts a preview although such objects are missing. */
const unverified = (such: (missing: Missing) => boolean): Middleware => continuing(finalize, hostedIf(such))

const everyMissing = ["finalize.missing-bundle", "finalize.missing-file", "finalize.missing-recording"] as const

/** Hosts a preview after as many PUTs as it has objects, whichever they went to. */
const countingPuts: Middleware = (ask, ...host) => {
  const puts = new Map<string, number>()
  const hosting = continuing(
    at(
      "previews.finalize",
      ({ reservation }) => (puts.get(reservation?.id ?? "") ?? 0) >= (reservation?.putUrls.length ?? 0)
    ),
    hostedIf(() => true)
  )(ask, ...host)
  return (call) => {
    const { endpoint, reservation } = call
    if (endpoint === "put" && reservation !== undefined) puts.set(reservation.id, (puts.get(reservation.id) ?? 0) + 1)
    return hosting(call)
  }
}

const opened = (json: Json | undefined): Json =>
  isObject(json) ? { ...json, url: "http://reference.example/opens-it" } : (json ?? null)

/** The metadata of a preview that isn't hosted as it would read if it were. */
const asHosted = (fields: Fields): Fields => ({
  ...fields,
  status: "ready",
  bundle: opened(fields.bundle),
  files: items(fields.files).map(opened),
  recordings: items(fields.recordings).map(opened),
  readyAt: fields.createdAt
})

/** Shows a preview as hosted after its finalize was refused for missing objects. */
const hostedSilently: Middleware = (ask, target) => {
  const refused = new Set<Json | undefined>()
  const changed = changingFields(at("previews.read"), (fields) =>
    refused.has(fields.shareId) ? asHosted(fields) : fields
  )(ask, target)
  return (call) =>
    Effect.tap(changed(call), (answer) =>
      Effect.sync(
        () => finalize(call, target) && areMissing(answer, call, () => true) && refused.add(call.reservation?.id)
      )
    )
}

/** A preview is hosted before everything that was declared has arrived. */
const missingMutants: MutantTable = {
  ...eachOf({ bundle: 0, file: 1, recording: 2 }, (_, object) => [
    `finalize.without-${object}`,
    `A preview is hosted whose ${object} never arrived.`,
    `finalize.missing-${object}`,
    unverified((one) => one.object === object)
  ]),
  "finalize.first-file-alone": [
    "A preview is hosted when only the first of its files has arrived.",
    "finalize.missing-file",
    unverified(({ object, place }) => object === "file" && place > 0)
  ],
  "finalize.last-file-alone": [
    "A preview is hosted when only the last of its files has arrived.",
    "finalize.missing-file",
    unverified(({ object, place }) => object === "file" && place < 2)
  ],
  "finalize.last-object-alone": [
    "A preview is hosted when the last of its objects has arrived.",
    everyMissing,
    unverified(({ object, place }) => object !== "recording" || place < 2)
  ],
  "finalize.counts-puts": ["A preview is hosted after as many PUTs as it has objects.", everyMissing, countingPuts],
  "finalize.incomplete-done": [
    "The finalize of a preview with missing objects is refused, and the preview is hosted all the same.",
    everyMissing,
    hostedSilently
  ]
}

const read = at("previews.read")

/** Answers other metadata: `undefined` leaves a member out. */
const showing = (change: (fields: Fields) => Fields) =>
  changingFields(read, (fields) => ({ ...fields, ...change(fields) }))

/** The members of the metadata, with what each is, and the checks that report its absence where its own isn't alone. */
const parts: Readonly<Record<string, readonly [what: string, caughtBy?: Row[1]]>> = {
  url: ["hosted url of its own"],
  device: ["device details"],
  files: ["files", ["metadata.files", "metadata.every-file"]],
  recordings: ["recording artifacts", ["metadata.recordings", "metadata.every-recording"]],
  git: ["Git provenance"],
  account: ["account attribution"]
}

/** What the metadata of a hosted preview has. */
const metadataMutants: MutantTable = {
  ...eachOf(parts, ([what, caughtBy], name) => [
    `metadata.no-${name}`,
    `The metadata of a preview has no ${what}.`,
    caughtBy ?? `metadata.${name}`,
    showing(() => ({ [name]: undefined }))
  ]),
  "metadata.repository-alone": [
    "A reservation wants a repository, and the metadata tells that, and no account.",
    "metadata.account",
    (ask, ...host) =>
      refusing(like("previews.reserve", { owner: undefined }))(
        showing(() => ({ account: undefined }))(ask, ...host),
        ...host
      )
  ],
  "metadata.one-account": [
    "The metadata of every preview is attributed to one and the same account.",
    "metadata.account",
    showing(() => ({ account: { id: "1", name: "everybody" } }))
  ]
}

/** Who sees a preview. */
const visibilityMutants: MutantTable = {
  "read.foreign-url": [
    "The refusal of another account's preview shows its url.",
    "read.foreign",
    foreignUrl("previews.read", 403, "forbidden")
  ],
  "read.unknown-empty": [
    "A read of a preview that doesn't exist is answered 200 with an empty object.",
    "read.unknown",
    forUnownedResource(read, answer(200, {}))
  ]
}

const sequenceMutants: MutantTable = {
  "sequence.ten-objects": [
    "A preview has slots for no more than six files.",
    "sequence",
    changingFields(at("previews.reserve"), ({ slots, ...fields }) =>
      isObject(slots) ? { ...fields, slots: { ...slots, files: items(slots.files).slice(0, 6) } } : { ...fields, slots }
    )
  ]
}

/** Hosts with a fault in previews, in the order of the checks. */
export const previewMutants = toMutants(
  "previews",
  reserveMutants,
  groundMutants,
  emptyFileMutants("previews"),
  uploadMutants("previews"),
  finalizeMutants,
  missingMutants,
  finalizerMutants("previews"),
  afterFinalizeMutants("previews"),
  metadataMutants,
  visibilityMutants,
  billedMutants,
  sequenceMutants,
  keyMutants("previews"),
  mistakeMutants.previews,
  choiceMutants.previews
)
