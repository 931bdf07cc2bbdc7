/**
 * Drawn sequences of requests, judged by a small model of the interface: what each build, preview and list must answer after
 * them. Everything is drawn from the id of the run, so `--run-id` repeats a sequence. After each refused or foreign
 * request, the whole answer to a read of the resource must be as it was.
 */
import { Effect } from "effect"
import { Dialect, eachMember, must, type Fields } from "../dialect/Dialect.ts"
import type { HttpResponse, Json } from "../session/Exchange.ts"
import { Session } from "../session/Session.ts"
import {
  a,
  answered2xx,
  b,
  branch,
  commitSha,
  drawn,
  eachObject,
  eventually,
  finalizeBuild,
  finalizePreview,
  hostedPreview,
  idOf,
  isRefused,
  isRun,
  listRuns,
  mentions,
  mustFinalize,
  needsTwoRepositories,
  ownFile,
  ownRecording,
  queryOf,
  readById,
  readHosted,
  readLatest,
  readPreview,
  readRow,
  reserveBuild,
  reserveBuildAgain,
  reservePreview,
  runName,
  sendReservation,
  sendRun,
  settled,
  shareIdOf,
  toChecks,
  uploadAll,
  type CheckTable
} from "./steps.ts"

const counts = [0, 1, 2, 4, 7, 9, 16, 17] as const

const ownFiles = (label: string, count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, nth) => ownFile(`${label}.${nth}`))

const ownRecordings = (label: string, count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, nth) => ownRecording(`${label}.${nth}`))

/** A value that may differ at each read: a time, a number, or a URL, which may be signed again. */
const isSteady = (value: Json): boolean =>
  value === null || typeof value === "boolean" || (typeof value === "string" && !/^https?:|^\d{4}-\d\d-/.test(value))

/** The members of an answer, and its status, without values that may differ at each read. */
const rowOf = ({ json, status }: HttpResponse): ReadonlyMap<string, string> =>
  new Map([
    ["", String(status)],
    ...[...eachMember(json)].map(
      ({ path, value }) => [`/${path.join("/")}`, isSteady(value) ? JSON.stringify(value) : typeof value] as const
    )
  ])

/** Requires that a refused request leaves the whole answer to a read as it was: all that two reads before it had alike. */
const mustRefuse = Effect.fnUntraced(function* <E, R, E2, R2>(
  what: string,
  request: Effect.Effect<HttpResponse, E, R>,
  read: Effect.Effect<HttpResponse, E2, R2>
) {
  const [once, again] = [rowOf(yield* settled(read)), rowOf(yield* read)]
  const before = [...once].filter(([path, value]) => again.get(path) === value)
  const isAsBefore = (now: HttpResponse) => {
    const row = rowOf(now)
    return before.every(([path, value]) => row.get(path) === value)
  }
  const answer = yield* request
  yield* must(isRefused(answer), `${what} is refused with 4xx.`, `It returned ${answer.status}.`)
  const after = yield* eventually(read, (now) => !isAsBefore(now))
  yield* must(isAsBefore(after), `${what} changes nothing.`, after.text)
})

/** Requires that the other account reads nothing. */
const mustHide = Effect.fnUntraced(function* <E, R>(what: string, read: Effect.Effect<HttpResponse, E, R>) {
  for (const time of ["first", "second"]) {
    const answer = yield* read
    yield* must(isRefused(answer), `The ${time} read of ${what} by the other account is refused.`, answer.text)
  }
})

/** Builds: some identities, each uploaded up to four times, with refused requests between. */
const buildSequence: CheckTable = {
  "builds.sequence": {
    title:
      "Whatever was uploaded, updated, refused or asked by another account before, a build reads as the model says.",
    cost: { requests: 150, bytes: 30_000 },
    *run() {
      yield* needsTwoRepositories
      const { config } = yield* Session
      const dialect = yield* Dialect
      for (const label of ["one", "two"]) {
        const platform = yield* drawn(`${label}.platform`, ["ios", "android"])
        const files = yield* ownFiles(label, yield* drawn(`${label}.files`, counts))
        let reservation = yield* reserveBuild(label, { files, fields: { platform } })
        const expected = files.length + 1
        yield* must(
          reservation.reserved.slots.length === expected,
          `The reservation of a bundle and ${files.length} files has ${expected} slots.`,
          reservation.reserved.slots.length
        )
        const { url } = reservation.reserved
        const query = queryOf(reservation.input)
        const latest = readLatest(query)
        let id: string | undefined
        for (let upload = 1; upload <= 3; upload++) {
          const at = `${label}.${upload}`
          if (upload > 1) reservation = yield* reserveBuildAgain(at, reservation)
          const { reserved } = reservation
          yield* uploadAll(reserved)
          yield* mustRefuse("A finalize by the other account", dialect.finalizeBuild(reserved.token, b), latest)
          const row = yield* finalizeBuild(reserved)
          yield* must(
            row.url === url && (id === undefined || row.id === id),
            `Upload ${upload} of a build keeps its id and its url ${url ?? ""}.`,
            row.answer.text
          )
          id = yield* idOf(row)
          for (const read of [latest, readById(id)]) {
            const expected = `After upload ${upload}, a read has the url ${url ?? ""} and a previewUrl.`
            yield* readRow(read, expected, (row) => row.url === url && row.previewUrl !== undefined)
          }
          yield* mustHide("a build", readById(id, b))
          const { unlinked } = config.accounts.a
          const elsewhere = { ...reservation.input, fields: { ...reservation.input.fields, ...unlinked } }
          const what = "A reservation for a repository that isn't linked"
          yield* mustRefuse(what, sendReservation(elsewhere, a), latest)
        }
        if (platform === "ios") {
          const { platform: _platform, ...withoutPlatform } = query
          const answer = yield* eventually(readLatest(withoutPlatform), (answer) => mentions(answer, [url ?? ""]))
          yield* must(
            mentions(answer, [url ?? ""]),
            "Without a platform, the latest build is that for iOS.",
            answer.text
          )
        }
      }
      // A later commit of a branch, beside an earlier one.
      const fields = { branch: yield* branch("shared"), platform: "ios" }
      for (const label of ["earlier", "later"]) {
        const { input, reserved } = yield* reserveBuild(label, {
          fields: { ...fields, commitSha: yield* commitSha(label) }
        })
        yield* uploadAll(reserved)
        const row = yield* finalizeBuild(reserved)
        const id = yield* idOf(row)
        const answer = yield* eventually(readLatest(queryOf(input)), (answer) => mentions(answer, [id]))
        yield* must(
          mentions(answer, [id]),
          "The latest build of a branch is the one that was uploaded last.",
          answer.text
        )
      }
    }
  }
}

/** Previews with drawn numbers of files and recordings, one of which arrives late. */
const previewSequence: CheckTable = {
  "previews.sequence": {
    title:
      "Whatever is missing, refused or asked by another account, a preview is hosted whole and read by its account alone.",
    cost: { requests: 120, bytes: 30_000 },
    *run() {
      for (const label of ["one", "two", "three"]) {
        const files = yield* ownFiles(label, yield* drawn(`${label}.files`, counts))
        const recordings = yield* ownRecordings(label, yield* drawn(`${label}.recordings`, [1, 2, 5, 8]))
        const { input, reserved } = yield* reservePreview(label, { files, recordings })
        const shareId = yield* shareIdOf(reserved)
        const expected = 1 + files.length + recordings.length
        yield* must(
          reserved.slots.length === expected,
          `The reservation of ${expected} objects has as many slots.`,
          reserved.slots.length
        )
        const last = yield* drawn(`${label}.missing`, [0, expected - 1, Math.floor(expected / 2)])
        const read = readPreview(shareId)
        yield* uploadAll({ ...reserved, slots: reserved.slots.filter((_, place) => place !== last) })
        yield* mustRefuse(`A finalize without object ${last + 1} of ${expected}`, finalizePreview(reserved), read)
        yield* mustRefuse("A finalize by the other account", finalizePreview(reserved, b), read)
        yield* uploadAll({ ...reserved, slots: reserved.slots.filter((_, place) => place === last) })
        yield* mustRefuse("A finalize of a complete upload by the other account", finalizePreview(reserved, b), read)
        const row = yield* mustFinalize(reserved, " after refused ones")
        const hosted = { input, as: a, row, shareId }
        yield* readHosted(hosted, eachObject(input))
        yield* mustHide("a preview", readPreview(shareId, b))
        yield* mustRefuse("A repeated finalize by the other account", finalizePreview(reserved, b), read)
        yield* readHosted(hosted, eachObject(input))
      }
    }
  }
}

const statuses = ["passed", "failed", "Passed", "PASSED", " passed", "passed ", "pass", "error", "skipped"] as const
const limits = [undefined, 0, -1, 1, 2, 3, 7, 99, 100, 101, 1000] as const

/** Runs on three branches, some of them registered together, listed by drawn filters. */
const runSequence: CheckTable = {
  "runs.sequence": {
    title: "Whatever was registered or refused before, each list has exactly the runs that the model says.",
    cost: { requests: 120, bytes: 1024 },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      const foreign = yield* hostedPreview("foreign", { account: "b" })
      const { config } = yield* Session
      const base = yield* branch("runs")
      const branches = [base, `${base}-two`, `${base}/three`] as const
      const stored: Array<{
        readonly name: string
        readonly kind: string
        readonly branch: string
        readonly passed: boolean
      }> = []
      const register = Effect.fnUntraced(function* (label: string) {
        const [kind, status, own, how] = [
          yield* drawn(`${label}.kind`, ["maestro", "detox"]),
          yield* drawn(`${label}.status`, statuses),
          yield* drawn(`${label}.branch`, branches),
          yield* drawn(`${label}.how`, ["name", "prompt", "both"])
        ]
        const name = yield* runName(label)
        const answer = yield* sendRun(label, shareId, {
          kind,
          status,
          branch: own,
          name: how === "prompt" ? undefined : name,
          prompt: how === "name" ? undefined : `Open ${name}`
        })
        yield* must(answered2xx(answer), "The registration of a test run returns 2xx.", `It returned ${answer.status}.`)
        stored.push({ name, kind, branch: own, passed: status === "passed" })
      })
      const mustList = Effect.fnUntraced(function* (label: string) {
        const own = yield* drawn(`${label}.branch`, branches)
        const kind = yield* drawn(`${label}.kind`, ["maestro", "detox", undefined])
        const limit = yield* drawn(`${label}.limit`, limits)
        const fitting = stored.filter((run) => run.branch === own && (kind === undefined || run.kind === kind))
        const most = limit === undefined ? fitting.length : Math.min(fitting.length, Math.min(100, Math.max(1, limit)))
        const query = { branch: own, ...(kind === undefined ? {} : { kind }), limit }
        const fits = (runs: ReadonlyArray<{ readonly json: Json; readonly passed: boolean }>) =>
          runs.length === most &&
          runs.every(({ json, passed }) => fitting.some((run) => isRun(json, run.name) && run.passed === passed)) &&
          fitting.filter(({ name }) => runs.some(({ json }) => isRun(json, name))).length === most
        const { runs } = yield* eventually(listRuns(query), (listed) => fits(listed.runs))
        const what = `A list of ${JSON.stringify(query)} has ${most} of the ${fitting.length} runs that fit, each with its status.`
        yield* must(
          fits(runs),
          what,
          runs.map(({ json }) => json)
        )
      })
      for (let round = 0; round < 6; round++) {
        const labels = [0, 1, 2].map((nth) => `${round}.${nth}`)
        if (round % 2 === 1) yield* Effect.forEach(labels, register, { concurrency: "unbounded" })
        else yield* Effect.forEach(labels, register)
        const { unlinked } = config.accounts.a
        const refused: ReadonlyArray<readonly [string, string, Fields]> = [
          ["of another account's preview", foreign.shareId, {}],
          ["for a repository that isn't linked", shareId, unlinked],
          ["without a kind", shareId, { kind: undefined }]
        ]
        const [what, preview, fields] = refused[round % refused.length] ?? ["", shareId, {}]
        const label = `refused ${round}`
        const answer = yield* sendRun(label, preview, { kind: "maestro", branch: base, ...fields })
        yield* must(isRefused(answer), `A registration ${what} is refused with 4xx.`, `It returned ${answer.status}.`)
        for (const list of ["first", "second", "third"]) yield* mustList(`${round}.${list}`)
      }
    }
  }
}

/** A check of each profile. */
export const sequenceChecks = toChecks(buildSequence, previewSequence, runSequence)
