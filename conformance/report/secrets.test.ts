/** No report holds a secret of the run: no key, no token, nothing that signs a URL. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { checks } from "../checks/index.ts"
import { fairHosts } from "../fair/hosts.ts"
import { plan } from "../run/plan.ts"
import { run } from "../run/run.ts"
import type { Answer, Json } from "../session/Exchange.ts"
import { Transport } from "../session/transport.ts"
import { fairTarget } from "../testing/fairTarget.ts"
import { referenceHost } from "../testing/referenceHost.ts"
import type { Target } from "../testing/Target.ts"
import { allFailed, everyReport } from "./testing/everyReport.ts"

/** Runs the suite, and hands back what the target really answered. */
const overheard = Effect.fnUntraced(function* (target: Target) {
  const answers: Array<Answer> = []
  const listening = Layer.effect(
    Transport,
    Effect.map(Transport, ({ send }) =>
      Transport.of({
        send: (request) => Effect.tap(send(request), (answer) => Effect.sync(() => answers.push(answer)))
      })
    )
  ).pipe(Layer.provide(Transport.layer))
  const { report } = yield* run({
    id: "0123456789ab",
    ...target,
    plan: yield* plan(checks, { profiles: target.config.profiles, only: [], readOnly: false }),
    expectations: [],
    onProgress: () => Effect.void
  }).pipe(Effect.provide(listening))
  return { report, answers }
})

/** Every text in an answer with the name under which it lies. */
const texts = (json: Json | undefined, name = ""): ReadonlyArray<readonly [name: string, text: string]> => {
  if (typeof json === "string") return [[name, json]]
  if (typeof json !== "object" || json === null) return []
  return Object.entries(json).flatMap(([key, value]) => texts(value, Array.isArray(json) ? name : key))
}

/** What signs a URL or opens what it leads to, in whichever way the fair hosts and the reference host do it. */
const signing = /[?&](?:signature|sig|cap|X-Amz-Signature|X-Amz-Credential)=([^&\s"]+)/gi

const isUrl = (text: string): boolean => /^https?:/.test(text)

/** The secrets among what was answered, found without the suite's own idea of what is one. */
const secretsIn = (answers: ReadonlyArray<Answer>): ReadonlyArray<string> =>
  answers.flatMap(({ json }) =>
    texts(json).flatMap(([name, text]) => {
      const signatures = [...text.matchAll(signing)].map(([, value = ""]) => value)
      const token = /token/i.test(name) && !isUrl(text) ? [text] : []
      // Where a URL to PUT to has no query, its path is what opens it.
      const path = name === "putUrl" && !text.includes("?") ? [text.slice(text.lastIndexOf("/") + 1)] : []
      return [...signatures, ...token, ...path]
    })
  )

const keysOf = ({ keys }: Target): ReadonlyArray<string> =>
  Object.values(keys).flatMap((some) => Object.values(some).map((key) => Redacted.value(key)))

const spellings = (secret: string): ReadonlyArray<string> => [
  secret,
  decodeURIComponent(secret),
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64"),
  Buffer.from(`${secret}:`).toString("base64"),
  JSON.stringify(secret).slice(1, -1)
]

/** A report as somebody reads it who resolves its character references. */
const resolved = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))

const holdsNone = Effect.fnUntraced(function* (target: Target) {
  const { answers, report } = yield* overheard(target)
  const [keys, secrets] = [keysOf(target), new Set(secretsIn(answers).filter((one) => one.length >= 8))]
  assert.isAbove(keys.length, 4)
  assert.isAbove(secrets.size, 100)
  const spelled = new Set([...keys, ...secrets].flatMap(spellings))
  for (const [name, text] of Object.entries(everyReport(allFailed(report)))) {
    const readable = resolved(text)
    const leaked = [...spelled].filter((one) => readable.includes(one))
    assert.deepStrictEqual(leaked.slice(0, 3), [], `the ${name} of a run of ${target.config.url}`)
  }
})

describe("the secrets of a run are in no report", () => {
  it.live("of the reference host", () => Effect.flatMap(referenceHost(), holdsNone).pipe(Effect.scoped))

  for (const [name, start] of Object.entries(fairHosts)) {
    it.live(`of the fair host ${name}`, () =>
      Effect.gen(function* () {
        const host = yield* Effect.acquireRelease(
          Effect.promise(() => start()),
          ({ stop }) => Effect.promise(stop)
        )
        yield* holdsNone(fairTarget(host))
      }).pipe(Effect.scoped)
    )
  }
})
