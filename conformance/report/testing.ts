import { exampleConfig, exampleTarget } from "../testing/example.ts"
import type { CheckResult, Report } from "./Report.ts"
import { renderBadge, renderJson, renderJunit } from "./files.ts"
import { renderConsole } from "./console.ts"
import { renderHtml } from "./html.ts"
import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { Target } from "../testing/target.ts"
import { assert } from "@effect/vitest"
import type { HttpResponse, Json } from "../session/Exchange.ts"
import { execFile, execFileSync } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

type Exchange = CheckResult["exchanges"][number]

/** A reservation that was answered. */
export const exampleExchange: Exchange = {
  at: 12,
  request: {
    method: "POST",
    url: `${exampleConfig.url}/api/v1/builds`,
    as: { account: "a", key: "all" },
    headers: {},
    json: { owner: "north", repo: "harbour" }
  },
  answer: {
    status: 201,
    headers: { "content-type": "application/json" },
    text: '{"token":"‹redacted 1›","url":"https://service.example/builds/7"}'
  }
}

/** A result of the check that finalize answers 201, which passed by default. */
export const exampleResult = (more: Partial<CheckResult> = {}): CheckResult => ({
  id: "builds.finalize.created",
  profile: "builds",
  title: "Finalize returns 201.",
  level: "MUST",
  requirements: ["builds.finalize.answer"],
  outcome: "passed",
  durationMs: 34,
  exchanges: [exampleExchange],
  ...more
})

/** It failed, because the answer was 200. */
export const exampleFailure = exampleResult({
  outcome: "failed",
  violation: { expected: "Finalize returns 201", came: "status 200 with {}" }
})

/** A report of a run of one profile with these results. `more` replaces other members of the report. */
export const exampleReport = (checks: ReadonlyArray<CheckResult>, more: Partial<Report> = {}): Report => ({
  suite: { version: "1.2.3", digest: "5".repeat(64) },
  interface: { digest: "1".repeat(64) },
  run: {
    id: "0123456789ab",
    startedAt: "2026-11-21T12:54:48.118Z",
    durationMs: 1853,
    readOnly: false,
    planned: checks.map(({ id }) => id)
  },
  config: { ...exampleConfig, profiles: ["builds"] },
  verdicts: { builds: "conformant" },
  checks,
  choices: [],
  ledger: [],
  ...more
})

/** Every form of a report, by name. */
export const everyReport = (report: Report): Readonly<Record<string, string>> => ({
  badge: renderBadge(report),
  console: renderConsole(report),
  html: renderHtml(report),
  json: renderJson(report),
  junit: renderJunit(report)
})

/** The same run as if every check of it had failed, so that every report shows as much as it ever does. */
export const allFailed = (report: Report): Report => ({
  ...report,
  checks: report.checks.map((one) => ({
    ...one,
    outcome: "failed",
    level: "MUST",
    violation: one.violation ?? { expected: "Something else", came: "This" }
  }))
})

/** Texts that must stay plain text in every report: markup, ends of CDATA, marks of direction, terminal controls, NUL, a lone surrogate, forged lines. */
export const hostile = [
  `<script>document.title = "hacked"</script><img src="http://outside.example/x.png" onerror="alert(1)">`,
  "]]>",
  "\u202Egnp.exe\u200F",
  "\u0000\u0007\u001B[31m\u009B2J",
  "\uD800",
  "\r\nFORGED all checks passed\n",
  "</pre></code></details></style>",
  `'; rm -rf / #`
].join(" ")

const line = `${hostile}${"x".repeat(16 * 1024)}`

/**
 * A target that accepts uploads and answers with hostile texts in every value, name and body. It runs until the scope
 * closes.
 */
export const hostileTarget = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((request, response) => {
      request.resume()
      const self = `http://${request.headers.host}`
      const slot = {
        putUrl: `${self}/put?signature=signed-for-nobody-else&x=<b>`,
        contentType: "text/javascript",
        objectKey: hostile
      }
      const row = {
        url: `${self}/b/<script>\u202E`,
        previewUrl: hostile,
        id: hostile,
        status: hostile,
        [hostile]: line
      }
      const answer = {
        ...row,
        token: "a token that nobody may see",
        shareId: hostile,
        slots: { bundle: slot, files: [] }
      }
      const isText = request.method === "GET"
      response.writeHead(request.url?.startsWith("/put") === true ? 200 : 201, {
        "content-type": isText ? "text/html; charset=utf-8" : "application/json",
        location: "javascript:alert(1)",
        "x-request-id": "<script>"
      })
      response.end(isText ? line : JSON.stringify(answer))
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`
    return { server, target: { ...exampleTarget, config: { ...exampleTarget.config, url } } satisfies Target }
  }),
  ({ server }) =>
    Effect.promise(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    })
).pipe(Effect.map(({ target }) => target))

// No report holds a secret of the run: no key, no token, nothing that signs a URL.

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
const secretsIn = (answers: ReadonlyArray<HttpResponse>): ReadonlyArray<string> =>
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
export const assertNoSecrets = (report: Report, target: Target, answers: ReadonlyArray<HttpResponse>): void => {
  const [keys, secrets] = [keysOf(target), new Set(secretsIn(answers).filter((one) => one.length >= shortest))]
  assert.isAbove(keys.length, 4)
  assert.isAbove(secrets.size, 100)
  const spelled = new Set([...keys, ...secrets].flatMap(spellings))
  for (const [name, text] of Object.entries(everyReport(allFailed(report)))) {
    const leaked = occurring(resolved(text), spelled)
    assert.deepStrictEqual(leaked.slice(0, 3), [], `the ${name} of a run of ${target.config.url}`)
  }
}

/** Whether `xmllint` is installed. Debian has it in `libxml2-utils`. */
export const hasXmllint = ((): boolean => {
  try {
    execFileSync("xmllint", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

/** What xmllint finds wrong with XML, checked against a schema of this folder if one is named; empty when it is valid. */
export const xmllint = async (xml: string, schema?: string): Promise<string> => {
  const against = schema === undefined ? [] : ["--schema", join(import.meta.dirname, schema)]
  const running = promisify(execFile)("xmllint", ["--noout", "--nonet", ...against, "-"], { maxBuffer: 16 * 1024 ** 2 })
  running.child.stdin?.end(xml)
  return running.then(
    () => "",
    (failed: { readonly stderr: string }) => failed.stderr
  )
}
