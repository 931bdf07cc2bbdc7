/**
 * Drawn sequences of uploads of builds and of previews, and what a target must answer after each step. Everything that is
 * refused or foreign is tried in every state of an upload; after it, every row that the sequence knows is read again.
 */
import { Effect } from "effect"
import type { Config } from "../config/Config.ts"
import {
  Dialect,
  eachMember,
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
import type { AccountName, HttpResponse, Credential, Json, KeyName, Manner } from "../session/Exchange.ts"
import { isRoom } from "../session/fileKinds.ts"
import { nearKeys } from "../session/live.ts"
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
  keyIn,
  keyText,
  makeDraw,
  makeRows,
  manners,
  maxConditional,
  mustHold,
  mustNotReveal,
  mustRefuse,
  nearRepositories,
  rightKeys,
  stepText,
  tolerantly,
  type OnStep,
  type Read,
  type Rows
} from "./model.ts"
import {
  atMost,
  drawSequence,
  isNearToken,
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
  /** Whether only the step that made it reads it by its id. */
  readonly isMinor: boolean
  isReady: boolean
  /** Whether it was reserved after its last finalize. */
  isOpen: boolean
  /** What its last finalize made of it, and those before it. */
  input?: PreviewInput
  readonly before: Array<PreviewInput>
  /** The token of its last finalize. */
  spent?: Pick<Reserved, "token" | "shareId">
  /** Counts reservations and finalizes: its first reservation, and its last event. */
  first: number
  last: number
}

const other = (account: AccountName): AccountName => (account === "a" ? "b" : "a")

/** A unique name of digits, which is more than a number may have. */
const digitsOf = (label: string) =>
  Session.use(({ unique }) =>
    Effect.succeed(
      `00${BigInt(`0x${unique(label)}`)
        .toString()
        .slice(0, 17)}`
    )
  )

/** Near the branch of the first build. */
const nearFields = Effect.fnUntraced(function* (
  near: string,
  base: Fields,
  label: string,
  { account, longer }: Pick<Sequence, "account" | "longer">
) {
  const { accounts } = (yield* Session).config
  const long = `${String(base.branch)}/${"of-a-long-name-".repeat(40).slice(0, longer - 2)}`
  const [name, sha] = [String(base.branch), String(base.commitSha)]
  const digit = (one: string) => (one === "0" ? "1" : "0")
  const changes: Readonly<Record<string, Fields>> = {
    platform: { platform: base.platform === "ios" ? "android" : "ios" },
    commit: { commitSha: yield* commitSha(label) },
    "last digit": { commitSha: sha.slice(0, -1) + digit(sha.slice(-1)) },
    "first digit": { commitSha: digit(sha.slice(0, 1)) + sha.slice(1) },
    "longer branch": { branch: `${name}x` },
    "branch below": { branch: `${name}/x` },
    "branch of digits": { branch: yield* digitsOf(label) },
    "branch with an accent": { branch: name.replace(/[aeiou]/, (one) => `${one}\u0301`.normalize("NFC")) },
    "branch above": { branch: `x/${name}` },
    "branch behind a word": { branch: `old-${name}` },
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
    visible: "auth.visibility",
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
    visible: "previews.read.own-only",
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

/** What a row has of earlier uploads that its last one left out. */
const staleIn = (json: Json | undefined, { fields, files }: PreviewInput, before: ReadonlyArray<PreviewInput>) => {
  for (const { name, value } of eachMember(json)) {
    if (name === "entry" || name === "bundleOrigin") {
      const isEarlier = before.some((one) => one.fields[name] === value)
      if (value !== null && isEarlier && fields[name] !== value)
        return `${name} was ${String(value)} before, and reads so.`
    }
    if (name !== "files" || !Array.isArray(value)) continue
    const text = JSON.stringify(value)
    const stale = before.flatMap((one) => one.files).find(({ path }) => text.includes(JSON.stringify(path)))
    if (stale !== undefined && !files.some(({ path }) => path === stale.path))
      return `${stale.path} was declared before.`
  }
  return undefined
}

/** The repositories that are linked to an account. */
const linkedTo = (accounts: Config["accounts"], account: AccountName) => {
  const { linked, second = linked } = accounts[account]
  return [linked, second]
}

const ownManners: ReadonlyArray<Manner> = [
  ...manners.filter(({ chunked }) => chunked !== true),
  { headers: "forwarded" }
]

/** The kinds of declared files and recordings: the end of their names, and their types. */
const objectKinds: ReadonlyArray<readonly [end: string, contentType: string]> = [
  ["txt", "text/plain"],
  ["bin", "application/octet-stream"],
  ["css", "text/css"],
  ["md", "text/plain; charset=utf-8"],
  ["json", "application/json"],
  ["svg", "image/svg+xml"],
  ["png", "image/png"],
  ["webm", "video/webm"]
]

/** The kind of this place, or plain text where so few bytes are no file of that kind. */
const objectKind = (nth: number, sizeBytes: number): readonly [end: string, contentType: string] => {
  const kind = objectKinds[nth % objectKinds.length] ?? (["txt", "text/plain"] as const)
  return isRoom(kind[1], sizeBytes) ? kind : ["txt", "text/plain"]
}

const parsed = (text: string) => Effect.sync((): Json => JSON.parse(text))

/** A token near the right one, and never that itself. */
const nearToken = (near: keyof typeof nearKeys, token: string): string => {
  const other = nearKeys[near](token, "")
  // In a recording, a token is a mark, and another mark would be another token.
  return other === token || token.startsWith("‹") ? `${token}x` : other
}

/** The declared files and recordings by their names. */
const objectsOf = (input: BuildInput | PreviewInput): ReadonlyArray<readonly [name: string, Declared]> => [
  ...input.files.map((file) => [file.path, file] as const),
  ...("recordings" in input ? input.recordings.map((recording) => [recording.name, recording] as const) : [])
]

/** What may show an object: its path, the end of that, or its digest. */
const objectMarks: ReadonlyArray<(object: readonly [name: string, Declared]) => string> = [
  ([name]) => name,
  ([name]) => name.split("/").at(-1) ?? name,
  ([, { content }]) => content.sha256
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
    /** Which of the marks of objects the target shows. */
    let shownMark: number | undefined
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

    const newResource = (of: number, account: AccountName, fields: Fields, isMinor = false): Resource => {
      const said = String(fields.branch)
      const isOdd = /[^\w./-]/u.test(said) || said.length > 60
      const marks = new Set([String(fields.commitSha)])
      return {
        of,
        account,
        fields,
        isOdd,
        marks,
        isMinor,
        before: [],
        isReady: false,
        isOpen: false,
        first: 0,
        last: 0
      }
    }
    const make = (...about: Parameters<typeof newResource>): Resource => {
      const one = newResource(...about)
      resources.push(one)
      return one
    }
    const keyFor = ({ account }: Resource, as: KeyName): Credential => keyIn(session.config, account, as)
    /** The keys of an account in turn, of those with the scope. */
    let turn = attempt
    const nextKey = (account: AccountName): Credential => {
      const names = rightKeys[profile]
      return keyIn(session.config, account, names[turn++ % names.length] ?? "all")
    }

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
      ...(one.id === undefined || one.isMinor
        ? []
        : [
            {
              name: `${isBuild ? "build" : "preview"} ${isBuild ? one.of + 1 : one.id}`,
              send: isBuild ? dialect.build(one.id, as) : dialect.preview(one.id, as)
            }
          ])
    ]
    const rowOf = (answer: HttpResponse, sentence: string) =>
      Effect.mapError(
        dialect.row(answer),
        ({ came, expected }) => new Violation({ expected: `${expected} [${sentence}]`, came })
      )
    const unsigned = (url: string | undefined) => url?.split(/[?#]/)[0]
    /** Whatever was done to others, what is ready is read as its last finalize made it. */
    const mustStillBe = Effect.fnUntraced(function* (one: Resource, answer: HttpResponse) {
      if (!one.isReady || one.isOpen || one.input === undefined) return
      const sentence = isBuild ? "builds.transition.other-identity" : says.read
      const { previewUrl, url } = yield* rowOf(answer, sentence)
      yield* holds(
        sentence,
        unsigned(url) === unsigned(one.url) && (!isBuild || previewUrl !== undefined),
        `What is ready keeps its url ${one.url ?? ""}${isBuild ? " and its previewUrl" : ""}.`,
        answer.text
      )
      const wrong =
        contradiction(answer.json, declaredIn(one.input)) ?? contradictionOfObjects(answer.json, objectsOf(one.input))
      yield* holds(sentence, wrong === undefined, "What is ready is as it was uploaded.", wrong)
    })
    /** Reads these again. A build is read by its id in the shape of the latest, if it is that. */
    const learn = Effect.fnUntraced(function* (some: ReadonlyArray<Resource>) {
      yield* rows.settle
      const answers = new Map<string, HttpResponse>()
      for (const one of some) {
        for (const read of readsOf(one)) {
          if (answers.has(read.name)) continue
          const answer = yield* read.send
          answers.set(read.name, answer)
          yield* rows.learn(says.read, read, answer)
          if (!isBuild || !read.name.startsWith("the latest")) yield* mustStillBe(one, answer)
        }
        const [latest, byId] = isBuild ? readsOf(one).map(({ name }) => answers.get(name)) : []
        if (latest === undefined || byId === undefined || !answered2xx(latest) || !answered2xx(byId)) continue
        const [first, second] = [yield* rowOf(latest, says.read), yield* rowOf(byId, says.read)]
        const [expected, came] = [shapeOf(latest.json), shapeOf(byId.json)]
        yield* holds(
          says.read,
          first.url !== second.url || came === expected,
          `A build by its id has the shape of the latest, ${expected}.`,
          came
        )
      }
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
      const { billingKind, bundleContentType, ...given } = what.fields
      const mark = session.unique(`${label}.entry`)
      const rival = resources.findLast((two) => two !== one && two.isReady)
      const theirs = attributions.get(other(one.account))
      const placeholders: Readonly<Record<string, Json>> = {
        "{account}": theirs === undefined ? accounts[other(one.account)].linked.owner : yield* parsed(theirs),
        "{id}": rival?.id ?? mark,
        "{url}": rival?.url ?? `${session.config.url}/${mark}`
      }
      const others: Fields = {
        entry: `src/main-${mark.slice(0, 6)}.tsx`,
        bundleOrigin: `http://localhost:${20_000 + (Number.parseInt(mark.slice(0, 6), 16) % 40_000)}`,
        ...Object.fromEntries(
          Object.entries(given).map(([name, value]) => [name, placeholders[String(value)] ?? value])
        ),
        ...(what.without === "" ? {} : { [what.without]: undefined }),
        ...(what.without === "repository" ? { owner: undefined, repo: undefined } : {})
      }
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
      const object = (name: string, nth: number, size: number) => {
        const [end, contentType] = objectKind(nth, size)
        return { end, contentType, content: session.content(`${label}.${name} ${nth}`, size, contentType) }
      }
      const each = Array.from({ length: what.files }, (_, nth): DeclaredFile => {
        const { end, ...declared } = object("file", nth, what.fileBytes[nth] ?? (what.files > 60 ? 1 : 64) + (nth % 40))
        const odd = nth === Math.floor(what.files / 2) ? what.oddPath : ""
        const [named, number] = what.isSameNames ? [`${attempt}`, Math.floor(nth / 3)] : [`${label}.${nth}`, nth]
        const folder = ["img", "fonts/a", "js"][nth % 3]
        return { path: `assets/${folder}/${session.unique(named).slice(0, 7)}-${number}${odd}.${end}`, ...declared }
      })
      const [first, last] = [each[0], each.at(-1)]
      const twin =
        first === undefined ? undefined : { ...first, path: first.path.replace(/[^/]+$/, (one) => one.toUpperCase()) }
      const twins = {
        nothing: last,
        bytes: first === undefined || last === undefined ? last : { ...first, path: last.path },
        path: twin?.path === first?.path || last === undefined ? last : { ...last, path: twin?.path ?? last.path }
      }
      const { [what.alike]: end } = twins
      const files = end === undefined || each.length < 2 ? each : each.with(each.length - 1, end)
      const recordings = Array.from({ length: what.recordings }, (_, nth): DeclaredRecording => {
        const { end, ...declared } = object("recording", nth + 7, what.recordingBytes[nth] ?? 64 + nth)
        const name = `step-${session.unique(`${label}.r${nth}`).slice(0, 7)}-${nth}.${end}`
        return { name, kind: recordingKinds[nth % 5] ?? "other", ...declared }
      })
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
    const reserveOnly = Effect.fnUntraced(function* (
      one: Resource,
      what: What,
      as: Credential,
      manner?: Manner,
      mayRefuse = false
    ) {
      const input = yield* inputOf(one, what, as)
      const answer = yield* tolerantly(says.reserve, send(input, as), manner)
      const isOdd =
        what.isOdd || one.isOdd || what.without !== "" || (what.alike === "path" && what.files > 1) || what.files > 60
      // How much a target takes isn't said.
      if (((isOdd || mayRefuse) && isRefused(answer)) || answer.status === 413) return undefined
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
      one.isOpen = true
      return { input, reserved }
    })
    const reserve = Effect.fnUntraced(function* (one: Resource, what: What, as: Credential, manner?: Manner) {
      const made = yield* reserveOnly(one, what, as, manner)
      if (made === undefined) return undefined
      yield* learn(related(one))
      if (isBuild && one.id === undefined) {
        // A target that shows a build before it is ready shows its id as well.
        const shown = yield* dialect
          .row(yield* dialect.latestBuild(query(one), keyOf(one.account)))
          .pipe(Effect.orElseSucceed(() => undefined))
        if (shown?.url === one.url && shown?.id !== undefined) one.id = shown.id
        if (one.id !== undefined) yield* learn([one])
      }
      return made
    })

    const put = Effect.fnUntraced(function* (slot: Slot, place: number, of: number, manner?: Manner) {
      const sending = dialect.put(slot, slot)
      const isPipelined = manner?.socket !== undefined
      let answer = yield* isPipelined ? inManner(sending, manner) : tolerantly(says.put, sending, manner)
      // Without an answer, the PUT may have arrived, and another one be refused: finalize tells.
      if (isPipelined && answer.status === 0) return void (yield* sending)
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
      const stale = staleIn(row.answer.json, { ...input, recordings: [] }, one.before)
      yield* holds(
        "builds.transition.same-identity",
        wrong === undefined && stale === undefined,
        "The row is of the last upload of its build.",
        wrong ?? stale
      )
      const { previewUrl = "" } = row
      const known = previewUrls.get(previewUrl)
      const isOwn = known === undefined || known.of === one.of || known.bundle === declared.contentHash
      yield* holds(sentence, isOwn, "Builds of two bundles have two values of previewUrl.", previewUrl)
      previewUrls.set(previewUrl, { of: one.of, bundle: declared.contentHash })
      for (const mark of [previewUrl, row.id]) if (mark !== undefined) one.marks.add(mark)
    })

    /** What the finalize of a complete upload answers. */
    const becomesReady = Effect.fnUntraced(function* (
      one: Resource,
      input: PreviewInput,
      answer: HttpResponse,
      what: string
    ) {
      const isRight = isBuild ? answer.status === 201 : answered2xx(answer)
      yield* holds(
        says.finalize,
        isRight,
        `${what} returns ${isBuild ? 201 : "2xx"}.`,
        `It returned ${answer.status} ${answer.text}`
      )
      const row = yield* rowOf(answer, says.finalize)
      clock += 1
      yield* rows.touch
      one.last = clock
      one.isReady = true
      one.isOpen = false
      if (one.input !== undefined) one.before.push(one.input)
      one.input = input
      if (!isBuild) {
        yield* holds(says.finalize, row.url !== undefined, "Finalize returns the hosted URL.", answer.text)
        if (row.url !== undefined) one.url = row.url
        return row
      }
      const { id } = row
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
      yield* mustBeReady(one, row, says.finalize, input)
      return row
    })
    /** An account reads nothing of another one's. */
    const mustBeOwn = (one: Resource, what: string, answer: HttpResponse) => {
      const marks = resources.flatMap((two) => (two.account === one.account ? [] : [...two.marks]))
      return mustNotReveal(
        says.visible,
        what,
        answer,
        marks.filter((mark) => !one.marks.has(mark))
      )
    }
    /** What shows each object of one upload shows each of another; a target may show of them only how many there are. */
    const mustShowEach = Effect.fnUntraced(function* (sentence: string, answer: HttpResponse, input: PreviewInput) {
      const objects = objectsOf(input)
      // In whatever way its characters are escaped.
      const said = JSON.stringify(answer.json ?? answer.text)
      const isShown = (mark: string) => said.includes(JSON.stringify(mark).slice(1, -1))
      if (objects.length > 0) shownMark ??= objectMarks.findIndex((of) => objects.every((one) => isShown(of(one))))
      const of = objectMarks[shownMark ?? -1]
      if (of === undefined) return
      // What two objects have in common shows neither of them.
      const marks = objects.map(of)
      const missing = marks.find((mark) => !isShown(mark) && marks.filter((one) => one === mark).length === 1)
      yield* holds(
        sentence,
        missing === undefined,
        `The answer has each of ${objects.length} objects, ${missing ?? ""}, as that of other uploads.`,
        answer.text.slice(0, 400)
      )
    })

    const mustReadBuild = Effect.fnUntraced(function* (one: Resource, input: PreviewInput, as: Credential) {
      yield* rows.settle
      const [latest, byId] = readsOf(one, as)
      if (latest === undefined || byId === undefined) return
      const answer = yield* byId.send
      yield* rows.learn(says.read, byId, answer)
      const row = yield* rowOf(answer, says.read)
      yield* mustBeReady(one, row, says.read, input)
      yield* mustShowEach(says.read, answer, input)
      yield* mustBeOwn(one, "A read of a build", answer)
      const rivals = related(one).filter((two) => two !== one)
      const isLatest = rivals.every((two) => two.last < one.first)
      const ofLatest = yield* latest.send
      yield* rows.learn("builds.latest.query", latest, ofLatest)
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
      for (const read of readsOf(one)) yield* rows.learn(says.read, read, answer)
      yield* holds(
        says.read,
        answered2xx(answer),
        "A hosted preview is read by its account.",
        `${answer.status} ${answer.text}`
      )
      const row = yield* dialect.row(answer)
      yield* holds(
        "previews.metadata.groups",
        unsigned(row.url) === unsigned(url),
        `The metadata has the hosted url ${url ?? ""}.`,
        answer.text
      )
      yield* mustShowEach(says.read, answer, input)
      yield* mustBeOwn(one, "A read of a preview", answer)
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

    /** Whether a mark is the id of a resource, or a part of the URL by which that is asked for. */
    const isAsked = ({ id }: Resource, mark: string): boolean =>
      id !== undefined &&
      (mark === id || `${session.config.url}/api/v1/${profile}/${encodeURIComponent(id)}`.includes(mark))
    /** A refusal of what was asked for by its id has nothing of the owner and the repository. */
    const mustNotName = ({ account, fields: { owner: of, repo } }: Resource, what: string, answer: HttpResponse) => {
      const names = [of, repo].filter((name) => !Object.values(accounts[other(account)].linked).includes(String(name)))
      const members = [
        ...Object.entries(answer.headers).map(([name, value]) => ({ name, value })),
        ...eachMember(answer.json)
      ]
      const said = members.find(
        ({ name, value }) => /account|owner|org|repo|tenant|team|user/i.test(name) && names.some((one) => one === value)
      )
      const expected = `${what} doesn't name whose it is.`
      return holds(says.visible, said === undefined, expected, `${said?.name}: ${String(said?.value)}`)
    }

    /** The last refused request, until every row is read again. */
    let tried: { readonly sentence: string; readonly what: string } | undefined
    const mustStay = Effect.gen(function* () {
      if (tried === undefined) return
      yield* rows.mustStay(tried.sentence, tried.what, ownManners[(attempt + clock) % ownManners.length])
      tried = undefined
    })
    /** Tries what must be refused. */
    const tryAll = Effect.fnUntraced(function* (
      one: Resource,
      some: ReadonlyArray<Attempt>,
      input: PreviewInput,
      made: Reserved | undefined,
      stage: Stage,
      idempotencyKey?: string
    ) {
      const reserved = made ?? { token: "", shareId: undefined }
      const creating: Manner = idempotencyKey === undefined ? {} : { idempotencyKey }
      const { linked: own, unlinked } = accounts[one.account]
      const ofOthers = resources.filter(({ account }) => account !== one.account)
      const sibling = { owner: one.fields.owner, repo: unlinked.repo }
      const theirs = accounts[other(one.account)].linked
      for (const { as: given, manner = {}, name, value } of some) {
        const foreign = nextKey(other(one.account))
        const as = given ?? foreign
        const [what, kind = ""] = name.split(".")
        const isKey = kind === "key"
        const sentence = isKey ? (typeof as === "string" ? says.key : says.scope) : undefined
        const platform = value === null ? { platform: undefined } : value === undefined ? {} : { platform: value }
        const near = isNearRepository(value)
          ? nearRepositories[value](own, session.unique("near").slice(0, 4))
          : undefined
        const repository = kind === "unlinked" ? unlinked : kind === "sibling" ? sibling : (near ?? {})
        if (linkedTo(accounts, one.account).some((two) => near?.repo === two.repo && near.owner === two.owner)) continue
        const reader = /^(?:unlinked|sibling|near)$/.test(kind) ? keyOf(one.account) : as
        const tokens: Readonly<Record<string, string>> = {
          long: session.unique("long token").repeat(20),
          unknown: session.unique("no token"),
          empty: "",
          ...(isNearToken(value) ? { [value]: nearToken(value, reserved.token) } : {})
        }
        if (isNearToken(value)) yield* session.secret(tokens[value] ?? "")
        const json = { operation: value ?? null, token: reserved.token }
        const url = `${session.config.url}/api/v1/builds`
        const ofForeign: PreviewInput = {
          ...input,
          fields: {
            ...input.fields,
            ...theirs,
            branch: `${String(one.fields.branch)}-${session.unique(`${attempt}.keyed ${turn}`).slice(0, 6)}`,
            commitSha: session.unique(`${attempt}.keyed ${turn}`).padEnd(40, "0")
          }
        }
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
          encoded: encodeURIComponent(known),
          "%": "%",
          "*": "*",
          "0": "0"
        }
        const id = ids[String(value)] ?? known
        const slot = made?.slots[Number(value ?? 0) % made.slots.length]
        const all: Readonly<
          Record<string, readonly [sentence: string, send: Step<HttpResponse, NoResponse>, isNotFound?: boolean]>
        > = {
          "finalize.foreign": [says.account, finalize(reserved, foreign)],
          "finalize.key": [sentence ?? "", finalize(reserved, as)],
          "finalize.token": [
            isBuild ? "builds.finalize.operation" : says.ready,
            finalize({ ...reserved, token: tokens[String(value)] ?? String(value) }, keyOf(one.account))
          ],
          "finalize.operation": [
            "builds.finalize.operation",
            session.exchange({ method: "POST", url, as: keyOf(one.account), json })
          ],
          "finalize.typed": [
            "builds.finalize.operation",
            session.exchange({
              method: "POST",
              url,
              as: keyOf(one.account),
              json: { operation: "finalize", token: value ?? null }
            })
          ],
          "finalize.missing": ["previews.finalize.verifies", finalize(reserved, keyOf(one.account))],
          "reserve.key": [sentence ?? "", send(others, as)],
          "reserve.foreign": [
            "builds.reserve.repository-belongs",
            inManner(send(others, foreign), { ...manner, ...creating })
          ],
          "reserve.keyed": [says.visible, inManner(send(ofForeign, foreign), { ...manner, ...creating })],
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
          "latest.odd": [
            "builds.latest.not-linked",
            dialect.latestBuild({ ...query(one), ...unlinked, branch: value ?? null }, keyOf(one.account))
          ],
          stored: [
            says.visible,
            session.exchange({ method: "GET", url: slot?.putUrl.split("?")[0] ?? session.config.url, as: "none" })
          ],
          "read.method": [
            says.visible,
            session.exchange({
              method: String(value),
              url: `${session.config.url}/api/v1/${profile}/${encodeURIComponent(known)}`,
              as: foreign,
              ...(value === "DELETE" ? {} : { json: { status: "failed" } })
            })
          ],
          "read.elsewhere": [says.visible, isBuild ? dialect.preview(known, as) : dialect.build(known, as)],
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
        // Without a query, the path is what is signed.
        const isUnsigned = what === "stored" && slot?.putUrl.includes("?") !== true
        if (found === undefined || isLate || isUnsigned || (what === "read" && one.id === undefined)) continue
        const [cited, sending, isNotFound] = found
        const text = `${stepText(name, { by: keyText(as), with: value === undefined ? undefined : JSON.stringify(value) }, manner)} at stage ${stage}`
        const answer = yield* inManner(sending, manner)
        // Which of two repositories counts isn't said, and other methods may be those of a target.
        if (what === "stored") {
          const bytes = new TextDecoder().decode(slot?.content.bytes.slice(0, 400))
          yield* mustNotReveal(cited, text, answer, [bytes])
        } else if (!/^(?:twice|keyed|method)$/.test(kind)) yield* mustRefuse(cited, text, answer, manner, isNotFound)
        // A refusal may repeat what was asked for, and what follows from that.
        const objects = objectsOf(input).flatMap(([path, { content }]) => [path, content.sha256])
        const asked: Readonly<Record<string, Json>> = {
          read: [id],
          finalize: [reserved.token, reserved.shareId ?? ""],
          reserve: [...Object.values(input.fields).map((one) => one ?? null), input.bundle.content.sha256, ...objects]
        }
        const repeated = JSON.stringify([
          asked[what ?? ""] ?? Object.values(query(one)).map((one) => one ?? null),
          more
        ])
        // To its own account, what it has may be named by the id that was asked for.
        const isOfOwn = typeof as === "object" && as.account === one.account
        const isHidden = (mark: string) =>
          !repeated.includes(mark) &&
          !(isOfOwn && known !== "" && repeated.includes(known) && mark.includes(known)) &&
          !isAsked(one, mark) &&
          !ofOthers.some(({ marks }) => marks.has(mark))
        if (what === "read" && !isOfOwn) yield* mustNotName(one, text, answer)
        if (kind === "keyed" && made !== undefined)
          yield* mustNotReveal(cited, text, answer, [made.token, ...made.slots.map(({ putUrl }) => putUrl)])
        const isOwn = /^(?!read|latest).*\.(?:token|operation|typed|missing|unlinked|sibling|near|billed|key)$/.test(
          name
        )
        if (!isOwn || typeof as === "string") yield* mustNotReveal(cited, text, answer, [...one.marks].filter(isHidden))
        yield* rows.touch
        tried = { sentence: cited, what: text }
      }
      // The row of what is being uploaded may show how much of it has arrived.
      if (stage === 0 || stage > 2) yield* mustStay
    })
    const isFresh = ({ slots }: Reserved, place: number, { isSame }: What): boolean => {
      const { bytes, sha256 } = slots[place]?.content ?? { bytes: [], sha256: "" }
      const isAlone = slots.filter(({ content }) => content.sha256 === sha256).length === 1
      return bytes.length >= 64 && isAlone && !(place === 0 && isSame)
    }

    const uploadMove = Effect.fnUntraced(function* (move: Move & { readonly do: "upload" }) {
      const one = resourceOf(move.of)
      const as = keyFor(one, move.as)
      if (isBuild && one.first === 0)
        yield* tryAll(one, move.tries[0] ?? [], yield* inputOf(one, plainWhat), undefined, 0)
      const idempotencyKey = move.isRepeated ? session.unique(`${attempt}.idempotent ${uploads}`) : undefined
      const creating = idempotencyKey === undefined ? {} : { idempotencyKey }
      const made = yield* reserve(one, move.what, as, { ...move.manner, ...creating })
      if (made === undefined) return
      const { input, reserved } = made
      const places = reserved.slots.map((_, place) => place)
      // Any object may be the one that comes last. A target may know bytes that it has stored before.
      const fresh = places.filter((place) => isFresh(reserved, place, move.what))
      const late = fresh[move.what.bundleBytes % fresh.length] ?? 0
      const tries = (stage: Stage) => {
        const some = (move.tries[stage] ?? []).filter(({ name }) => name !== "finalize.missing" || fresh.length > 0)
        return tryAll(one, some, input, reserved, stage, idempotencyKey)
      }
      yield* tries(1)
      yield* putAll(
        reserved,
        places.filter((place) => place !== late),
        move.order,
        move.manner
      )
      // Whether a second PUT is accepted, each target chooses: it stands for no other object, and leaves its own as it is.
      const again = reserved.slots[places.find((place) => place !== late) ?? -1]
      if (move.isRepeated && again !== undefined) yield* dialect.put(again, again)
      yield* tries(2)
      yield* putAll(reserved, [late], move.order, move.manner)
      if (tried !== undefined) yield* learn([one])
      yield* tries(3)
      yield* mustStay
      const answer = yield* tolerantly(says.finalize, finalize(reserved, as), move.manner)
      const what = `The finalize of ${places.length} uploaded objects by ${keyText(as)}`
      const { url } = yield* becomesReady(one, input, answer, what)
      yield* isBuild ? mustReadBuild(one, input, as) : mustReadPreview(one, input, url, as)
      if (move.isRepeated) {
        for (const token of [one.spent, reserved]) {
          const spent = token === undefined ? undefined : yield* finalize(token, as)
          yield* rows.touch
          if (spent !== undefined && answered2xx(spent))
            yield* mustBeSame(one, yield* rowOf(spent, says.finalize), "A second finalize")
        }
      }
      one.spent = reserved
      yield* learn(related(one).filter((two) => move.isRepeated || two !== one))
      yield* tries(4)
    })
    /** Another answer to the finalize of a token is of the same resource. */
    const mustBeSame = (one: Resource, { id, url }: Row, what: string) =>
      holds(
        isBuild ? "builds.transition.same-identity" : says.finalize,
        unsigned(url) === unsigned(one.url) && (!isBuild || id === one.id),
        `${what} with the token is of ${one.url ?? ""}.`,
        `It was of ${url ?? "nothing"}.`
      )

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
      const { input, reserved } = made
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
      const isRead = wrong === "GET" || wrong === "HEAD"
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
      const sent = { contentType: slot.contentType, content, ...range, ...(isRead ? { method: wrong } : {}) }
      const answer = yield* inManner(dialect.put(slot, sent), isCut ? { socket: wrong } : manner)
      const how = isRead ? `${wrong}` : "PUT"
      const text = `a ${how} of ${isCut ? `${byteLength} bytes, ${wrong},` : `${size} of ${byteLength} bytes${wrong === "range" ? " with content-range" : ""}`} to object ${place + 1} of ${reserved.slots.length}`
      const isAccepted = answered2xx(answer) && !isRead
      yield* holds(
        says.exact,
        isAccepted || isRead || isCut || wrong === "range" || isRefused(answer),
        `The refusal of ${text} is 4xx.`,
        `It returned ${answer.status}.`
      )
      // What was refused hasn't arrived. Whether the bytes of a build have, its finalize need not know.
      if (isAccepted || !isBuild) {
        const finalized = yield* finalize(reserved, as)
        yield* holds(
          isAccepted ? says.exact : "previews.finalize.verifies",
          isRefused(finalized),
          `After ${text}, which returned ${answer.status}, the finalize is refused with 4xx.`,
          `It returned ${finalized.status}.`
        )
      }
      yield* learn(related(one))
      if (isAccepted) return
      yield* put(slot, place, reserved.slots.length)
      const finalized = yield* finalize(reserved, as)
      yield* becomesReady(one, input, finalized, `After ${text}, the finalize of the right bytes`)
      yield* learn(related(one))
    })

    const together = { concurrency: "unbounded" } as const
    const raceMove = Effect.fnUntraced(function* ({ count, kind, of }: Move & { readonly do: "race" }) {
      if (kind === "read" && !isBuild) {
        const hosted = resources.findLast(({ isReady }) => isReady)
        return hosted === undefined ? undefined : yield* readTogether(hosted)
      }
      const one = resourceOf(of)
      if (kind === "read") return yield* readTogether(one)
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
        one.isOpen = true
        return yield* learn(related(one))
      }
      const made = yield* reserve(one, what, as)
      if (made === undefined) return
      const { input, reserved } = made
      yield* putAll(
        reserved,
        reserved.slots.map((_, place) => place),
        "together",
        {}
      )
      const callers = Array.from({ length: count }, (_, place) =>
        kind === "foreign" && place % 2 === 0 ? nextKey(other(one.account)) : as
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
      const done = answers.filter(answered2xx).toSorted((first, second) => second.status - first.status)
      const [first] = done
      const statuses = answers.map(({ status }) => status)
      yield* holds(says.finalize, first !== undefined, `One of ${count} finalizes at once is done.`, statuses)
      if (first === undefined) return
      yield* becomesReady(one, input, first, `One of ${count} finalizes at once`)
      for (const answer of done) yield* mustBeSame(one, yield* rowOf(answer, says.finalize), "Another finalize at once")
      yield* learn(related(one))
    })

    /** Both accounts and nobody read the same at once, which a target may answer to all of them alike. */
    const readTogether = Effect.fnUntraced(function* (one: Resource) {
      yield* rows.settle
      for (const place of readsOf(one).keys()) {
        const callers = [nextKey(one.account), nextKey(other(one.account)), "none", nextKey(one.account)] as const
        const answers = yield* Effect.all(
          callers.map((as) => readsOf(one, as)[place]?.send ?? Effect.die("There is no such read")),
          together
        )
        const [own, foreign, nobody, again] = answers
        if (own === undefined || foreign === undefined || nobody === undefined) return
        yield* holds(says.read, own.status === again?.status, "Two reads at once are answered alike.", again?.status)
        const text = "A read beside one of its own account"
        yield* mustRefuse(says.visible, `${text} by the other one`, foreign, {}, isBuild)
        yield* mustRefuse(says.key, `${text} without a key`, nobody)
        for (const refusal of [foreign, nobody]) {
          const asked = JSON.stringify(Object.values(query(one)).map((value) => value ?? null))
          const hidden = [...one.marks].filter((mark) => !asked.includes(mark) && !isAsked(one, mark))
          yield* mustNotReveal(says.visible, text, refusal, hidden)
        }
      }
    })

    const togetherMove = Effect.fnUntraced(function* ({
      count,
      nears,
      of,
      order,
      which
    }: Move & { readonly do: "together" }) {
      const first = resourceOf(of)
      const isSame = which === "same"
      // What was reserved before another one is ready before that one has arrived.
      const isInTurn = isSame && order === "forward"
      const neighbours = yield* Effect.forEach(
        nears ?? [],
        Effect.fnUntraced(function* (near) {
          const place = sequence.nears.indexOf(near)
          if (place >= 0) return resourceOf(place + 1)
          const { account, fields } = yield* nearFields(near, base, `${attempt} ${near}`, sequence)
          return make(resources.length, account, fields, true)
        })
      )
      const some =
        (nears === undefined ? undefined : [first, ...neighbours]) ??
        (yield* Effect.forEach(
          Array.from({ length: count }, (_, nth) => nth),
          Effect.fnUntraced(function* (nth) {
            if (isSame) return first
            const isOther = which === "accounts" && nth % 2 === 1 && availableIn(session.config).foreign
            const account = isOther ? other(first.account) : first.account
            const sha = yield* commitSha(`${attempt}.together ${uploads} ${isOther ? nth - 1 : nth}`)
            const linked = isOther ? accounts[account].linked : {}
            return make(resources.length, account, { ...first.fields, ...linked, commitSha: sha }, true)
          })
        ))
      const concurrency = which === "near" || (order === "at once" && !isSame) ? "unbounded" : 1
      const made = (yield* Effect.forEach(
        some,
        Effect.fnUntraced(function* (one, nth) {
          const as = nextKey(one.account)
          const what = { ...plainWhat, bundleBytes: 200 + nth, files: nears === undefined ? 1 : 0 }
          // Whether a build has two reservations at once, each target chooses.
          const reservation = yield* reserveOnly(one, what, as, {}, isSame && nth > 0)
          return reservation === undefined ? [] : [{ one, as, ...reservation }]
        }),
        { concurrency }
      )).flat()
      for (const place of isInTurn ? [] : [0, 1]) {
        yield* Effect.forEach(made, ({ reserved }) => putAll(reserved, [place], "forward", {}), { concurrency })
      }
      const ordered = order === "backward" ? made.toReversed() : made
      const answers = yield* Effect.forEach(
        ordered,
        Effect.fnUntraced(function* ({ as, reserved }) {
          if (isInTurn) yield* putAll(reserved, [0, 1], "forward", {})
          return yield* finalize(reserved, as)
        }),
        { concurrency }
      )
      for (const [nth, { as, input, one, reserved }] of ordered.entries()) {
        const answer = answers[nth]
        const isOlder = isSame && order === "backward" && nth > 0
        // What was reserved later and is ready may stay in place of what was reserved before.
        if (answer === undefined || (isOlder && isRefused(answer))) continue
        const what = `Finalize ${nth + 1} of ${count} uploads that were open at once`
        const { url } = yield* becomesReady(one, input, answer, what)
        if (isOlder) delete one.input
        one.spent = reserved
        yield* rows.settle
        if (isBuild && !isSame) {
          const byId = yield* dialect.build(one.id ?? "", as)
          yield* mustBeReady(one, yield* rowOf(byId, says.read), says.read, input)
          yield* mustBeOwn(one, "A read of a build", byId)
          const isAlone = related(one).every((two) => two === one || two.last === 0)
          if (nears !== undefined && isAlone) {
            const latest = yield* rowOf(yield* dialect.latestBuild(query(one), as), "builds.latest.query")
            const expected = "The latest build of a branch is its own."
            yield* holds("builds.latest.query", latest.url === one.url, expected, latest.url)
          }
        } else if (!isBuild) yield* mustReadPreview(one, input, url, as)
      }
      // A token that is spent brings nothing back.
      for (const { as, one, reserved } of isSame ? ordered.slice(0, -1) : []) {
        const spent = yield* finalize(reserved, as)
        if (answered2xx(spent)) yield* mustBeSame(one, yield* rowOf(spent, says.finalize), "A second finalize")
      }
      yield* rows.touch
      yield* learn([...new Set([first, ...some])].filter((one) => nears === undefined || !one.isMinor).flatMap(related))
    })

    /** A reservation that is accepted has a slot for each of its files, however many. */
    const manyMove = Effect.fnUntraced(function* ({ files, of }: Move & { readonly do: "many" }) {
      const first = resourceOf(of)
      const sha = yield* commitSha(`${attempt}.many ${uploads}`)
      const one = make(resources.length, first.account, { ...first.fields, commitSha: sha }, true)
      yield* reserveOnly(one, { ...plainWhat, files }, nextKey(one.account))
      yield* learn(related(one))
    })

    /** What else is of the commit of a build or a preview leaves it as it was, and the latest of its branch. */
    const besideMove = Effect.fnUntraced(function* ({ of }: Move & { readonly do: "beside" }) {
      const one = isBuild ? resources[of] : resources.findLast(({ isReady }) => isReady)
      const { profiles } = session.config
      if (one?.isReady !== true || one.isOpen) return
      const as = keyOf(one.account)
      const { platform, ...commit } = one.fields
      const about = { account: one.account, fields: { ...commit, platform: platform ?? "ios" } }
      const latest = dialect.latestBuild(query(one), as).pipe(
        Effect.flatMap((answer) => Effect.orElseSucceed(dialect.row(answer), () => undefined)),
        Effect.map((row) => row?.url)
      )
      yield* rows.settle
      const before = isBuild ? yield* latest : undefined
      let shareId = isBuild ? undefined : one.id
      if (profiles.includes(isBuild ? "previews" : "builds")) {
        const label = `${attempt}.beside ${uploads++}`
        const input = isBuild ? yield* previewInput(label, about) : yield* buildInput(label, about)
        const answer =
          "recordings" in input ? yield* dialect.reservePreview(input, as) : yield* dialect.reserveBuild(input, as)
        // Other checks judge what isn't accepted.
        if (answered2xx(answer)) {
          const reserved = yield* dialect.reserved(answer, input)
          for (const slot of reserved.slots) yield* dialect.put(slot, slot)
          yield* isBuild ? dialect.finalizePreview(reserved, as) : dialect.finalizeBuild(reserved.token, as)
          shareId ??= reserved.shareId
        }
      }
      if (profiles.includes("testRuns") && shareId !== undefined) {
        const { branch, commitSha, owner, repo } = one.fields
        const run = { owner, repo, branch, commitSha, previewShareId: shareId, status: "failed" }
        yield* dialect.registerRun(run, as)
        if (isBuild && one.id !== undefined) {
          const ofBuild = yield* dialect.registerRun({ ...run, previewShareId: one.id }, as)
          yield* mustRefuse("runs.preview-share-id", "A registration with the id of a build for its preview", ofBuild)
        }
      }
      yield* rows.touch
      yield* rows.settle
      const after = isBuild ? yield* latest : undefined
      const expected = "A preview of its commit leaves the latest build of a branch as it is."
      yield* holds("builds.latest.query", before === after, expected, after)
      yield* learn(resources.filter((two) => two.isReady))
    })

    const againMove = Effect.fnUntraced(function* ({ count, isOfCommits, of }: Move & { readonly do: "again" }) {
      const first = resourceOf(of)
      const earlier: Array<Resource> = []
      for (let time = 0; time < count; time++) {
        const isLast = time === count - 1
        const fields = isOfCommits
          ? { ...first.fields, commitSha: yield* commitSha(`${attempt}.again ${uploads}`) }
          : {}
        const one = isOfCommits ? (isLast ? make : newResource)(resources.length, first.account, fields) : first
        const as = nextKey(one.account)
        const made = yield* reserveOnly(one, { ...plainWhat, bundleBytes: 100 + time }, as)
        if (made === undefined) return
        yield* putAll(made.reserved, [0], "forward", {})
        yield* becomesReady(one, made.input, yield* finalize(made.reserved, as), `Finalize ${time + 1} of ${count}`)
        if (isLast) yield* mustReadBuild(one, made.input, as)
        else if (isOfCommits) earlier.push(one)
      }
      for (const one of earlier.slice(0, 2))
        yield* mustStillBe(one, yield* dialect.build(one.id ?? "", keyOf(one.account)))
      yield* learn(related(first))
    })

    for (const [place, move] of moves.entries()) {
      if (!(yield* onStep(place, rows.count()))) continue
      if (move.do === "upload") yield* uploadMove(move)
      else if (move.do === "again") yield* againMove(move)
      else if (move.do === "spoil") yield* spoilMove(move)
      else if (move.do === "together") yield* togetherMove(move)
      else if (move.do === "many") yield* manyMove(move)
      else if (move.do === "beside") yield* besideMove(move)
      else yield* raceMove(move)
    }
  })

/** How many checks share the values of one run, and how many uploads each has. */
const places = 4
const uploadsOf = { builds: 7, previews: 7 } as const
const maxRequests = { builds: 412, previews: 264 } as const

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
          most: maxRequests[profile] - 4 - maxConditional,
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
