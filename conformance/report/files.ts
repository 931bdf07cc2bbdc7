import { Schema } from "effect"
import { commandName } from "../config/commandName.ts"
import {
  profileNames,
  Report,
  rerun,
  sentencesOf,
  standingOf,
  standings,
  verdictsIn,
  type CheckResult,
  type Verdict
} from "./Report.ts"
import { excerpt, oneLine, visible } from "./text.ts"
import { html as svg, html as xml, type SafeHtml } from "@remix-run/html-template"
import { curl, exchangeLines, requestLines } from "./exchangeText.ts"
import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto"
import { isObject } from "../dialect/Dialect.ts"
import { isList, type Json } from "../session/Exchange.ts"

/** The JSON Schema (2020-12) of a report. */
export const reportJsonSchema = (): Readonly<Record<string, unknown>> => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(Report, { onExcessProperty: "error" })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `Report of ${commandName}`,
    ...schema,
    $defs: definitions
  }
}

const encode = Schema.encodeSync(Report)

/** A report as a file of JSON: what `slipway conformance verify` and `diff` read. It is also safe to show on a terminal. */
export const renderJson = (report: Report): string => `${visible(JSON.stringify(encode(report), undefined, 2))}\n`

/** The most characters of a body, of all exchanges of a check together, of a message, and of a sentence. */
const most = { body: 2000, exchanges: 60_000, message: 400, sentence: 4000 }

const elementOf = (result: CheckResult) => standings[standingOf(result)].element

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3)

const countOf = (results: ReadonlyArray<CheckResult>, element: "failure" | "error" | "skipped"): number =>
  results.filter((one) => elementOf(one) === element).length

const message = (result: CheckResult): string => {
  const { label } = standings[standingOf(result)]
  return `${label}: ${excerpt(oneLine(result.violation?.came ?? result.reason ?? ""), most.message)}`
}

/** The text below the message. */
const details = (report: Report, result: CheckResult, configFile: string | undefined): string =>
  [
    `${result.level} ${result.title}`,
    ...sentencesOf(result).map(({ id, section, text }) => `Sentence: §${section} ${text} (${id})`),
    ...(result.violation === undefined
      ? []
      : [`Expected: ${result.violation.expected}`, `Came: ${excerpt(result.violation.came, most.sentence)}`]),
    ...(result.reason === undefined ? [] : [`Reason: ${excerpt(result.reason, most.sentence)}`]),
    `Alone: ${rerun(report, result.id, configFile)}`
  ]
    .map(visible)
    .join("\n")

const outcome = (report: Report, result: CheckResult, configFile: string | undefined): SafeHtml | undefined => {
  const element = elementOf(result)
  if (element === undefined) return undefined
  const [said, text] = [message(result), details(report, result, configFile)]
  const type = standingOf(result)
  return xml`<${element} type="${type}" message="${said}">${text}</${element}>`
}

/** The exchanges of a check that failed or had no answer. */
const transcript = ({ config }: Report, result: CheckResult): SafeHtml | undefined => {
  const element = elementOf(result)
  const { unanswered } = result
  if (element === undefined || element === "skipped") return undefined
  const said = result.exchanges.map((one) =>
    [...exchangeLines(one, most.body), curl(one, config.bindings.key)].join("\n")
  )
  if (unanswered !== undefined) {
    said.push([...requestLines(unanswered), "< nothing", curl({ request: unanswered }, config.bindings.key)].join("\n"))
  }
  if (said.length === 0) return undefined
  return xml`<system-out>${excerpt(said.join("\n\n"), most.exchanges)}</system-out>`
}

const testcase = (report: Report, result: CheckResult, configFile: string | undefined): SafeHtml => {
  const { durationMs, id, profile, title } = result
  return xml`<testcase name="${visible(id)}: ${oneLine(title)}" classname="slipway.conformance.${profile}" time="${seconds(durationMs)}">${outcome(report, result, configFile)}${transcript(report, result)}</testcase>
`
}

const properties = (report: Report, profile: string): Array<SafeHtml> =>
  Object.entries({
    target: report.config.url,
    verdict: report.verdicts[profile] ?? "",
    run: report.run.id,
    "suite.version": report.suite.version,
    "suite.digest": report.suite.digest,
    "interface.digest": report.interface.digest
  }).map(([name, value], index) => xml`${index === 0 ? "" : "\n"}<property name="${name}" value="${oneLine(value)}"/>`)

const testsuite = (
  report: Report,
  profile: CheckResult["profile"],
  results: ReadonlyArray<CheckResult>,
  configFile: string | undefined
): SafeHtml => {
  const timestamp = report.run.startedAt.slice(0, 19)
  const took = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0))
  return xml`<testsuite name="Slipway interface: ${profileNames[profile]}" tests="${results.length}" failures="${countOf(results, "failure")}" errors="${countOf(results, "error")}" skipped="${countOf(results, "skipped")}" time="${took}" timestamp="${visible(timestamp)}">
<properties>
${properties(report, profile)}
</properties>
${results.map((one) => testcase(report, one, configFile))}</testsuite>
`
}

/**
 * A run for CI servers (JUnit XML): a testsuite for each profile, a testcase for each check. No answer and a fault of the
 * suite are errors. What was skipped, was expected to fail or only warns is skipped.
 */
export const renderJunit = (report: Report, options: { readonly configFile?: string } = {}): string => {
  const { checks, run } = report
  const suites = [...Map.groupBy(checks, ({ profile }) => profile)].map(([profile, results]) =>
    testsuite(report, profile, results, options.configFile)
  )
  return String(xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Slipway conformance" tests="${checks.length}" failures="${countOf(checks, "failure")}" errors="${countOf(checks, "error")}" time="${seconds(run.durationMs)}">
${suites}</testsuites>
`)
}

const colours: Readonly<Record<Verdict, string>> = {
  conformant: "#237a3c",
  partial: "#8a5a00",
  inconclusive: "#8a5a00",
  failed: "#b3261e"
}

/** The most serious first. */
const bySeriousness: ReadonlyArray<Verdict> = ["failed", "inconclusive", "partial", "conformant"]

const label = "slipway interface"

/** What of a report a badge shows. */
type Badged = Pick<Report, "config" | "run" | "suite" | "verdicts">

/** What the badge says: `conformant · builds, previews`, with each verdict's profiles where they differ, and of which target, day and suite. */
export const badgeMessage = (report: Badged): string => {
  const verdicts = bySeriousness.flatMap((verdict) => {
    const names = verdictsIn(report).filter((one) => one.verdict === verdict)
    return names.length === 0 ? [] : [`${verdict} · ${names.map(({ name }) => name).join(", ")}`]
  })
  const { config, run, suite } = report
  return [...verdicts, `${new URL(config.url).host} · ${run.startedAt.slice(0, 10)} · suite ${suite.version}`].join(
    " | "
  )
}

/** About how many pixels wide each of these characters is in Verdana at 11 px. Every other is about 6.7. */
const widths: ReadonlyArray<readonly [characters: RegExp, width: number]> = [
  [/[ijl]/, 3],
  [/[ft,.:|·\s]/, 4],
  [/r/, 4.7],
  [/[csz]/, 5.8],
  [/[mwMW]/, 10]
]

/** About how wide a text is. The badge stretches the text to exactly this width. */
const widthOf = (text: string): number =>
  Math.ceil(
    [...text].reduce(
      (sum, character) => sum + (widths.find(([characters]) => characters.test(character))?.[1] ?? 6.7),
      0
    )
  )

/** The verdict as an SVG image for a README, with a link to the report if there is one. It loads no font and no other file. */
export const renderBadge = (report: Badged, link?: string): string => {
  const message = visible(badgeMessage(report))
  const worst = bySeriousness.find((verdict) => verdictsIn(report).some((one) => one.verdict === verdict)) ?? "failed"
  const [left, right] = [widthOf(label), widthOf(message)]
  const [labelWidth, messageWidth] = [left + 14, right + 14]
  const width = labelWidth + messageWidth
  return String(svg`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${message}">
<title>${label}: ${message}</title>
${link === undefined ? "" : svg`<a href="${link}">`}<clipPath id="round"><rect width="${width}" height="20" rx="4"/></clipPath>
<g clip-path="url(#round)"><path fill="#3f474c" d="M0 0h${labelWidth}v20H0z"/><path fill="${colours[worst]}" d="M${labelWidth} 0h${messageWidth}v20H${labelWidth}z"/></g>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
<text x="7" y="14" textLength="${left}">${label}</text>
<text x="${labelWidth + 7}" y="14" textLength="${right}">${message}</text>
</g>${link === undefined ? "" : svg`</a>`}
</svg>
`)
}

// An Ed25519 signature over a report, so that nobody can change it on its way.

const sorted = (json: Json): Json => {
  if (isList(json)) return json.map(sorted)
  if (!isObject(json)) return json
  const entries = Object.entries(json).map(([name, value]) => [name, sorted(value)] as const)
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** What is signed: the report without its signature as compact JSON, its members in the order of their names. */
const signedText = (report: Readonly<Record<string, Json>>): Buffer => {
  const { signature: _, ...rest } = report
  return Buffer.from(JSON.stringify(sorted(rest)))
}

/** The Ed25519 private key in a PEM file; `undefined` when there is none in it. */
export const privateKeyIn = (pem: string): KeyObject | undefined => {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === "ed25519" ? key : undefined
  } catch {
    return undefined
  }
}

/** The report with a signature by this key in place of any that it has. */
export const signed = (report: Report, key: KeyObject): Report => {
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64")
  const value = sign(null, signedText(JSON.parse(renderJson(report))), key).toString("base64")
  return { ...report, signature: { algorithm: "ed25519", publicKey, value } }
}

/** A public key as people compare it, like that of `ssh-keygen -l`. */
const fingerprint = (der: Buffer): string => `SHA256:${createHash("sha256").update(der).digest("base64url")}`

/** Whose signature a parsed report has, and whether it is over this report; `undefined` when it has none. */
export const signatureOf = (
  said: Readonly<Record<string, Json>>,
  { signature }: Pick<Report, "signature">
): { readonly by: string; readonly fits: boolean } | undefined => {
  if (signature === undefined) return undefined
  const der = Buffer.from(signature.publicKey, "base64")
  const by = fingerprint(der)
  try {
    const key = createPublicKey({ key: der, format: "der", type: "spki" })
    const fits = key.asymmetricKeyType === "ed25519"
    return { by, fits: fits && verify(null, signedText(said), key, Buffer.from(signature.value, "base64")) }
  } catch {
    return { by, fits: false }
  }
}
