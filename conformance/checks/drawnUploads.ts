/**
 * Drawn sequences of uploads of builds and of previews: carries out their moves. Everything that is refused or foreign is tried
 * in every state of an upload; after it, every row that the sequence knows is read again.
 */
import { Effect } from "effect"
import type { Reserved } from "../dialect/Dialect.ts"
import type { HttpResponse } from "../session/Exchange.ts"
import { Session, sha256 } from "../session/Session.ts"
import {
  type OnStep,
  availableIn,
  allOf,
  holds,
  isClosed,
  inManner,
  keyText,
  makeDraw,
  maxConditional,
  mustHold,
  mustNotReveal,
  mustRefuse,
  tolerantly
} from "./model.ts"
import {
  type Move,
  type Profile,
  type Sequence,
  type Stage,
  type What,
  atMost,
  drawSequence,
  optionalFields,
  plainWhat,
  simpler,
  textOf
} from "./drawnMoves.ts"
import {
  type CheckTable,
  answered2xx,
  buildInput,
  commitSha,
  isRefused,
  keyOf,
  previewInput,
  toChecks
} from "./steps.ts"
import { type Resource, isSameBuild, nearFields, other } from "./uploadValues.ts"
import { makeUploads } from "./uploadModel.ts"
import { makeRefusals } from "./uploadRefusals.ts"

/** Which bundles the uploads of one build have: the third one is reverted, and sent once more. */
const reverts = ["", "", "earlier", "last", ""] as const

/** Carries out a sequence with resources of its own. */
const carryOut = (sequence: Sequence) =>
  Effect.fnUntraced(function* (moves: ReadonlyArray<Move>, attempt: number, onStep: OnStep) {
    const uploads = yield* makeUploads(sequence, attempt)
    const {
      accounts,
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
      wasReserved
    } = uploads
    const { isAsked, isTried, mustStay, tryAll } = yield* makeRefusals(uploads)
    const isFresh = ({ slots }: Reserved, place: number, { same }: What): boolean => {
      const { bytes, sha256 } = slots[place]?.content ?? { bytes: [], sha256: "" }
      const isAlone = slots.filter(({ content }) => content.sha256 === sha256).length === 1
      return bytes.length >= 64 && isAlone && !(place === 0 && same !== "")
    }

    /** The other account has an upload of the same commit in its repository, on a branch with a longer name. */
    const mirror = Effect.fnUntraced(function* (one: Resource, how: "" | "open" | "hosted", label: string) {
      if (how === "") return
      const account = other(one.account)
      const branch = `${String(one.fields.branch)}-${session.unique(label).slice(0, 12)}`
      const theirs = make(resources.length, account, { ...one.fields, ...accounts[account].linked, branch }, true)
      if (!isBuild) theirs.marks.add(branch)
      const as = nextKey(account)
      const made = yield* reserveOnly(theirs, plainWhat, as, {}, true)
      if (made === undefined || how === "open") return
      yield* putAll(made.reserved, [0], "forward", {})
      yield* becomesReady(
        theirs,
        made.input,
        yield* finalize(made.reserved, as),
        "The finalize of the same commit by the other account"
      )
    })

    const uploadMove = Effect.fnUntraced(function* (move: Move & { readonly do: "upload" }) {
      const one = resourceOf(move.of)
      const as = keyFor(one, move.as)
      if (isBuild && one.first === 0)
        yield* tryAll(one, move.tries[0] ?? [], yield* inputOf(one, plainWhat), undefined, 0)
      const idempotencyKey = move.isRepeated ? session.unique(`${attempt}.idempotent ${next()}`) : undefined
      const creating = idempotencyKey === undefined ? {} : { idempotencyKey }
      const made = yield* reserve(one, move.what, as, { ...move.manner, ...creating })
      if (made === undefined) return
      const { input, reserved } = made
      const places = reserved.slots.map((_, place) => place)
      // Any object may be the one that comes last. A target may know bytes that it has stored before.
      const fresh = places.filter((place) => isFresh(reserved, place, move.what))
      const named = move.what.isSameNames ? fresh.filter((place) => place > 0) : fresh
      const possible = named.length > 0 ? named : fresh
      const [twin] = possible.filter((place) => place === input.files.length)
      const late =
        (move.what.alike === "sizes" ? twin : undefined) ?? possible[move.what.bundleBytes % possible.length] ?? 0
      const tries = (stage: Stage) => {
        const some = (move.tries[stage] ?? []).filter(({ name }) => name !== "finalize.missing" || fresh.length > 0)
        return tryAll(one, some, input, reserved, stage, idempotencyKey)
      }
      yield* mirror(one, move.mirror, `${next()}`)
      yield* tries(1)
      yield* putAll(
        reserved,
        places.filter((place) => place !== late),
        move.order,
        move.manner
      )
      // A part of it isn't ready.
      if (isBuild && one.id !== undefined && one.first === one.last && places.length > 1) yield* learn([one])
      // Whether a second PUT is accepted, each target chooses: it stands for no other object, and leaves its own as it is.
      const again = reserved.slots[places.find((place) => place !== late) ?? -1]
      if (move.isRepeated && again !== undefined) yield* dialect.put(again, again)
      yield* tries(2)
      yield* putAll(reserved, [late], move.order, move.manner)
      if (isTried()) yield* learn([one])
      yield* tries(3)
      yield* mustStay
      // Any key of the account with the scopes may finalize.
      const isBilled = input.fields.billingKind === "test_run"
      const finisher = isBilled ? as : nextKey(one.account)
      const answer = yield* tolerantly(says.finalize, finalize(reserved, finisher), move.manner)
      const what = `The finalize of ${places.length} uploaded objects by ${keyText(finisher)} of what ${keyText(as)} reserved`
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
    const spoilMove = Effect.fnUntraced(function* ({
      manner,
      of,
      slot: nth,
      what,
      wrong
    }: Move & { readonly do: "spoil" }) {
      const one = resourceOf(of)
      const as = keyOf(one.account)
      const isBeyond = wrong === "32 bits"
      const beyond = { bundleSizeBytes: what.bundleBytes + 2 ** 32 }
      const isSwapped = wrong === "sibling"
      const alike: What = isSwapped ? { ...what, alike: "sizes", files: Math.max(2, what.files), fileBytes: [] } : what
      const made = yield* reserve(one, isBeyond ? { ...what, fields: beyond, without: "", isOdd: true } : alike, as)
      if (made === undefined) return
      const { input, reserved } = made
      const fresh = isBeyond
        ? [0]
        : isSwapped
          ? [input.files.length]
          : reserved.slots.flatMap((_, place) => (isFresh(reserved, place, what) ? [place] : []))
      const place = fresh[nth % fresh.length] ?? -1
      const slot = reserved.slots[place]
      if (slot === undefined) return
      yield* putAll(
        reserved,
        reserved.slots.flatMap((_, at) => (at === place ? [] : [at])),
        "together",
        {}
      )
      if (isBuild && !isBeyond && nth % 2 === 0) {
        // Whether the finalize of a build knows what is missing, each target chooses. What it refuses changes nothing.
        if (answered2xx(yield* finalize(reserved, as))) {
          one.isReady = false
          one.isUnsure = true
          yield* rows.touch
          return yield* learn(related(one))
        }
        yield* learn(related(one))
      }
      const { byteLength } = slot.content.bytes
      const isCut = wrong === "aborted" || wrong === "short" || isBeyond || isSwapped
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
      const content = isSwapped
        ? (reserved.slots[1]?.content ?? slot.content)
        : isCut
          ? slot.content
          : wrong === "range"
            ? { bytes, sha256: sha256(bytes) }
            : session.content(`${attempt}.wrong.${next()}`, size)
      const range = wrong === "range" ? { range: `bytes 0-${size - 1}/${byteLength}` } : {}
      if (!isCut && size === byteLength) return
      const sent = { contentType: slot.contentType, content, ...range, ...(isRead ? { method: wrong } : {}) }
      const answer = yield* inManner(
        dialect.put(slot, sent),
        wrong === "aborted" || wrong === "short" ? { socket: wrong } : manner
      )
      const how = isRead ? `${wrong}` : "PUT"
      const text = `a ${how} of ${isBeyond ? `${byteLength} bytes, declared as ${beyond.bundleSizeBytes},` : isCut ? `${byteLength} bytes, ${wrong},` : `${size} of ${byteLength} bytes${wrong === "range" ? " with content-range" : ""}`} to object ${place + 1} of ${reserved.slots.length}`
      const isAccepted = answered2xx(answer) && !isRead
      yield* holds(
        says.exact,
        isAccepted || isRead || isCut || wrong === "range" || isRefused(answer) || isClosed(answer, manner),
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
      if (isAccepted || isBeyond) return
      yield* put(slot, place, reserved.slots.length)
      const finalized = yield* finalize(reserved, as)
      yield* becomesReady(one, input, finalized, `After ${text}, the finalize of the right bytes`)
      yield* learn(related(one))
    })

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
        const answers = yield* allOf(inputs.map((input) => send(input, as)))
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
        yield* wasReserved(one)
        const finalized: Array<HttpResponse> = []
        for (const [place, answer] of answers.entries()) {
          const input = inputs[place]
          if (!answered2xx(answer) || input === undefined) continue
          const reserved = yield* dialect.reserved(answer, input)
          for (const slot of reserved.slots) yield* dialect.put(slot, slot)
          finalized.push(yield* finalize(reserved, as))
        }
        one.isOpen = finalized.length === 0
        if (finalized.some(answered2xx)) {
          if (one.input !== undefined) one.before.push(one.input)
          one.isReady = false
          one.isUnsure = true
          delete one.input
        }
        const expected = `One of ${count} uploads of one build that were reserved at once becomes ready.`
        yield* holds(
          says.finalize,
          finalized.length === 0 || finalized.some(answered2xx),
          expected,
          finalized.map(({ status }) => status)
        )
        return yield* learn(related(one))
      }
      const wasReady = isBuild && one.isReady
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
      // A read during the replacement has the row from before or after it.
      const id = wasReady && kind === "finalize" ? one.id : undefined
      const reads = id === undefined ? [] : [0, 1, 2].map(() => Effect.andThen(Effect.yieldNow, dialect.build(id, as)))
      const all = yield* allOf([...callers.map((caller) => finalize(reserved, caller)), ...reads])
      const [answers, seen] = [all.slice(0, count), all.slice(count)]
      for (const read of seen) {
        const row = yield* rowOf(read, says.read)
        const expected = "A read beside the finalize of an update has the ready build."
        yield* holds(
          says.read,
          row.url === one.url && (row.previewUrl !== undefined || one.wasShown !== true),
          expected,
          read.text
        )
      }
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
        const answers = yield* allOf(
          callers.map((as) => readsOf(one, as)[place]?.send ?? Effect.die("There is no such read"))
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
      const label = next()
      const isSame = which === "same"
      // What was reserved before another one is ready before that one has arrived.
      const isInTurn = isSame && order === "forward"
      const neighbours = yield* Effect.forEach(
        nears ?? [],
        Effect.fnUntraced(function* (near) {
          const place = sequence.nears.indexOf(near)
          if (place >= 0) return resourceOf(place + 1)
          const { account, fields } = yield* nearFields(near, base, `${attempt} ${near}`, sequence)
          const known = resources.find((two) => isSameBuild(two.fields, fields))
          if (known !== undefined) return known
          return make(resources.length, account, fields, true)
        })
      )
      const some =
        (nears === undefined ? undefined : [...new Set([first, ...neighbours])]) ??
        (yield* Effect.forEach(
          Array.from({ length: count }, (_, nth) => nth),
          Effect.fnUntraced(function* (nth) {
            if (isSame) return first
            const isOther = which === "accounts" && nth % 2 === 1 && availableIn(session.config).foreign
            const account = isOther ? other(first.account) : first.account
            // Previews for several platforms are of one commit.
            const of = isOther || (!isBuild && nth % 2 === 1) ? nth - 1 : nth
            const sha = yield* commitSha(`${attempt}.together ${label} ${of}`)
            const linked = isOther ? accounts[account].linked : {}
            return make(resources.length, account, { ...first.fields, ...linked, commitSha: sha }, true)
          })
        ))
      const concurrency = which === "near" || (order === "at once" && !isSame) ? "unbounded" : 1
      const each = <A, B, E, R>(values: ReadonlyArray<A>, step: (one: A, nth: number) => Effect.Effect<B, E, R>) =>
        allOf(values.map(step), concurrency)
      const made = (yield* each(
        some,
        Effect.fnUntraced(function* (one, nth) {
          const as = nextKey(one.account)
          const without = !isBuild && nth % 2 === 1 ? "deviceSpec" : ""
          const what = { ...plainWhat, without, bundleBytes: 200 + nth, files: 1, isSameNames: true }
          // Whether a build has two reservations at once, each target chooses.
          const reservation = yield* reserveOnly(one, what, as, {}, isSame && nth > 0)
          return reservation === undefined ? [] : [{ one, as, ...reservation }]
        })
      )).flat()
      for (const place of isInTurn ? [] : [0, 1]) {
        yield* each(made, ({ reserved }) => putAll(reserved, [place], "forward", {}))
      }
      const ordered = order === "backward" ? made.toReversed() : made
      const answers = yield* each(
        ordered,
        Effect.fnUntraced(function* ({ as, reserved }) {
          if (isInTurn) yield* putAll(reserved, [0, 1], "forward", {})
          return yield* finalize(reserved, as)
        })
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

    /** A reservation that is accepted has a slot for each of its files, however many, and is ready when all have arrived. */
    const manyMove = Effect.fnUntraced(function* ({ files, isWhole, of }: Move & { readonly do: "many" }) {
      const first = resourceOf(of)
      const sha = yield* commitSha(`${attempt}.many ${next()}`)
      const one = make(resources.length, first.account, { ...first.fields, commitSha: sha }, true)
      const as = nextKey(one.account)
      const made = yield* reserveOnly(one, { ...plainWhat, files }, as)
      if (isWhole && made !== undefined) {
        const { input, reserved } = made
        const places = reserved.slots.map((_, place) => place)
        yield* putAll(reserved, places, "together", {})
        const answer = yield* finalize(reserved, as)
        yield* becomesReady(one, input, answer, `The finalize of ${places.length} uploaded objects`)
        yield* mustShowEach(says.finalize, answer, input)
      }
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
      // A preview that is open meanwhile.
      const waiting = isBuild ? undefined : make(resources.length, one.account, one.fields, true)
      const open = waiting && (yield* reserveOnly(waiting, plainWhat, as))
      if (open !== undefined) yield* putAll(open.reserved, [0], "forward", {})
      let shareId = isBuild ? undefined : one.id
      if (profiles.includes(isBuild ? "previews" : "builds")) {
        const label = `${attempt}.beside ${next()}`
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
      if (waiting !== undefined && open !== undefined) {
        const what = "The finalize of a preview after a build of its commit"
        yield* becomesReady(waiting, open.input, yield* finalize(open.reserved, as), what)
      }
      if (profiles.includes("testRuns") && shareId !== undefined) {
        const { branch, commitSha: sha, owner, repo } = one.fields
        const about = { owner, repo, previewShareId: shareId, status: "failed" }
        // A run may be of another commit than its preview.
        const ofCommit = isBuild
          ? { branch, commitSha: sha }
          : { branch: `${String(branch)}-run`, commitSha: yield* commitSha(`${attempt}.run ${next()}`) }
        const run = { ...about, ...ofCommit }
        yield* dialect.registerRun(run, as)
        if (isBuild && one.id !== undefined) {
          const ofBuild = yield* dialect.registerRun({ ...run, previewShareId: one.id }, as)
          yield* mustRefuse("runs.preview-share-id", "A registration with the id of a build for its preview", ofBuild)
        }
      }
      const theirs = other(one.account)
      const { sha256: digest = "" } = one.input?.bundle.content ?? {}
      // A few bytes may be those of another upload.
      const isFew = (one.input?.bundle.content.bytes.byteLength ?? 0) < 64
      const isTheirs = isFew || resources.some(({ account, marks }) => account === theirs && marks.has(digest))
      if (!isBuild && one.input !== undefined && availableIn(session.config).foreign && !isTheirs) {
        // What one account has uploaded hasn't arrived for another one.
        const label = `${attempt}.borrowed ${next()}`
        const fields = { ...accounts[theirs].linked, branch: one.fields.branch, commitSha: yield* commitSha(label) }
        const input = yield* previewInput(label, {
          account: theirs,
          bundle: one.input.bundle,
          files: [],
          recordings: [],
          fields
        })
        const answer = yield* dialect.reservePreview(input, keyOf(theirs))
        if (answered2xx(answer)) {
          const finalized = yield* dialect.finalizePreview(yield* dialect.reserved(answer, input), keyOf(theirs))
          const text = "A finalize without any PUT, of bytes that only the other account has uploaded,"
          yield* mustRefuse("previews.finalize.verifies", text, finalized)
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
        const fields = isOfCommits ? { ...first.fields, commitSha: yield* commitSha(`${attempt}.again ${next()}`) } : {}
        const one = isOfCommits ? (isLast ? make : newResource)(resources.length, first.account, fields) : first
        const as = nextKey(one.account)
        // Every second commit has the bundle of the one before, as a job that runs again.
        // What one leaves out isn't that of the one before.
        const without = isBuild && !isOfCommits && time > 0 ? (optionalFields.builds[time % 4] ?? "") : ""
        const what: What = {
          ...plainWhat,
          without,
          bundleBytes: 100 + time,
          same: isOfCommits ? (time % 2 === 1 ? "last" : "") : (reverts[time] ?? "")
        }
        const made = yield* reserveOnly(one, what, as)
        if (made === undefined) continue
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
