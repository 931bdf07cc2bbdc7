/** No report holds a secret of the run: no key, no token, nothing that signs a URL. */
import { assert } from "@effect/vitest"
import { Redacted } from "effect"
import type { Answer, Json } from "../../session/Exchange.ts"
import type { Target } from "../../testing/Target.ts"
import type { Report } from "../Report.ts"
import { allFailed, everyReport } from "./everyReport.ts"

/** Every text in an answer with the name under which it lies. */
const texts = (json: Json | undefined, name = ""): ReadonlyArray<readonly [name: string, text: string]> => {
  if (typeof json === "string") return [[name, json]]
  if (typeof json !== "object" || json === null) return []
  return Object.entries(json).flatMap(([key, value]) => texts(value, Array.isArray(json) ? name : key))
}

/** The secret part of a URL, in each form that the fair hosts and the reference host use. */
const signing = /[?&](?:signature|sig|cap|X-Amz-Signature|X-Amz-Credential)=([^&\s"]+)/gi

const isUrl = (text: string): boolean => /^https?:/.test(text)

/** The secrets in the answers, found without the suite's own code for redaction. */
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

/** A report with its character references resolved. */
export const resolved = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

/** The shortest secret that is looked for. */
const shortest = 8

/** Those of the secrets that occur in a text, found in one pass. Each has at least `shortest` characters. */
const occurring = (text: string, wanted: ReadonlySet<string>): ReadonlyArray<string> => {
  const byStart = Map.groupBy(wanted, (one) => one.slice(0, shortest))
  const found = new Set<string>()
  for (let place = 0; place < text.length; place++) {
    for (const one of byStart.get(text.slice(place, place + shortest)) ?? []) {
      if (text.startsWith(one, place)) found.add(one)
    }
  }
  return [...found]
}

/** Asserts that no report of a run contains a secret of the answers that the target really gave. */
export const assertNoSecrets = (report: Report, target: Target, answers: ReadonlyArray<Answer>): void => {
  const [keys, secrets] = [keysOf(target), new Set(secretsIn(answers).filter((one) => one.length >= shortest))]
  assert.isAbove(keys.length, 4)
  assert.isAbove(secrets.size, 100)
  const spelled = new Set([...keys, ...secrets].flatMap(spellings))
  for (const [name, text] of Object.entries(everyReport(allFailed(report)))) {
    const leaked = occurring(resolved(text), spelled)
    assert.deepStrictEqual(leaked.slice(0, 3), [], `the ${name} of a run of ${target.config.url}`)
  }
}
