/**
 * The requests that every check needs, once with each key, before a run: what the target refuses of them is a wrong setting, and
 * not a fault in every check. Reports have nothing of it but the ledger.
 */
import { Effect, Layer } from "effect"
import { keyOf } from "../checks/steps/accounts.ts"
import { answered2xx } from "../checks/steps/answers.ts"
import type { Profile } from "../checks/steps/Check.ts"
import { buildInput, previewInput } from "../checks/steps/inputs.ts"
import { shareIdOf } from "../checks/steps/previews.ts"
import { sendRun } from "../checks/steps/runs.ts"
import { uploadAll } from "../checks/steps/uploadAll.ts"
import { Refused } from "../config/Refused.ts"
import { Dialect, type BuildInput, type PreviewInput } from "../dialect/Dialect.ts"
import * as dialectLayer from "../dialect/layer.ts"
import type { Report } from "../report/Report.ts"
import { excerpt, oneLine } from "../report/visible.ts"
import type { AccountName, Answer, KeyName } from "../session/Exchange.ts"
import { live, type RunContext } from "../session/live.ts"
import { Session } from "../session/Session.ts"
import { Transport } from "../session/transport.ts"
import { Unreachable } from "./reach.ts"

/** What stands for a check in the ledger. */
export const rehearsal = "rehearsal"

interface Asked {
  /** Begins a sentence: "The reservation of a build". */
  readonly what: string
  readonly body: "buildReserve" | "previewReserve" | "runRegister"
  readonly scope: string
  readonly account: AccountName
  readonly key: KeyName
}

const build = { what: "The reservation of a build", body: "buildReserve", scope: "builds" } as const
const preview = { what: "The reservation of a preview", body: "previewReserve", scope: "preview_upload" } as const
const register = { what: "The registration of a test run", body: "runRegister", scope: "test_runs" } as const

/** Those with a key of every scope, and with one that has only the scope that is needed. */
const keys = (scoped: KeyName) =>
  [
    { account: "a", key: "all" },
    { account: "b", key: "all" },
    { account: "a", key: scoped }
  ] as const

/** The setting that a refusal is about; `undefined` where the checks must judge the answer. */
const mismatch = ({ account, body, key, scope, what }: Asked, { status, text }: Answer): string | undefined => {
  if (status === 401 || status === 403) {
    return `accounts.${account}.keys.${key}: ${what.toLowerCase()} is refused (${status}); has the key write access and the scope ${scope}?`
  }
  if (status !== 400 && status !== 415 && status !== 422) return undefined
  return `bindings.bodies.${body}: ${what.toLowerCase()} is refused (${status}); does the target want other fields? It says ${excerpt(oneLine(text), 300)}`
}

/** Every origin that isn't the target's own must be there. */
const reachUploads = Effect.fnUntraced(function* (
  { config }: RunContext,
  slots: ReadonlyArray<{ readonly putUrl: string }>
) {
  const { send } = yield* Transport
  for (const origin of new Set(slots.map(({ putUrl }) => new URL(putUrl).origin))) {
    if (origin === new URL(config.url).origin) continue
    const probe = { method: "GET", url: `${origin}/`, headers: {}, body: undefined, timeoutMs: config.timeoutMs }
    const failed = ({ reason }: { readonly reason: string }) =>
      new Unreachable({ reason: `A putUrl can't be reached. ${reason}` })
    yield* Effect.mapError(send(probe), failed)
  }
})

/** What a rehearsal made, and what is wrong, if anything. */
export interface Rehearsed {
  readonly made: Report["ledger"]
  /** The settings that the target doesn't accept, or the origin of a `putUrl` that doesn't answer. */
  readonly problem: Refused | Unreachable | undefined
}

export const rehearse = Effect.fnUntraced(function* (
  run: RunContext,
  profiles: ReadonlyArray<Profile>
): Effect.fn.Return<Rehearsed, never, Transport> {
  const { log, session } = yield* live(run, rehearsal)
  const wrong: Array<string> = []
  const answered = (asked: Asked, answer: Answer): boolean => {
    const said = mismatch(asked, answer)
    if (said !== undefined) wrong.push(said)
    return answered2xx(answer)
  }
  const reserving = Effect.fnUntraced(function* (asked: Asked, input: BuildInput | PreviewInput) {
    const dialect = yield* Dialect
    const as = keyOf(asked.account, asked.key)
    const answer =
      "recordings" in input ? yield* dialect.reservePreview(input, as) : yield* dialect.reserveBuild(input, as)
    return answered(asked, answer) ? yield* dialect.reserved(answer, input) : undefined
  })
  const rehearsed = Effect.gen(function* () {
    const dialect = yield* Dialect
    if (profiles.includes("builds")) {
      for (const { account, key } of keys("builds")) {
        const reserved = yield* reserving(
          { ...build, account, key },
          yield* buildInput(`${account} ${key}`, { account })
        )
        yield* reachUploads(run, reserved?.slots ?? [])
      }
    }
    if (!profiles.includes("previews") && !profiles.includes("testRuns")) return
    for (const { account, key } of keys("previewUpload")) {
      const input = yield* previewInput(`preview ${account} ${key}`, { account })
      const reserved = yield* reserving({ ...preview, account, key }, input)
      yield* reachUploads(run, reserved?.slots ?? [])
      if (reserved === undefined || !profiles.includes("testRuns") || key !== "all") continue
      yield* uploadAll(reserved)
      if (!answered2xx(yield* dialect.finalizePreview(reserved, keyOf(account)))) continue
      for (const one of keys("testRuns").filter((one) => one.account === account)) {
        const answer = yield* sendRun(`${account} ${one.key}`, yield* shareIdOf(reserved), {}, keyOf(account, one.key))
        answered({ ...register, ...one }, answer)
      }
    }
  })
  const unreachable = yield* rehearsed.pipe(
    Effect.provide(dialectLayer.layer.pipe(Layer.provideMerge(Layer.succeed(Session, session)))),
    Effect.as(undefined),
    // Whatever else is wrong, the checks report.
    Effect.catchTags({
      Violation: () => Effect.undefined,
      NoAnswer: () => Effect.undefined,
      Unreachable: (problem) => Effect.succeed(problem)
    })
  )
  const { made, redact } = yield* log
  const message = ["The target refuses what every check needs:", ...new Set(wrong.map(redact))].join("\n  ")
  return {
    made: made.map(({ id, kind, url }) => ({
      check: rehearsal,
      what: kind,
      id: redact(id),
      ...(url === undefined ? {} : { url: redact(url) })
    })),
    problem: unreachable ?? (wrong.length === 0 ? undefined : new Refused({ message }))
  }
})
