/** The resources of a drawn sequence of uploads, and what each answer about them must be. */
import { Effect } from "effect"
import {
  type BuildInput,
  type Declared,
  Dialect,
  type Fields,
  type PreviewInput,
  type Reserved,
  type Row,
  type Slot,
  Violation,
  eachMember,
  follow
} from "../dialect/Dialect.ts"
import type { AccountName, Credential, HttpResponse, Json, KeyName, Manner } from "../session/Exchange.ts"
import { isRedacted } from "../session/redaction.ts"
import { Session } from "../session/Session.ts"
import {
  type Read,
  type Rows,
  attributionIn,
  allOf,
  contradiction,
  contradictionOfObjects,
  strangeIn,
  type KindsShown,
  holds,
  inManner,
  keyText,
  makeRows,
  mustNotReveal,
  tolerantly
} from "./model.ts"
import { keyIn, rightKeys } from "./senders.ts"
import { type Sequence, type What, isNearlySame } from "./drawnMoves.ts"
import {
  Skipped,
  answered2xx,
  branch,
  commitSha,
  declaredGroups,
  isRefused,
  keyOf,
  mentions,
  queryOf,
  shapeOf
} from "./steps.ts"
import { type Resource, isPartOf, isSameBuild, makeInputs, nearFields } from "./uploadValues.ts"

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
const staleIn = (json: Json | undefined, { files }: BuildInput, before: ReadonlyArray<PreviewInput>) => {
  for (const { name, value } of eachMember(json)) {
    if (name !== "files" || !Array.isArray(value)) continue
    const text = JSON.stringify(value)
    const stale = before.flatMap((one) => one.files).find(({ path }) => text.includes(JSON.stringify(path)))
    if (stale !== undefined && !files.some(({ path }) => path === stale.path))
      return `${stale.path} was declared before.`
  }
  return undefined
}

/** The declared files and recordings by their names. */
export const objectsOf = (
  input: BuildInput | PreviewInput
): ReadonlyArray<readonly [name: string, Declared & { readonly kind?: string }]> => [
  ...input.files.map((file) => [file.path, file] as const),
  ...("recordings" in input ? input.recordings.map((recording) => [recording.name, recording] as const) : [])
]

/** What may show an object: its path, the end of that, or its digest. */
const objectMarks: ReadonlyArray<(object: readonly [name: string, Declared]) => string> = [
  ([name]) => name,
  ([name]) => name.split("/").at(-1) ?? name,
  ([, { content }]) => content.sha256
]

/** Makes the resources of an attempt to carry out a sequence. */
export const makeUploads = Effect.fnUntraced(function* (sequence: Sequence, attempt: number) {
  const { account: owner, profile } = sequence
  const says = sentences[profile]
  const isBuild = profile === "builds"
  const dialect = yield* Dialect
  const session = yield* Session
  const { accounts } = session.config
  const rows: Rows = makeRows()
  let clock = 0
  let labels = 0
  const next = () => labels++
  /** What a row that is ready says, after the first upload of its build and after others. */
  const readyStatus = new Map<boolean, string>()
  /** Which of the marks of objects the target shows. */
  let shownMark: number | undefined
  /** Of what bundle of which build each previewUrl is, and how each account reads in metadata. */
  const previewUrls = new Map<string, { readonly of: number; readonly bundle: Json | undefined }>()
  const attributions = new Map<AccountName, string>()
  const name = `${sequence.start}${yield* branch(`${attempt}`)}${sequence.odd}`
  const base: Fields = {
    ...accounts[owner].linked,
    branch: name,
    platform: sequence.platform,
    commitSha: yield* commitSha(`${attempt}`)
  }
  const nearby = yield* Effect.forEach(sequence.nears, (near) => nearFields(near, base, `${attempt} ${near}`, sequence))
  const identities = [{ account: owner, fields: base }, ...nearby]
  // Two of them may be the same name.
  for (const [of, one] of identities.entries()) {
    const isTaken = identities.slice(0, of).some((two) => isSameBuild(one.fields, two.fields))
    if (isTaken) identities[of] = { ...one, fields: { ...one.fields, commitSha: yield* commitSha(`${attempt} ${of}`) } }
  }
  const resources: Array<Resource> = []

  const newResource = (of: number, account: AccountName, fields: Fields, isMinor = false): Resource => {
    const said = String(fields.branch)
    const isOdd = /[^\w./-]|^refs\//u.test(said) || said.length > 60
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
  let keys = attempt
  const turn = () => keys
  const nextKey = (account: AccountName): Credential => {
    const names = rightKeys[profile]
    return keyIn(session.config, account, names[keys++ % names.length] ?? "all")
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
  /** Whether two URLs are of the same: a preview's may be signed in its path. */
  const isSameUrl = (one: Resource, url: string | undefined, other_: string | undefined): boolean =>
    unsigned(url) === unsigned(other_) ||
    (!isBuild && one.id !== undefined && [url, other_].every((each) => each?.includes(one.id ?? "") === true))
  const kindsShown: KindsShown = new Map()
  /** What an answer has that isn't what this upload declared. */
  const wrongIn = (one: Resource, { json }: HttpResponse, input: BuildInput): string | undefined => {
    const declared = declaredIn(input)
    const others = resources.flatMap((two) => [...two.before, ...(two === one ? [] : [two.input])])
    return (
      contradiction(json, declared) ??
      contradictionOfObjects(json, objectsOf(input), kindsShown) ??
      strangeIn(
        json,
        declared,
        others.flatMap((two) => (two === undefined ? [] : [two.fields]))
      ) ??
      wrongDefault(json, declared) ??
      staleIn(json, input, isBuild ? one.before : [])
    )
  }
  /** What the device of an upload reads that declares none, by its platform. */
  const defaults = new Map<string, Json>()
  const wrongDefault = (json: Json | undefined, { deviceSpec, platform }: Fields): string | undefined => {
    if (deviceSpec !== undefined) return undefined
    for (const { name, path, value } of eachMember(json)) {
      if (!/^(?:width|height)$/.test(name) || !path.some((one) => /device/i.test(one))) continue
      const same = `${name} ${String(platform)}`
      const known = defaults.get(same) ?? value
      defaults.set(same, known)
      if (known !== value)
        return `The ${name} of a device that isn't declared reads ${String(value)}, and ${String(known)} elsewhere.`
    }
    return undefined
  }
  /** Whatever was done to others, what is ready is read as its last finalize made it. */
  const mustStillBe = Effect.fnUntraced(function* (one: Resource, answer: HttpResponse) {
    const isNew = one.isOpen && !one.isReady && one.before.length === 0 && one.isUnsure !== true
    if (isBuild && isNew && answered2xx(answer)) {
      const { previewUrl, url } = yield* rowOf(answer, "builds.row.preview-url")
      const expected = "A build that was never finalized has no previewUrl."
      yield* holds("builds.row.preview-url", url !== one.url || previewUrl === undefined, expected, answer.text)
    }
    if (!one.isReady || one.input === undefined) return
    if (one.isOpen) {
      if (!isBuild) return
      // What a reservation left of it, a refused finalize leaves too.
      const isShown = (yield* rowOf(answer, "builds.row.preview-url")).previewUrl !== undefined
      const expected = "A build that was ready keeps its previewUrl while an upload of it is refused."
      yield* holds("builds.row.preview-url", isShown || one.wasShown !== true, expected, answer.text)
      one.wasShown = isShown
      return
    }
    const sentence = isBuild ? "builds.transition.other-identity" : says.read
    const { previewUrl, url } = yield* rowOf(answer, sentence)
    yield* holds(
      sentence,
      isSameUrl(one, url, one.url) && (!isBuild || previewUrl !== undefined),
      `What is ready keeps its url ${one.url ?? ""}${isBuild ? " and its previewUrl" : ""}.`,
      answer.text
    )
    const wrong = wrongIn(one, answer, one.input)
    yield* holds(sentence, wrong === undefined, "What is ready is as it was uploaded.", wrong)
    yield* mustShowEach(sentence, answer, one.input)
    if (!isBuild) yield* mustHaveGroups(one, answer, one.input)
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

  const inputOf = yield* makeInputs({ attempt, attributions, isBuild, next, resources })

  for (const [of, { account, fields }] of isBuild ? identities.entries() : []) yield* learn([make(of, account, fields)])

  const resourceOf = (of: number): Resource => {
    const found = resources[of]
    if (isBuild && found !== undefined) return found
    const { account, fields } = identities[of] ?? { account: owner, fields: base }
    return make(resources.length, account, fields)
  }

  const send = (input: PreviewInput, as: Credential) => {
    const { recordings: _, ...build } = input
    return isBuild ? dialect.reserveBuild(build, as) : dialect.reservePreview(input, as)
  }
  const finalize = (reserved: Pick<Reserved, "token" | "shareId">, as: Credential) =>
    isBuild ? dialect.finalizeBuild(reserved.token, as) : dialect.finalizePreview(reserved, as)

  const wasReserved = Effect.fnUntraced(function* (one: Resource) {
    clock += 1
    yield* rows.touch
    one.first ||= clock
    one.last = clock
    one.isOpen = true
  })

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
      what.isOdd || one.isOdd || what.without !== "" || isNearlySame(what.alike) || what.named === "with spaces"
    // How much a target takes isn't said.
    const isMuch =
      what.files > 30 ||
      what.recordings > 15 ||
      [input.bundle, ...input.files, ...input.recordings].some(
        ({ content: { bytes } }) => bytes.byteLength >= 1_000_000 || bytes.byteLength === 0
      )
    if (((isOdd || isMuch || mayRefuse) && isRefused(answer)) || answer.status === 413) return undefined
    yield* holds(
      says.reserve,
      answered2xx(answer),
      `A reservation of ${keyText(as)} returns 2xx.`,
      `It returned ${answer.status}.`
    )
    const slots = Effect.mapError(
      dialect.reserved(answer, input),
      ({ came, expected }) => new Violation({ expected: `${expected} [${says.slots}]`, came })
    )
    // A target may name slots by what they are of, and has one for two objects of the same name.
    const reserved = yield* what.alike === "role" ? Effect.orElseSucceed(slots, () => undefined) : slots
    if (reserved === undefined) return undefined
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
    const keys = new Map<string | undefined, string>()
    for (const { content, objectKey } of isBuild || what.alike === "role" ? [] : reserved.slots) {
      const expected = `Slots of other objects have other values of objectKey than ${objectKey ?? ""}.`
      const isOwn = (keys.get(objectKey) ?? content.sha256) === content.sha256
      yield* holds(says.slots, isOwn, expected, answer.text.slice(0, 400))
      keys.set(objectKey, content.sha256)
    }
    if (isBuild) {
      yield* holds(says.slots, reserved.url !== undefined, "The reservation returns the url of the build.", answer.text)
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
    yield* wasReserved(one)
    delete one.wasShown
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
    yield* order === "together" ? allOf(puts, 8) : Effect.all(puts, { discard: true })
  })

  /** Requires the row that a finalize or a read of a ready build answers. */
  const mustBeReady = Effect.fnUntraced(function* (one: Resource, row: Row, sentence: string, input: BuildInput) {
    const declared = declaredIn(input)
    yield* holds(sentence, row.url === one.url, `The row has the url ${one.url ?? ""} of the build.`, row.answer.text)
    yield* holds(sentence, row.previewUrl !== undefined, "The row of a ready build has a previewUrl.", row.answer.text)
    yield* holds(sentence, row.status !== undefined, "The row of a ready build has a status.", row.answer.text)
    const status = JSON.stringify(row.status)
    // A status may say more than a word.
    const isUpdate = one.before.length > 0 || one.isUnsure === true
    const known = readyStatus.get(isUpdate) ?? status
    if (typeof row.status === "string") readyStatus.set(isUpdate, known)
    yield* holds(
      sentence,
      typeof row.status !== "string" || status === known,
      `The row says ready as those before, ${known}.`,
      status
    )
    const wrong = wrongIn(one, row.answer, input)
    yield* holds(
      "builds.transition.same-identity",
      wrong === undefined,
      "The row is of the last upload of its build.",
      wrong
    )
    const { previewUrl = "" } = row
    const holder = previewUrls.get(previewUrl)
    const isOwn = holder === undefined || holder.of === one.of || holder.bundle === declared.contentHash
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
      marks.filter((mark) => !isPartOf(one.marks, mark))
    )
  }
  /** What shows each object of one upload shows each of another; a target may show of them only how many there are. */
  const mustShowEach = Effect.fnUntraced(function* (sentence: string, answer: HttpResponse, input: PreviewInput) {
    const objects = objectsOf(input)
    // In whatever way its characters are escaped, also in URLs.
    const said = JSON.stringify(answer.json ?? answer.text)
    const decoded = said.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
      const text = new TextDecoder().decode(Buffer.from(escaped.replaceAll("%", ""), "hex"))
      return JSON.stringify(text).slice(1, -1)
    })
    const isShown = (mark: string) =>
      [said, decoded].some((one) => one.includes(JSON.stringify(mark).slice(1, -1))) ||
      (mark.includes("=") && isRedacted(said))
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

  /** The metadata of a preview has what was declared of each group. */
  const mustHaveGroups = Effect.fnUntraced(function* (one: Resource, answer: HttpResponse, input: PreviewInput) {
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
      isSameUrl(one, row.url, url),
      `The metadata has the hosted url ${url ?? ""}.`,
      answer.text
    )
    yield* mustShowEach(says.read, answer, input)
    yield* mustBeOwn(one, "A read of a preview", answer)
    yield* mustHaveGroups(one, answer, input)
    const wrong = wrongIn(one, answer, input)
    yield* holds("previews.metadata.groups", wrong === undefined, "The metadata is of its own upload.", wrong)
    const at = session.config.bindings.answers.account
    const said = at === undefined ? attributionIn(answer.json) : (follow(answer.json, at) ?? null)
    const attribution = said === undefined ? undefined : JSON.stringify(said)
    if (attribution !== undefined) {
      const isOwn = [...attributions].every(([account, known]) => (account === one.account) === (known === attribution))
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

  /** Another answer to the finalize of a token is of the same resource. */
  const mustBeSame = (one: Resource, { id, url }: Row, what: string) =>
    holds(
      isBuild ? "builds.transition.same-identity" : says.finalize,
      isSameUrl(one, url, one.url) && (!isBuild || id === one.id),
      `${what} with the token is of ${one.url ?? ""}.`,
      `It was of ${url ?? "nothing"}.`
    )

  return {
    accounts,
    attempt,
    base,
    becomesReady,
    dialect,
    finalize,
    inputOf,
    isBuild,
    keyFor,
    learn,
    make,
    mustBeOwn,
    mustBeReady,
    mustBeSame,
    mustReadBuild,
    mustReadPreview,
    mustShowEach,
    mustStillBe,
    newResource,
    next,
    nextKey,
    profile,
    put,
    putAll,
    query,
    readsOf,
    related,
    reserve,
    reserveOnly,
    resourceOf,
    resources,
    rowOf,
    rows,
    says,
    send,
    session,
    turn,
    wasReserved
  }
})
export type Uploads = Effect.Success<ReturnType<typeof makeUploads>>
