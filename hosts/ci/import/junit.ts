/** Reads JUnit's XML as a stream: of a report that was cut, the test cases that stand whole, and the one that it was cut in. */
import { createReadStream } from "node:fs"
import { basename } from "node:path"
import { SaxesParser } from "saxes"
import type { ImportLog } from "./ImportLog.ts"
import { numberOf } from "./json.ts"

type Attributes = Readonly<Record<string, string>>

/** A test case, with the attributes of its suite. */
export interface TestCase {
  readonly suite: Attributes
  readonly attributes: Attributes
  readonly properties: Attributes
  /** The message of a failure or an error. */
  readonly failure: string | undefined
  /** The messages of the tries that failed before its last one, as Surefire lists them. */
  readonly earlierFailures: ReadonlyArray<string>
  /** What it printed, to stdout and stderr. */
  readonly output: string
  readonly isSkipped: boolean
  /** Why its outcome is unknown: the report ends in it. */
  readonly interruption: string | undefined
}

/** A report. One that was cut may miss test cases that failed. */
export interface Report {
  readonly path: string
  /** The attributes of its first element. */
  readonly root: Attributes
  readonly cases: ReadonlyArray<TestCase>
  /** Why it has fewer cases than ran, if no case of its own shows it. */
  readonly interruption: string | undefined
  /** Why it has fewer tests or failures than it counts. Maestro counts failures that only a status shows. */
  readonly lacking: string | undefined
}

/** XML has no control characters but these; tools write them all the same. */
const refusedByXml = /[^\P{Cc}\t\r\n]/gu

/** Two texts of a failure: what stands in its attribute is often the beginning of what stands in it. */
const messageOf = (attribute: string, text: string): string =>
  text.includes(attribute.trim()) ? text.trim() : `${attribute}\n${text}`.trim()

/** The name of a test with that of its class or suite, which some tools repeat in it. */
export const fullNameOf = ({ attributes }: TestCase): string => {
  const { classname = "", name = "" } = attributes
  return classname === "" || name.startsWith(classname) || name.endsWith(classname) ? name : `${classname} ${name}`
}

export const durationMsOf = ({ attributes }: TestCase): number | undefined => {
  const seconds = numberOf(attributes["time"])
  return seconds === undefined || seconds < 0 ? undefined : Math.round(seconds * 1000)
}

const retriedFailure = /^(?:flaky|rerun)(?:Failure|Error)$/

const countIn = (attributes: Attributes, ...names: ReadonlyArray<string>): number =>
  names.reduce((sum, name) => sum + (numberOf(attributes[name]) ?? 0), 0)

/**
 * Why a whole report has less than ran, if it counts more tests or failures than it has: the larger count is that of the first
 * element, or of the suites in it together.
 */
const lackingIn = (
  file: string,
  counting: ReadonlyArray<ReadonlyArray<Attributes>>,
  has: { readonly tests: number; readonly failures: number }
): string | undefined => {
  const most = (...names: ReadonlyArray<string>): number =>
    Math.max(...counting.map((all) => all.reduce((sum, one) => sum + countIn(one, ...names), 0)))
  const [failures, tests] = [most("failures", "errors"), most("tests")]
  if (failures > has.failures)
    return `the report ${basename(file)} counts ${failures} failures, and has ${has.failures}`
  return tests > has.tests ? `the report ${basename(file)} counts ${tests} tests, and has ${has.tests}` : undefined
}

const isReport = (root: string): boolean => /^testsuites?$/.test(root)

/** The test cases of a report; `undefined` of XML that is no report. A fault is reported, with its line. */
export const readJUnit = async (file: string, log: ImportLog): Promise<Report | undefined> => {
  const cases: Array<TestCase> = []
  const suites: Array<Attributes> = []
  const topSuites: Array<Attributes> = []
  let failureCount = 0
  let root: string | undefined
  let ofRoot: Attributes = {}
  let open:
    | {
        attributes: Attributes
        properties: Record<string, string>
        failures: Array<string>
        earlierFailures: Array<string>
        isSkipped: boolean
        output: string
      }
    | undefined
  let isOutput = false
  let failing: { readonly attribute: string; text: string; readonly isEarlier: boolean } | undefined
  let fault: { readonly line: number; readonly reason: string } | undefined

  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false })
  parser.on("error", (error) => {
    fault ??= { line: parser.line, reason: error.message.replace(/^[^a-z]*(?::?\d+:\d+: )?/i, "") }
  })
  parser.on("opentag", ({ attributes, name }) => {
    if (fault !== undefined) return
    if (root === undefined) [root, ofRoot] = [name, attributes]
    if (name === "failure" || name === "error") failureCount += 1
    if (name === "testsuite") {
      if (suites.length === 0) topSuites.push(attributes)
      suites.push(attributes)
    } else if (name === "testcase")
      open = { attributes, properties: {}, failures: [], earlierFailures: [], isSkipped: false, output: "" }
    else if (open === undefined) return
    else if (name === "failure" || name === "error" || retriedFailure.test(name))
      failing = { attribute: attributes["message"] ?? "", text: "", isEarlier: retriedFailure.test(name) }
    else if (name === "skipped") open.isSkipped = true
    else if (name === "system-out" || name === "system-err") isOutput = true
    else if (name === "property") open.properties[attributes["name"] ?? ""] = attributes["value"] ?? ""
  })
  const onText = (text: string) => {
    if (fault !== undefined) return
    if (failing !== undefined) failing.text += text
    else if (isOutput && open !== undefined) open.output += text
  }
  const failed = () => {
    if (failing !== undefined)
      open?.[failing.isEarlier ? "earlierFailures" : "failures"].push(messageOf(failing.attribute, failing.text))
    failing = undefined
  }
  const ended = (interruption?: string) => {
    if (open === undefined) return
    const { failures, ...rest } = open
    const failure = failures.length === 0 ? undefined : failures.join("\n\n")
    cases.push({ suite: suites.at(-1) ?? {}, ...rest, failure, interruption })
    open = undefined
    isOutput = false
  }
  parser.on("text", onText)
  parser.on("cdata", onText)
  parser.on("closetag", ({ name }) => {
    if (fault !== undefined) return
    if (name === "testsuite") suites.pop()
    if (name === "failure" || name === "error" || retriedFailure.test(name)) failed()
    if (name === "system-out" || name === "system-err") isOutput = false
    if (name === "testcase") ended()
  })

  // A file that is empty, or ends before its first element, may have been about to become a report.
  let isXml = true
  let isFirst = true
  for await (const chunk of createReadStream(file, { encoding: "utf8" })) {
    if (isFirst) isXml = /^\s*(?:<|$)/.test(String(chunk))
    isFirst = false
    parser.write(String(chunk).replaceAll(refusedByXml, "\uFFFD"))
    if (fault !== undefined || !isXml || (root !== undefined && !isReport(root))) break
  }
  if (!isXml || (root !== undefined && !isReport(root))) return undefined
  if (fault === undefined) parser.close()
  if (fault === undefined) {
    const lacking = lackingIn(file, [[ofRoot], topSuites], { tests: cases.length, failures: failureCount })
    return { path: file, root: ofRoot, cases, interruption: undefined, lacking }
  }
  const reason = `It is broken here (${fault.reason}); ${cases.length} whole test cases before it were read.`
  log.problem({ file, line: fault.line, reason })
  const cut = `the report ${basename(file)} was cut after ${cases.length} whole test cases`
  if (open === undefined) return { path: file, root: ofRoot, cases, interruption: cut, lacking: undefined }
  failed()
  ended(cut)
  return { path: file, root: ofRoot, cases, interruption: undefined, lacking: undefined }
}

/**
 * The tool that wrote a report with test cases; `undefined` of any other than the two. Maestro gives each test case a status in
 * capitals, or its suites a device. jest-junit names all suites together, counts in each what was skipped, and writes times without an
 * offset and no name of the machine.
 */
const toolOf = ({ cases, root }: Report): "Maestro" | "Detox" | undefined => {
  if (cases.some(({ attributes, suite }) => /^[A-Z]+$/.test(attributes["status"] ?? "") || "device" in suite))
    return "Maestro"
  const isOfJest = ({ suite }: TestCase) =>
    "skipped" in suite && !("hostname" in suite) && /^[-\d]+T[:\d]+$/.test(suite["timestamp"] ?? "")
  return "name" in root && cases.every(isOfJest) ? "Detox" : undefined
}

/** A report of this tool; `undefined` for another tool's, which is reported. */
export const readJUnitOf = async (
  tool: "Maestro" | "Detox",
  file: string,
  log: ImportLog
): Promise<Report | undefined> => {
  const report = await readJUnit(file, log)
  if (report === undefined || report.cases.length === 0) return report
  const other = toolOf(report)
  if (other === tool) return report
  const reason =
    other === undefined
      ? `It is no report of ${tool}: slipway-ci import junit --kind ${tool.toLowerCase()} imports any JUnit report`
      : `It is no report of ${tool} but looks like one of ${other}: slipway-ci import ${other.toLowerCase()}`
  log.problem({ file, reason })
  return undefined
}
