/**
 * Drawn sequences of uploads of builds and of previews, and what a target must answer after each step. Everything that is
 * refused or foreign is tried in every state of an upload; after it, every row that the sequence knows is read again.
 */
import { Effect } from "effect"
import {
  Dialect,
  follow,
  Violation,
  type BuildInput,
  type Declared,
  type DeclaredFile,
  type DeclaredRecording,
  type Fields,
  type PreviewInput,
  type Reserved,
  type Row,
  type Slot
} from "../dialect/Dialect.ts"
import type { AccountName, HttpResponse, Credential, Json, Manner } from "../session/Exchange.ts"
import { Session, sha256, type NoResponse } from "../session/Session.ts"
import {
  attributionIn,
  availableIn,
  contradiction,
  contradictionOfObjects,
  holds,
  inManner,
  isNearRepository,
  isPlainName,
  keyText,
  makeDraw,
  makeRows,
  manners,
  mustHold,
  mustNotReveal,
  mustRefuse,
  nearRepositories,
  stepText,
  tolerantly,
  type OnStep,
  type Read,
  type Rows
} from "./model.ts"
import {
  atMost,
  drawSequence,
  plainWhat,
  recordingKinds,
  simpler,
  textOf,
  type Attempt,
  type Move,
  type Profile,
  type Sequence,
  type Stage,
  type What
} from "./drawnMoves.ts"
import {
  answered2xx,
  branch,
  buildInput,
  commitSha,
  declaredGroups,
  eachObject,
  isRefused,
  keyOf,
  mentions,
  previewInput,
  queryOf,
  Skipped,
  toChecks,
  type CheckTable
} from "./steps.ts"

type Step<A, E = Violation | NoResponse> = Effect.Effect<A, E, Session | Dialect>

/** A build by its identity, or a preview. */
interface Resource {
  readonly of: number
  readonly account: AccountName
  readonly fields: Fields
  /** Whether a target may refuse its fields. */
  readonly isOdd: boolean
  url?: string
  id?: string
  /** What nobody else may see of it. */
  readonly marks: Set<string>
  isReady: boolean
  /** Counts reservations and finalizes: its first reservation, and its last event. */
  first: number
  last: number
}

const other = (account: AccountName): AccountName => (account === "a" ? "b" : "a")

/** Near the branch of the first build. */
const nearFields = Effect.fnUntraced(function* (
  near: string,
  base: Fields,
  label: string,
  { account, longer }: Pick<Sequence, "account" | "longer">
) {
  const { accounts } = (yield* Session).config
  const long = `${String(base.branch)}/${"of-a-long-name-".repeat(20).slice(0, longer - 2)}`
  const [name, sha] = [String(base.branch), String(base.commitSha)]
  const digit = (one: string) => (one === "0" ? "1" : "0")
  const changes: Readonly<Record<string, Fields>> = {
    platform: { platform: base.platform === "ios" ? "android" : "ios" },
    commit: { commitSha: yield* commitSha(label) },
    "last digit": { commitSha: sha.slice(0, -1) + digit(sha.slice(-1)) },
    "first digit": { commitSha: digit(sha.slice(0, 1)) + sha.slice(1) },
    "longer branch": { branch: `${name}x` },
    "branch below": { branch: `${name}/x` },
    "long branch": { branch: `${long}1` },
    "long branch with another end": { branch: `${long}2` },
    "branch with _": { branch: `${name}_1` },
    "branch with -": { branch: `${name}-1` },
    "branch in capitals": { branch: name.toUpperCase() },
    "branch decomposed": { branch: name.normalize("NFD") === name ? `${name}2` : name.normalize("NFD") },
    "second repository": accounts[account].second ?? { commitSha: yield* commitSha(label) },
    "other account": accounts[other(account)].linked
  }
  return { account: near === "other account" ? other(account) : account, fields: { ...base, ...changes[near] } }
})

/** The sentences that a profile's steps are held to. */
const sentences = {
  builds: {
    reserve: "builds.transition.reserved",
    slots: "builds.reserve.response",
    put: "builds.put.each-slot",
    exact: "builds.put.exact-bytes",
    finalize: "builds.finalize.answer",
    ready: "builds.transition.ready",
    key: "auth.key-resolves",
    scope: "auth.scope-builds",
    account: "auth.finalize-same-account",
    read: "builds.read.same-shape"
  },
  previews: {
    reserve: "previews.transition.reserved",
    slots: "previews.reserve.slots",
    put: "previews.put.exact-bytes",
    exact: "previews.put.exact-bytes",
    finalize: "previews.finalize.answer",
    ready: "previews.transition.hosted",
    key: "auth.preview-key-resolves",
    scope: "auth.scope-previews",
    account: "auth.preview-finalize-same-account",
    read: "previews.read.groups"
  }
} as const

const declaredIn = ({ bundle, fields }: BuildInput): Fields => ({
  contentHash: bundle.content.sha256,
  bundleSizeBytes: bundle.content.bytes.byteLength,
  ...fields
})

/** Whether no dimension can be found in metadata. */
const isOddDevice = ({ fields: { deviceSpec } }: PreviewInput): boolean =>
  typeof deviceSpec !== "object" || Object.values(deviceSpec ?? {}).some((size) => Number(size) < 1)

const ownManners = manners.filter(({ chunked }) => chunked !== true)

/** The declared files and recordings by their names. */
const objectsOf = (input: BuildInput | PreviewInput): ReadonlyArray<readonly [name: string, Declared]> => [
  ...input.files.map((file) => [file.path, file] as const),
  ...("recordings" in input ? input.recordings.map((recording) => [recording.name, recording] as const) : [])
]

const shapeOf = (json: Json | undefined): string => {
  if (typeof json !== "object" || json === null) return json === null ? "null" : typeof json
  if (Array.isArray(json)) return `[${json.map((item: Json) => shapeOf(item)).join()}]`
  return `{${Object.entries(json)
    .map(([name, value]) => `${name}: ${shapeOf(value)}`)
    .toSorted()
    .join(", ")}}`
}

/** Carries out a sequence with resources of its own. */
const carryOut = (sequence: Sequence) =>
  Effect.fnUntraced(function* (moves: ReadonlyArray<Move>, attempt: number, onStep: OnStep) {
    const { account: owner, profile } = sequence
    const says = sentences[profile]
    const isBuild = profile === "builds"
    const dialect = yield* Dialect
    const session = yield* Session
    const { accounts } = session.config
    const rows: Rows = makeRows()
    let clock = 0
    let uploads = 0
    let lastBundle: BuildInput["bundle"] | undefined
    let readyStatus: string | undefined
    let showsEach: boolean | undefined
    /** Of what bundle of which build each previewUrl is, and how each account reads in metadata. */
    const previewUrls = new Map<string, { readonly of: number; readonly bundle: Json | undefined }>()
    const attributions = new Map<AccountName, string>()
    const name = `${yield* branch(`${attempt}`)}${sequence.odd}`
    const base: Fields = {
      ...accounts[owner].linked,
      branch: name,
      platform: sequence.platform,
      commitSha: yield* commitSha(`${attempt}`)
    }
    const nearby = yield* Effect.forEach(sequence.nears, (near) =>
      nearFields(near, base, `${attempt} ${near}`, sequence)
    )
    const identities = [{ account: owner, fields: base }, ...nearby]
    const resources: Array<Resource> = []

    const newResource = (of: number, account: AccountName, fields: Fields): Resource => {
      const said = String(fields.branch)
      const isOdd = /[^\w./-]/u.test(said) || said.length > 90
      const marks = new Set([String(fields.commitSha)])
      return { of, account, fields, isOdd, marks, isReady: false, first: 0, last: 0 }
    }
    const make = (of: number, account: AccountName, fields: Fields): Resource => {
      const one = newResource(of, account, fields)
      resources.push(one)
      return one
    }
    const keyFor = ({ account }: Resource, as: "all" | "scoped"): Credential =>
      as === "all" || account === "b" || session.config.scopedKeys === false
        ? keyOf(account)
        : keyOf("a", isBuild ? "builds" : "previewUpload")

    /** Builds of the same branch, platform and repository: which of them is the latest may change. */
    const isRelated = (one: Resource, two: Resource) =>
      ["owner", "repo", "branch", "platform"].every((field) => one.fields[field] === two.fields[field])
    const query = ({ fields }: Resource) =>
      queryOf({ fields, bundle: { content: session.content("", 1), contentType: "" }, files: [] })
    const readsOf = (one: Resource, as: Credential = keyOf(one.account)): ReadonlyArray<Read> => [
      ...(isBuild
        ? [
            {
              name: `the latest of build ${(resources.find((two) => isRelated(one, two)) ?? one).of + 1}`,
              send: dialect.latestBuild(query(one), as)
            }
          ]
        : []),
      ...(one.id === undefined
        ? []
        : [
            {
              name: `${isBuild ? "build" : "preview"} ${isBuild ? one.of + 1 : one.id}`,
              send: isBuild ? dialect.build(one.id, as) : dialect.preview(one.id, as)
            }
          ])
    ]
    const learn = Effect.fnUntraced(function* (some: ReadonlyArray<Resource>) {
      yield* rows.settle
      const reads = new Map(some.flatMap((one) => readsOf(one)).map((read) => [read.name, read]))
      for (const read of reads.values()) rows.learn(read, yield* read.send)
    })
    const related = (one: Resource) => resources.filter((two) => one === two || (isBuild && isRelated(one, two)))

    for (const [of, { account, fields }] of isBuild ? identities.entries() : [])
      yield* learn([make(of, account, fields)])

    const resourceOf = (of: number): Resource => {
      const found = resources[of]
      if (isBuild && found !== undefined) return found
      const { account, fields } = identities[of] ?? { account: owner, fields: base }
      return make(resources.length, account, fields)
    }

    const inputOf = Effect.fnUntraced(function* (one: Resource, what: What, as?: Credential) {
      const label = `${attempt}.${uploads++}`
      const { billingKind, bundleContentType, ...others } = what.fields
      // A billed one needs another scope, and a build isn't billed.
      const isBilled = !isBuild && (billingKind !== "test_run" || (typeof as === "object" && as.key === "all"))
      const fields = { ...others, ...(isBilled && billingKind !== undefined ? { billingKind } : {}) }
      const contentType = typeof bundleContentType === "string" ? bundleContentType : "text/javascript"
      const own = {
        content: session.content(`${label}.bundle`, what.bundleBytes, contentType.split(";")[0]),
        contentType
      }
      const bundle = what.isSame && lastBundle !== undefined ? lastBundle : own
      lastBundle = bundle
      const files = Array.from({ length: what.files }, (_, nth): DeclaredFile => {
        const size = what.fileBytes[nth] ?? 1 + (nth % 40)
        const odd = nth === Math.floor(what.files / 2) ? what.oddPath : ""
        const [named, number] = what.isSameNames ? [`${attempt}`, Math.floor(nth / 3)] : [`${label}.${nth}`, nth]
        return {
          path: `assets/${["img", "fonts/a", "js"][nth % 3]}/${session.unique(named).slice(0, 7)}-${number}${odd}.txt`,
          contentType: ["text/plain", "application/octet-stream", "text/plain; charset=utf-8"][nth % 3] ?? "text/plain",
          content: session.content(`${label}.file ${nth}`, size)
        }
      })
      const recordings = Array.from({ length: what.recordings }, (_, nth): DeclaredRecording => ({
        name: `step-${session.unique(`${label}.r${nth}`).slice(0, 7)}-${nth}.${nth % 2 === 0 ? "webm" : "log"}`,
        kind: recordingKinds[nth % 5] ?? "other",
        contentType: nth % 2 === 0 ? "video/webm" : "text/plain",
        content: session.content(`${label}.recording ${nth}`, 64 + nth, nth % 2 === 0 ? "video/webm" : "text/plain")
      }))
      for (const { content } of [bundle, ...files, ...recordings]) one.marks.add(content.sha256)
      for (const { path } of files) one.marks.add(path)
      for (const recording of recordings) one.marks.add(recording.name)
      const overrides = { account: one.account, bundle, files, recordings, fields: { ...one.fields, ...fields } }
      const input = isBuild ? yield* buildInput(label, overrides) : yield* previewInput(label, overrides)
      return { ...input, recordings } satisfies PreviewInput
    })

    const send = (input: PreviewInput, as: Credential) => {
      const { recordings: _, ...build } = input
      return isBuild ? dialect.reserveBuild(build, as) : dialect.reservePreview(input, as)
    }
    const finalize = (reserved: Pick<Reserved, "token" | "shareId">, as: Credential) =>
      isBuild ? dialect.finalizeBuild(reserved.token, as) : dialect.finalizePreview(reserved, as)

    /** Reserves, and judges the answer. Nothing where the target refuses what it may refuse. */
    const reserve = Effect.fnUntraced(function* (one: Resource, what: What, as: Credential, manner?: Manner) {
      const input = yield* inputOf(one, what, as)
      const answer = yield* tolerantly(says.reserve, send(input, as), manner)
      if ((what.isOdd || one.isOdd) && isRefused(answer)) return undefined
      yield* holds(
        says.reserve,
        answered2xx(answer),
        `A reservation of ${keyText(as)} returns 2xx.`,
        `It returned ${answer.status}.`
      )
      const reserved = yield* Effect.mapError(
        dialect.reserved(answer, input),
        ({ came, expected }) => new Violation({ expected: `${expected} [${says.slots}]`, came })
      )
      const urls = new Set(reserved.slots.map(({ putUrl }) => putUrl))
      const members = isBuild ? ["contentType"] : ["contentType", "objectKey"]
      const lacking = reserved.slots.findIndex(({ json }) => members.some((member) => typeof json[member] !== "string"))
      yield* holds(
        says.slots,
        urls.size === reserved.slots.length,
        "Each declared object has a slot of its own.",
        `${urls.size} URLs for ${reserved.slots.length} objects.`
      )
      yield* holds(
        says.slots,
        lacking < 0,
        `Each slot has ${members.join(" and ")}.`,
        `Slot ${lacking + 1} of ${reserved.slots.length}.`
      )
      if (isBuild) {
        yield* holds(
          says.slots,
          reserved.url !== undefined,
          "The reservation returns the url of the build.",
          answer.text
        )
        yield* holds(
          "builds.transition.same-identity",
          one.url === undefined || one.url === reserved.url,
          `The build keeps its url ${one.url ?? ""}.`,
          reserved.url
        )
        const twin = resources.find((two) => two !== one && two.url !== undefined && two.url === reserved.url)
        yield* holds("builds.transition.other-identity", twin === undefined, "Two builds have two urls.", reserved.url)
        if (reserved.url !== undefined) one.marks.add((one.url = reserved.url))
      } else {
        const { shareId } = reserved
        yield* holds(
          "previews.reserve.response",
          shareId !== undefined,
          "The reservation returns a shareId.",
          answer.text
        )
        const twin = resources.find((two) => two.id !== undefined && two.id === shareId)
        yield* holds("previews.reserve.response", twin === undefined, "Two previews have two shareIds.", shareId)
        if (shareId !== undefined) one.id = shareId
      }
      clock += 1
      yield* rows.touch
      one.first ||= clock
      one.last = clock
      yield* learn(related(one))
      if (isBuild && one.id === undefined) {
        // A target that shows a build before it is ready shows its id as well.
        const shown = yield* dialect
          .row(yield* dialect.latestBuild(query(one), keyOf(one.account)))
          .pipe(Effect.orElseSucceed(() => undefined))
        if (shown?.url === one.url && shown?.id !== undefined) one.id = shown.id
        if (one.id !== undefined) yield* learn([one])
      }
      return { input, reserved }
    })

    const put = Effect.fnUntraced(function* (slot: Slot, place: number, of: number, manner?: Manner) {
      const sending = dialect.put(slot, slot)
      const isPipelined = manner?.socket !== undefined
      let answer = yield* isPipelined ? inManner(sending, manner) : tolerantly(says.put, sending, manner)
      if (isPipelined && !answered2xx(answer)) answer = yield* sending
      const what = `A PUT of the ${slot.content.bytes.byteLength} declared bytes of object ${place + 1} of ${of}`
      yield* holds(says.put, answered2xx(answer), `${what} returns 2xx.`, `It returned ${answer.status} ${answer.text}`)
    })
    const putAll = Effect.fnUntraced(function* (
      reserved: Reserved,
      places: ReadonlyArray<number>,
      order: string,
      manner: Manner
    ) {
      const all = order === "backward" ? places.toReversed() : places
      const puts = all.map((place, nth) => {
        const slot = reserved.slots[place]
        const how: Manner = order === "pipelined" && nth === 0 ? { socket: "pipelined" } : manner
        return slot === undefined ? Effect.void : put(slot, place, reserved.slots.length, how)
      })
      yield* Effect.all(puts, { concurrency: order === "together" ? 8 : 1, discard: true })
    })

    /** Requires the row that a finalize or a read of a ready build answers. */
    const mustBeReady = Effect.fnUntraced(function* (one: Resource, row: Row, sentence: string, input: BuildInput) {
      const declared = declaredIn(input)
      yield* holds(sentence, row.url === one.url, `The row has the url ${one.url ?? ""} of the build.`, row.answer.text)
      yield* holds(
        sentence,
        row.previewUrl !== undefined,
        "The row of a ready build has a previewUrl.",
        row.answer.text
      )
      yield* holds(sentence, row.status !== undefined, "The row of a ready build has a status.", row.answer.text)
      const status = JSON.stringify(row.status)
      // A status may say more than a word.
      if (typeof row.status === "string") readyStatus ??= status
      yield* holds(
        sentence,
        typeof row.status !== "string" || status === readyStatus,
        `The row says ready as those before, ${readyStatus}.`,
        status
      )
      const wrong =
        contradiction(row.answer.json, declared) ?? contradictionOfObjects(row.answer.json, objectsOf(input))
      yield* holds(
        "builds.transition.same-identity",
        wrong === undefined,
        "The row is of the last upload of its build.",
        wrong
      )
      const { previewUrl = "" } = row
      const known = previewUrls.get(previewUrl)
      const isOwn = known === undefined || known.of === one.of || known.bundle === declared.contentHash
      yield* holds(sentence, isOwn, "Builds of two bundles have two values of previewUrl.", previewUrl)
      previewUrls.set(previewUrl, { of: one.of, bundle: declared.contentHash })
      for (const mark of [previewUrl, row.id]) if (mark !== undefined) one.marks.add(mark)
    })
    const rowOf = (answer: HttpResponse, sentence: string) =>
      Effect.mapError(
        dialect.row(answer),
        ({ came, expected }) => new Violation({ expected: `${expected} [${sentence}]`, came })
      )

    const mustReadBuild = Effect.fnUntraced(function* (one: Resource, input: BuildInput, as: Credential) {
      yield* rows.settle
      const [latest, byId] = readsOf(one, as)
      if (latest === undefined || byId === undefined) return
      const answer = yield* byId.send
      rows.learn(byId, answer)
      const row = yield* rowOf(answer, says.read)
      yield* mustBeReady(one, row, says.read, input)
      const rivals = related(one).filter((two) => two !== one)
      const isLatest = rivals.every((two) => two.last < one.first)
      const ofLatest = yield* latest.send
      rows.learn(latest, ofLatest)
      const { url } = yield* rowOf(ofLatest, "builds.latest.query")
      const isAny = [one, ...rivals].some((two) => two.url === url)
      yield* holds(
        "builds.latest.query",
        isLatest ? url === one.url : isAny,
        "The latest build of a branch is its last upload.",
        ofLatest.text
      )
      if (url === one.url) {
        const [expected, came] = [shapeOf(ofLatest.json), shapeOf(answer.json)]
        yield* holds(says.read, came === expected, `A build by its id has the shape of the latest, ${expected}.`, came)
        yield* mustBeReady(one, yield* rowOf(ofLatest, "builds.latest.answer"), "builds.latest.answer", input)
      }
      const isDefault = one.fields.platform === "ios" && isLatest
      const short = yield* dialect.latestBuild({ ...query(one), platform: undefined }, as)
      const shown = answered2xx(short)
        ? (yield* dialect.row(short).pipe(Effect.orElseSucceed(() => undefined)))?.url
        : undefined
      yield* holds(
        "builds.latest.query",
        isDefault ? shown === one.url : one.fields.platform === "ios" || shown !== one.url,
        "Without a platform, the latest build is that for iOS.",
        short.text
      )
    })

    const mustReadPreview = Effect.fnUntraced(function* (
      one: Resource,
      input: PreviewInput,
      url: string | undefined,
      as: Credential
    ) {
      yield* rows.settle
      const answer = yield* dialect.preview(one.id ?? "", as)
      for (const read of readsOf(one)) rows.learn(read, answer)
      yield* holds(
        says.read,
        answered2xx(answer),
        "A hosted preview is read by its account.",
        `${answer.status} ${answer.text}`
      )
      const row = yield* dialect.row(answer)
      const place = (text: string | undefined) => text?.split(/[?#]/)[0]
      yield* holds(
        "previews.metadata.groups",
        place(row.url) === place(url),
        `The metadata has the hosted url ${url ?? ""}.`,
        answer.text
      )
      const groups = eachObject(input)
      const missing = groups.find(({ marks }) => !mentions(answer, marks))
      // A target may show of them only how many there are.
      showsEach ??= groups.length === 0 ? undefined : missing === undefined
      yield* holds(
        says.read,
        showsEach !== true || missing === undefined,
        `The metadata has each of ${groups.length} objects, ${missing?.what ?? ""}, as that of other previews.`,
        answer.text.slice(0, 400)
      )
      const declared = (yield* declaredGroups(input)).filter(
        ({ check }) => check === "git" || !(one.isOdd || isOddDevice(input))
      )
      const lacking = declared.find(({ marks }) => !mentions(answer, marks))
      yield* holds(
        "previews.metadata.groups",
        lacking === undefined,
        `The metadata has ${lacking?.what ?? ""}, one of: ${lacking?.marks.join(", ") ?? ""}.`,
        answer.text.slice(0, 400)
      )
      const wrong =
        contradictionOfObjects(answer.json, objectsOf(input)) ?? contradiction(answer.json, declaredIn(input))
      yield* holds("previews.metadata.groups", wrong === undefined, "The metadata is of its own upload.", wrong)
      const at = session.config.bindings.answers.account
      const said = at === undefined ? attributionIn(answer.json) : (follow(answer.json, at) ?? null)
      const attribution = said === undefined ? undefined : JSON.stringify(said)
      if (attribution !== undefined) {
        const isOwn = [...attributions].every(
          ([account, known]) => (account === one.account) === (known === attribution)
        )
        yield* holds(
          "previews.metadata.groups",
          isOwn,
          `The metadata says whose it is, and of account ${one.account} the same as before.`,
          attribution
        )
        attributions.set(one.account, attribution)
      }
      const twin = resources.find((two) => two !== one && two.isReady && two.url === one.url)
      yield* holds("previews.finalize.hosted-url", twin === undefined, "Two previews have two hosted urls.", one.url)
    })

    /** Tries what must be refused, and requires that nothing changed. */
    const tryAll = Effect.fnUntraced(function* (
      one: Resource,
      some: ReadonlyArray<Attempt>,
      input: PreviewInput,
      made: Reserved | undefined,
      stage: Stage
    ) {
      const reserved = made ?? { token: "", shareId: undefined }
      const foreign = keyOf(other(one.account))
      const { linked: own, unlinked } = accounts[one.account]
      const ofOthers = resources.filter(({ account }) => account !== one.account)
      const sibling = { owner: one.fields.owner, repo: unlinked.repo }
      const theirs = accounts[other(one.account)].linked
      let last: { readonly sentence: string; readonly what: string } | undefined
      for (const { as = foreign, manner = {}, name, value } of some) {
        const [what, kind = ""] = name.split(".")
        const isKey = kind === "key"
        const sentence = isKey ? (typeof as === "string" ? says.key : says.scope) : undefined
        const platform = value === null ? { platform: undefined } : value === undefined ? {} : { platform: value }
        const near = isNearRepository(value)
          ? nearRepositories[value](own, session.unique("near").slice(0, 4))
          : undefined
        const repository = kind === "unlinked" ? unlinked : kind === "sibling" ? sibling : (near ?? {})
        if (near?.repo === own.repo && near.owner === own.owner) continue
        const reader = /^(?:unlinked|sibling|near)$/.test(kind) ? keyOf(one.account) : as
        const tokens: Readonly<Record<string, string>> = {
          long: session.unique("long token").repeat(20),
          unknown: session.unique("no token"),
          empty: ""
        }
        const json = { operation: value ?? null, token: reserved.token }
        const url = `${session.config.url}/api/v1/builds`
        const others: PreviewInput = { ...input, fields: { ...input.fields, ...repository } }
        const { owner: of, repo } = { owner: one.fields.owner ?? null, repo: one.fields.repo ?? null }
        const orders: Readonly<Record<string, Fields>> = {
          "own first": { owner: [theirs.owner, of], repo: [theirs.repo, repo] },
          "own last": { owner: [of, theirs.owner], repo: [repo, theirs.repo] },
          "other names": { org: theirs.owner, account: theirs.owner, repository: theirs.repo },
          own: { owner: theirs.owner, repo: theirs.repo },
          both: { owner: [theirs.owner, of], repo: [theirs.repo, repo], branch: one.fields.branch ?? null },
          id: { id: one.id ?? null, shareId: one.id ?? null, account: theirs.owner }
        }
        const more = orders[String(value)] ?? {}
        const known = one.id ?? ""
        const ids: Readonly<Record<string, string>> = {
          upper: known.toUpperCase(),
          shorter: known.slice(0, -1),
          encoded: encodeURIComponent(known)
        }
        const id = ids[String(value)] ?? known
        const all: Readonly<
          Record<string, readonly [sentence: string, send: Step<HttpResponse, NoResponse>, isNotFound?: boolean]>
        > = {
          "finalize.foreign": [says.account, finalize(reserved, foreign)],
          "finalize.key": [sentence ?? "", finalize(reserved, as)],
          "finalize.token": [
            isBuild ? "builds.finalize.operation" : says.ready,
            finalize({ ...reserved, token: tokens[String(value)] ?? "" }, keyOf(one.account))
          ],
          "finalize.operation": [
            "builds.finalize.operation",
            session.exchange({ method: "POST", url, as: keyOf(one.account), json })
          ],
          "finalize.missing": ["previews.finalize.verifies", finalize(reserved, keyOf(one.account))],
          "reserve.key": [sentence ?? "", send(others, as)],
          "reserve.foreign": ["builds.reserve.repository-belongs", send(others, foreign)],
          "reserve.unlinked": ["builds.reserve.repository-belongs", send(others, reader)],
          "reserve.sibling": ["builds.reserve.repository-belongs", send(others, reader)],
          "reserve.near": ["builds.reserve.repository-belongs", send(others, reader)],
          "reserve.billed": [
            "auth.scope-billed-previews",
            send({ ...input, fields: { ...input.fields, billingKind: "test_run" } }, as)
          ],
          "latest.key": [sentence ?? "", dialect.latestBuild(query(one), as)],
          "latest.foreign": [
            "builds.latest.not-linked",
            dialect.latestBuild({ ...query(one), ...platform }, foreign),
            true
          ],
          "latest.unlinked": [
            "builds.latest.not-linked",
            dialect.latestBuild({ ...query(one), ...repository, ...platform }, reader),
            true
          ],
          "latest.sibling": [
            "builds.latest.not-linked",
            dialect.latestBuild({ ...query(one), ...repository, ...platform }, reader),
            true
          ],
          "latest.near": [
            "builds.latest.not-linked",
            dialect.latestBuild({ ...query(one), ...repository }, reader),
            isPlainName(String(value))
          ],
          // Which of two values counts isn't said, so the other account may read its own repository.
          "latest.twice": ["auth.visibility", dialect.latestBuild({ ...query(one), ...more }, foreign)],
          "read.key": [sentence ?? "", isBuild ? dialect.build(id, as) : dialect.preview(id, as)],
          "read.foreign": isBuild
            ? ["builds.read.not-linked", dialect.build(id, foreign), typeof value !== "string"]
            : ["previews.read.own-only", dialect.preview(id, foreign)],
          "read.named": isBuild
            ? ["builds.read.not-linked", dialect.build(id, foreign, more)]
            : ["previews.read.own-only", dialect.preview(id, foreign, more)]
        }
        const found = all[name]
        const isLate = name === "finalize.missing" && stage > 2
        if (found === undefined || isLate || (what === "read" && one.id === undefined)) continue
        const [cited, sending, isNotFound] = found
        const text = `${stepText(name, { by: keyText(as), with: value === undefined ? undefined : JSON.stringify(value) }, manner)} at stage ${stage}`
        const answer = yield* inManner(sending, manner)
        if (kind !== "twice") yield* mustRefuse(cited, text, answer, manner, isNotFound)
        // A refusal may repeat what was asked for.
        const asked = JSON.stringify([what === "read" ? id : Object.values(query(one)), more])
        if (/^(?:read|latest)\./.test(name))
          yield* mustNotReveal(
            cited,
            text,
            answer,
            [...one.marks].filter((mark) => !asked.includes(mark) && !ofOthers.some(({ marks }) => marks.has(mark)))
          )
        yield* rows.touch
        last = { sentence: cited, what: text }
      }
      const manner = ownManners[(attempt + clock) % ownManners.length]
      if (last !== undefined) yield* rows.mustStay(last.sentence, last.what, manner)
    })
    const isFresh = ({ slots }: Reserved, place: number, { isSame }: What): boolean =>
      (slots[place]?.content.bytes.byteLength ?? 0) >= 64 && !(place === 0 && isSame)

    const uploadMove = Effect.fnUntraced(function* (move: Move & { readonly do: "upload" }) {
      const one = resourceOf(move.of)
      const as = keyFor(one, move.as)
      if (isBuild && one.first === 0)
        yield* tryAll(one, move.tries[0] ?? [], yield* inputOf(one, plainWhat), undefined, 0)
      const made = yield* reserve(one, move.what, as, move.manner)
      if (made === undefined) return
      const { input, reserved } = made
      const places = reserved.slots.map((_, place) => place)
      // Any object may be the one that comes last. A target may know bytes that it has stored before.
      const fresh = places.filter((place) => isFresh(reserved, place, move.what))
      const late = fresh[move.what.bundleBytes % fresh.length] ?? 0
      const tries = (stage: Stage) => {
        const some = (move.tries[stage] ?? []).filter(({ name }) => name !== "finalize.missing" || fresh.length > 0)
        return tryAll(one, some, input, reserved, stage)
      }
      yield* tries(1)
      yield* putAll(
        reserved,
        places.filter((place) => place !== late),
        move.order,
        move.manner
      )
      yield* tries(2)
      yield* putAll(reserved, [late], move.order, move.manner)
      yield* tries(3)
      const answer = yield* tolerantly(says.finalize, finalize(reserved, as), move.manner)
      const isRight = isBuild ? answer.status === 201 : answered2xx(answer)
      yield* holds(
        says.finalize,
        isRight,
        `The finalize of ${places.length} uploaded objects by ${keyText(as)} returns ${isBuild ? 201 : "2xx"}.`,
        `It returned ${answer.status} ${answer.text}`
      )
      const finalized = yield* rowOf(answer, says.finalize)
      clock += 1
      yield* rows.touch
      one.last = clock
      one.isReady = true
      if (isBuild) {
        const id = finalized.id
        if (id === undefined)
          return yield* new Skipped({
            reason: "No id of a build was found in its row: bind `answers.buildId` in the config."
          })
        yield* holds(
          "builds.transition.same-identity",
          one.id === undefined || one.id === id,
          `The build keeps its id ${one.id ?? ""}.`,
          id
        )
        const twin = resources.find((two) => two !== one && two.id === id)
        yield* holds("builds.transition.other-identity", twin === undefined, "Two builds have two ids.", id)
        one.id = id
        yield* mustBeReady(one, finalized, says.finalize, input)
        yield* mustReadBuild(one, input, as)
      } else {
        yield* holds(says.finalize, finalized.url !== undefined, "Finalize returns the hosted URL.", answer.text)
        if (finalized.url !== undefined) one.url = finalized.url
        yield* mustReadPreview(one, input, finalized.url, as)
      }
      yield* learn(related(one).filter((two) => two !== one))
      yield* tries(4)
    })

    const spoilMove = Effect.fnUntraced(function* ({
      manner,
      of,
      slot: nth,
      what,
      wrong
    }: Move & { readonly do: "spoil" }) {
      const one = resourceOf(of)
      const as = keyOf(one.account)
      const made = yield* reserve(one, what, as)
      if (made === undefined) return
      const { reserved } = made
      const fresh = reserved.slots.flatMap((_, place) => (isFresh(reserved, place, what) ? [place] : []))
      const place = fresh[nth % fresh.length] ?? -1
      const slot = reserved.slots[place]
      if (slot === undefined) return
      yield* putAll(
        reserved,
        reserved.slots.flatMap((_, at) => (at === place ? [] : [at])),
        "together",
        {}
      )
      const { byteLength } = slot.content.bytes
      const isCut = wrong === "aborted" || wrong === "short"
      const size =
        typeof wrong === "string"
          ? isCut
            ? byteLength
            : Math.ceil(byteLength / 2)
          : Math.abs(wrong) === 1
            ? byteLength + wrong
            : Math.round(byteLength * Math.abs(wrong))
      const bytes = slot.content.bytes.slice(0, size)
      const content = isCut
        ? slot.content
        : wrong === "range"
          ? { bytes, sha256: sha256(bytes) }
          : session.content(`${attempt}.wrong.${clock}`, size)
      const range = wrong === "range" ? { range: `bytes 0-${size - 1}/${byteLength}` } : {}
      if (!isCut && size === byteLength) return
      const sent = { contentType: slot.contentType, content, ...range }
      const answer = yield* inManner(dialect.put(slot, sent), isCut ? { socket: wrong } : manner)
      const text = `a PUT of ${isCut ? `${byteLength} bytes, ${wrong},` : `${size} of ${byteLength} bytes${wrong === "range" ? " with content-range" : ""}`} to object ${place + 1} of ${reserved.slots.length}`
      if (answered2xx(answer) || (isCut && !isBuild)) {
        const finalized = yield* finalize(reserved, as)
        const expected = `After ${text} the finalize is refused with 4xx, if the PUT isn't.`
        yield* holds(
          answered2xx(answer) ? says.exact : "previews.finalize.verifies",
          isRefused(finalized),
          expected,
          `It returned ${finalized.status}.`
        )
      } else {
        yield* holds(
          says.exact,
          isCut || wrong === "range" || isRefused(answer),
          `The refusal of ${text} is 4xx.`,
          `It returned ${answer.status}.`
        )
      }
      yield* learn(related(one))
      if (answered2xx(answer)) return
      yield* put(slot, place, reserved.slots.length)
      const finalized = yield* finalize(reserved, as)
      yield* holds(
        says.exact,
        answered2xx(finalized),
        `After ${text} was refused, the right bytes are finalized.`,
        `It returned ${finalized.status} ${finalized.text}`
      )
      const { id, url } = yield* rowOf(finalized, says.finalize)
      if (isBuild && id !== undefined) one.id ??= id
      if (!isBuild && url !== undefined) one.url = url
      clock += 1
      yield* rows.touch
      one.last = clock
      one.isReady = true
      yield* learn(related(one))
    })

    const together = { concurrency: "unbounded" } as const
    const raceMove = Effect.fnUntraced(function* ({ count, kind, of }: Move & { readonly do: "race" }) {
      const one = resourceOf(of)
      const as = keyOf(one.account)
      const what: What = { ...plainWhat, bundleBytes: 300, files: 1 }
      if (kind === "reserve" && isBuild) {
        const inputs = yield* Effect.forEach(Array.from({ length: count }), () => inputOf(one, what))
        const answers = yield* Effect.all(
          inputs.map((input) => send(input, as)),
          together
        )
        const urls = new Set<string | undefined>(one.url === undefined ? [] : [one.url])
        for (const [place, answer] of answers.entries()) {
          const input = inputs[place]
          if (answered2xx(answer) && input !== undefined) urls.add((yield* dialect.reserved(answer, input)).url)
        }
        const came = [...urls].join(" and ")
        yield* holds(
          "builds.transition.same-identity",
          urls.size <= 1,
          `${count} reservations of one build at once return one url.`,
          came
        )
        one.url ??= [...urls][0] ?? ""
        if (one.url === "") delete one.url
        clock += 1
        yield* rows.touch
        one.first ||= clock
        one.last = clock
        return yield* learn(related(one))
      }
      const made = yield* reserve(one, what, as)
      if (made === undefined) return
      const { reserved } = made
      yield* putAll(
        reserved,
        reserved.slots.map((_, place) => place),
        "together",
        {}
      )
      const callers = Array.from({ length: count }, (_, place) =>
        kind === "foreign" && place % 2 === 0 ? keyOf(other(one.account)) : as
      )
      const answers = yield* Effect.all(
        callers.map((caller) => finalize(reserved, caller)),
        together
      )
      const wrong = answers.find((answer, place) => callers[place] !== as && !isRefused(answer))
      yield* holds(
        says.account,
        wrong === undefined,
        "A finalize by the other account beside the right one is refused with 4xx.",
        wrong?.status
      )
      const done = answers.filter(answered2xx)
      const statuses = answers.map(({ status }) => status)
      yield* holds(says.finalize, done.length > 0, `One of ${count} finalizes at once is done.`, statuses)
      const rowsOf = yield* Effect.forEach(done, (answer) => rowOf(answer, says.finalize))
      const seen = new Set(rowsOf.map(({ id, url }) => (isBuild ? `${id ?? ""} at ${url ?? ""}` : url)))
      yield* holds(
        isBuild ? "builds.transition.same-identity" : says.ready,
        seen.size <= 1,
        `${count} finalizes of one token return one row.`,
        [...seen].join(" and ")
      )
      const [first] = rowsOf
      if (first?.id !== undefined && isBuild) {
        yield* holds(
          "builds.transition.same-identity",
          one.id === undefined || one.id === first.id,
          `The build keeps its id ${one.id ?? ""}.`,
          first.id
        )
        one.id = first.id
      }
      if (first?.url !== undefined) one.url = first.url
      clock += 1
      yield* rows.touch
      one.last = clock
      one.isReady = true
      yield* learn(related(one))
    })

    const againMove = Effect.fnUntraced(function* ({ count, isOfCommits, of }: Move & { readonly do: "again" }) {
      const first = resourceOf(of)
      for (let time = 0; time < count; time++) {
        const isLast = time === count - 1
        const fields = isOfCommits
          ? { ...first.fields, commitSha: yield* commitSha(`${attempt}.again ${uploads}`) }
          : {}
        const one = isOfCommits ? (isLast ? make : newResource)(resources.length, first.account, fields) : first
        const as = keyFor(one, time % 2 === 0 ? "all" : "scoped")
        const input = yield* inputOf(one, { ...plainWhat, bundleBytes: 100 + time })
        const answer = yield* send(input, as)
        if (one.isOdd && isRefused(answer)) return
        const reserved = yield* dialect.reserved(answer, input)
        const text = `Upload ${time + 1} of ${count}`
        const twin = resources.find((two) => two !== one && two.url !== undefined && two.url === reserved.url)
        const isOwn = one.url === undefined || reserved.url === one.url
        yield* holds("builds.transition.same-identity", isOwn, `${text} keeps the url ${one.url ?? ""}.`, reserved.url)
        yield* holds("builds.transition.other-identity", twin === undefined, "Two builds have two urls.", reserved.url)
        if (reserved.url !== undefined) one.url = reserved.url
        yield* putAll(reserved, [0], "forward", {})
        const row = yield* rowOf(yield* finalize(reserved, as), says.finalize)
        const isSameId = one.id === undefined || row.id === one.id
        yield* holds("builds.transition.same-identity", isSameId, `${text} keeps the id ${one.id ?? ""}.`, row.id)
        if (row.id !== undefined) one.id = row.id
        clock += 1
        yield* rows.touch
        one.first ||= clock
        one.last = clock
        one.isReady = true
        yield* mustBeReady(one, row, says.finalize, input)
        if (isLast) yield* mustReadBuild(one, input, as)
      }
      yield* learn(related(first))
    })

    for (const [place, move] of moves.entries()) {
      if (!(yield* onStep(place, rows.count()))) continue
      if (move.do === "upload") yield* uploadMove(move)
      else if (move.do === "again") yield* againMove(move)
      else if (move.do === "spoil") yield* spoilMove(move)
      else yield* raceMove(move)
    }
  })

/** How many checks share the values of one run, and how many uploads each has. */
const places = 4
const uploadsOf = { builds: 7, previews: 7 } as const
const maxRequests = { builds: 414, previews: 245 } as const

const drawnCheck = (profile: Profile, place: number): CheckTable => ({
  [`${profile}.drawn.${place + 1}`]: {
    title: `Drawn uploads of ${profile}, ${place + 1} of ${places}: whatever came before, each answers as the interface says, and what is refused changes nothing.`,
    cost: { requests: maxRequests[profile], bytes: 6_000_000 },
    *run() {
      const { config, runId } = yield* Session
      for (let round = 0; round < (config.thorough === true ? 10 : 1); round++) {
        const draw = makeDraw(`${runId} ${profile} ${round}`, place, places)
        const sequence = drawSequence(draw, profile, availableIn(config), uploadsOf[profile])
        const steps = sequence.moves
        yield* mustHold({
          steps,
          // Before the first step, the latest build of four branches is read.
          most: maxRequests[profile] - 4,
          atMost,
          carryOut: (some, attempt, onStep) => carryOut(sequence)(some, round * 1000 + attempt, onStep),
          text: textOf(sequence),
          simpler
        })
      }
    }
  }
})

const all = Array.from({ length: places }, (_, place) => place)

export const drawnUploadChecks = {
  builds: toChecks(...all.map((place) => drawnCheck("builds", place))),
  previews: toChecks(...all.map((place) => drawnCheck("previews", place)))
}
