/** Makes runs of any JUnit report: a run of each test case, with what it printed and the files that it names as attachments. */
import { basename, extname } from "node:path"
import { groupedBy } from "../../../../core/rules/attempts.ts"
import type { TestRunKind } from "../../../client/index.ts"
import { plainLine, plainLines } from "../../../../core/model/plainText.ts"
import { readJest } from "../detox/jest.ts"
import { attachedFile, filesOf, type Found, inRepository, recordingType } from "../files.ts"
import {
  beginningOf,
  type Fields,
  fieldsOf,
  isBrokenJson,
  itemsOf,
  numberOf,
  parseJson,
  readText,
  resultsName,
  textIn,
  textOf,
  unreadable,
  valueIn
} from "../json.ts"
import {
  countedFailure,
  durationMsOf,
  mayBeReport,
  readReport,
  refusedReport,
  type Report,
  type TestCase,
  unknownIn,
  withoutCopies,
  wordMeaning
} from "../junit.ts"
import {
  failedAttempt,
  type ImportLog,
  interrupted,
  interruptedRun,
  lastAttempt,
  type RecordedAttempt,
  type RecordedFile,
  type RecordedRun
} from "../recordedRun.ts"

/** How Playwright and others name a file in the output of a test: by a path from the report, or from where the tests ran. */
const attachment = /\[\[ATTACHMENT\|(.+?)\]\]\n?/g

const recordingsOf = (
  { failure, output }: TestCase,
  report: string,
  named: ReadonlyArray<string>,
  cwd: string,
  log: ImportLog
): ReadonlyArray<RecordedFile> => {
  const of = { startedAt: undefined, ofFailure: failure !== undefined }
  const printed = output.replaceAll(attachment, "").trim()
  const recordings: Array<RecordedFile> = []
  if (printed !== "")
    recordings.push({ ...of, ...recordingType("output.log"), path: report, name: "output.log", text: `${printed}\n` })
  for (const [, path = ""] of output.matchAll(attachment)) {
    const file = attachedFile(path.trim(), report, named, cwd, log)
    if (file !== undefined) recordings.push({ ...of, ...recordingType(file), path: file, name: basename(file) })
  }
  return recordings
}

const attemptsOf = (earlier: ReadonlyArray<string>, last: RecordedAttempt): RecordedRun["attempts"] => {
  const [first, ...more] = earlier.map((message) => failedAttempt(plainLines(message)))
  return first === undefined ? [last] : [first, ...more, last]
}

const runOf = (
  kind: TestRunKind,
  one: TestCase,
  { path }: Report,
  named: ReadonlyArray<string>,
  cwd: string,
  log: ImportLog
): RecordedRun => {
  const { device, earlierFailures, failure, file, fullName, interruption } = one
  const message = failure === undefined ? undefined : plainLines(failure) || "The report gives no reason."
  const isFailed = failure !== undefined || interruption !== undefined
  return {
    kind,
    name: plainLine(fullName),
    attempts: attemptsOf(earlierFailures, {
      status: isFailed ? "failed" : "passed",
      startedAt: undefined,
      durationMs: durationMsOf(one),
      failureMessage: interruption === undefined ? message : interrupted(interruption, message),
      steps: [],
      failingStep: undefined,
      recordings: recordingsOf(one, path, named, cwd, log)
    }),
    device: device === undefined ? undefined : { name: plainLine(device, 200) },
    file: file === undefined ? undefined : inRepository(file, cwd),
    tags: [],
    from: path
  }
}

/** Reads the JUnit reports that the paths name or hold. Skipped tests are reported, and are no runs. */
export const importJUnit = async (
  kind: TestRunKind,
  paths: ReadonlyArray<string>,
  cwd: string,
  log: ImportLog
): Promise<ReadonlyArray<RecordedRun>> => {
  const reports: Array<Report> = []
  const others: Array<Found> = []
  for (const found of filesOf(paths, cwd, log)) {
    const report = mayBeReport(found) ? await readReport("JUnit", found, log) : void others.push(found)
    if (report !== undefined) reports.push(report)
  }
  reports.push(...readOthers(others, log))
  const runs: Array<RecordedRun> = []
  for (const report of withoutOtherForms(withoutCopies(reports))) {
    for (const [index, one] of report.cases.entries()) {
      if (one.isSkipped) log.skipped({ name: one.fullName, status: "skipped" }, JSON.stringify([report.path, index]))
      else runs.push(runOf(kind, one, report, paths, cwd, log))
    }
  }
  const hasFailure = runs.some((run) => lastAttempt(run).status !== "passed")
  const unknown = unknownIn(reports, runs.length > 0, hasFailure)
  return [...runs, ...unknown.map(({ path, reason }) => interruptedRun(kind, basename(path), reason, path))]
}

// Results that are no XML: JSON of several tools, and TAP. The table has where each tool writes what.

/** A test as a tool has it. */
interface Result {
  readonly names: ReadonlyArray<unknown>
  /** Its own name, where the last of those is another one. */
  readonly own?: unknown
  readonly status: unknown
  readonly message?: unknown
  readonly file?: unknown
  readonly durationMs?: number | undefined
  /** The messages of the tries that failed before. */
  readonly earlier?: ReadonlyArray<unknown>
  /** What the tries of a test have in common, and when each began. */
  readonly id?: unknown
  readonly startedAt?: number | undefined
}

/** What a file has: its tests, and how many tests and failures it counts. */
interface Results {
  readonly tests: ReadonlyArray<Result>
  readonly count?: number
  readonly failures?: number | undefined
  readonly interruption?: string | undefined
}

interface Form {
  readonly tool: string
  /** What shows it: the name of a file, or its beginning. */
  readonly file?: RegExp
  readonly beginning?: RegExp
  readonly read: (text: string, path: string, log: ImportLog) => Results
}

/** A form of JSON. One that was cut has no tests. */
const json =
  (read: (value: unknown) => Results): Form["read"] =>
  (text, path, log) => {
    const parsed = parseJson(path, text, "$.none", log)
    return "value" in parsed
      ? read(parsed.value)
      : { tests: [], interruption: `${basename(path)} was cut or can't be read` }
  }

const all = (value: unknown): ReadonlyArray<Fields> => itemsOf(value).map(fieldsOf)

/** The fields of an object, of those in it and so on, with the names of those around each. */
const below = (
  value: unknown,
  keys: ReadonlyArray<string>,
  names: ReadonlyArray<unknown> = []
): ReadonlyArray<{ readonly of: Fields; readonly names: ReadonlyArray<unknown> }> =>
  all(value).flatMap((of) => {
    // The name of the outermost one is that of a file.
    const within = [...names, of["file"] === of["title"] ? "" : of["title"]]
    return [{ of, names: within }, ...keys.flatMap((key) => below(of[key], keys, within))]
  })

/** The steps of a scenario, and the hooks around it. Cucumber fails one that isn't written yet. */
const scenario = ({ after, before, steps }: Fields): Pick<Result, "status" | "message" | "durationMs"> => {
  const results = [before, steps, after].flatMap(all).map(({ result }) => fieldsOf(result))
  const failed = results.find(({ status }) => !["passed", "skipped"].includes(String(status).toLowerCase()))
  const isSkipped = results.some(({ status }) => String(status).toLowerCase() === "skipped")
  const nanoseconds = results.reduce((sum, { duration }) => sum + (numberOf(duration) ?? 0), 0)
  return {
    status: failed === undefined ? (isSkipped ? "skipped" : "passed") : "failed",
    message: failed?.["error_message"] ?? (failed && `A step is ${String(failed["status"])}`),
    durationMs: nanoseconds / 1e6
  }
}

/** How many tests and failures a tool counts; at least so many failures. */
const countsIn = (summary: unknown, counts: ReadonlyArray<string>, failures: string, atLeast = 0) => {
  const count = (name: string) => numberOf(fieldsOf(summary)[name]) ?? 0
  return { count: counts.reduce((sum, name) => sum + count(name), 0), failures: Math.max(count(failures), atLeast) }
}

const mochaTest = (one: Fields, isPending: boolean): Result => ({
  names: [one["fullTitle"] ?? one["title"]],
  status:
    one["fail"] === true || Object.keys(fieldsOf(one["err"])).length > 0 ? "failed" : isPending ? "skipped" : "passed",
  message: fieldsOf(one["err"])["stack"] ?? fieldsOf(one["err"])["message"],
  file: one["file"],
  durationMs: numberOf(one["duration"])
})

/** A test, with its name, and what stands after it: Vitest has its time there, and the bracket of its parts. */
const tapLine =
  /^(not )?ok\b[ \t]*\d*[ \t]*(?:- )?(.*?)(?:(?:^|[ \t]*)#[ \t]*(?:(skip|todo)\b.*|time=\S+))?(?:[ \t]*\{)?$/i

/** The lines of the tests themselves: a line about subtests stands below them, without their space. */
const tap = (text: string): Results => {
  const tests: Array<Result> = []
  const plans: Array<number> = []
  let bailed: string | undefined
  let message: Array<string> | undefined
  for (const line of text.split(/\r?\n/)) {
    plans.push(...[numberOf(/^1\.\.(\d+)/.exec(line)?.[1])].flatMap((count) => count ?? []))
    bailed ??= /^Bail out!.*/i.exec(line)?.[0]
    const [whole, not, name, directive] = tapLine.exec(line) ?? []
    if (whole !== undefined) {
      message = []
      tests.push({
        names: [name || `Test ${tests.length + 1}`],
        status: directive !== undefined ? "skipped" : not === undefined ? "passed" : "failed",
        // Its lines follow.
        message
      })
    } else if (/^\s/.test(line)) message?.push(line.trim())
  }
  const planned = plans.reduce((sum, count) => sum + count, 0)
  const interruption =
    bailed ??
    (plans.length === 0
      ? "it has no plan, so it may be cut"
      : tests.length !== planned
        ? `it plans ${planned} tests, and has ${tests.length}`
        : /[^\n]$/.test(text)
          ? "its last line has no end, so it may be cut"
          : undefined)
  return { tests, interruption }
}

/** The last action of each test; of a package, only a failure in which no test failed. A test that never ended is unknown. */
const goTests = (text: string): Results => {
  const last = new Map<string, Fields>()
  const [open, failed] = [new Set<unknown>(), new Set<unknown>()]
  for (const line of text.split("\n")) {
    const event = fieldsOf(valueIn(line))
    const { Action, Package, Test } = event
    const isEnd = /^(?:pass|fail|skip)$/.test(String(Action))
    if (Package !== undefined && !(isEnd && Test === undefined)) open.add(Package)
    else open.delete(Package)
    if (Test !== undefined && Action === "fail") failed.add(Package)
    if (isEnd || Action === "run") last.set(JSON.stringify([Package, Test]), event)
  }
  return {
    tests: [...last.values()]
      .filter(({ Action, Package, Test }) => Test !== undefined || (Action === "fail" && !failed.has(Package)))
      .map(({ Action, Elapsed, Package, Test }) => ({
        names: [Package, Test],
        status: Action === "run" ? "nothing of how it ended" : Action,
        durationMs: (numberOf(Elapsed) ?? 0) * 1000
      })),
    interruption: open.size > 0 || last.size === 0 ? "it ends before its packages do" : undefined
  }
}

const forms: ReadonlyArray<Form> = [
  { tool: "Go", beginning: /^(?:[^{\n]*\n)*\{"(?:Time|Action|ImportPath)":/, read: goTests },
  {
    tool: "Allure",
    file: /-result\.json$/,
    read: json((value) => {
      const { fullName, historyId, name, start, status, statusDetails, stop } = fieldsOf(value)
      const [startedAt, endedAt] = [numberOf(start), numberOf(stop)]
      const durationMs = startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt
      const message = fieldsOf(statusDetails)["message"]
      return {
        tests: [
          { names: [fullName ?? name], own: name, status, message, durationMs, startedAt, id: historyId ?? fullName }
        ]
      }
    })
  },
  {
    tool: "Cucumber",
    beginning: /^\s*\[\s*\{[^]*"(?:elements|keyword)"\s*:/,
    read: json((features) => ({
      tests: all(features).flatMap(({ elements, name, uri }) => {
        let background: Fields = {}
        return all(elements).flatMap((one) => {
          if (one["type"] === "background") background = one
          if (one["type"] === "background") return []
          // Its steps are skipped after a background that failed.
          const steps = [background, one].flatMap((of) => itemsOf(of["steps"]))
          return [{ names: [name, one["name"]], file: uri, ...scenario({ ...one, steps }) }]
        })
      })
    }))
  },
  {
    tool: "Cucumber",
    beginning: /^\{"meta":\{/,
    // Its tests are spread over many messages; the last one has the result of all.
    read: (text) =>
      /"testRunFinished":\{[^\n]*"success":true/.test(text)
        ? { tests: [] }
        : { tests: [], interruption: "its messages don't end with a success, and aren't read" }
  },
  {
    tool: "Mocha",
    beginning: /^\s*\{\s*"stats"\s*:/,
    read: json((value) => {
      const { failures, pending, results, stats, tests } = fieldsOf(value)
      const skipped = new Set(all(pending).map(({ fullTitle }) => fullTitle))
      const listed = new Set(all(tests).map(({ fullTitle }) => fullTitle))
      // Mochawesome has suites. Hooks that fail are no tests, and are not counted.
      const nested = below(results, ["suites"]).flatMap(({ of }) => [
        ...all(of["tests"]),
        ...[of["beforeHooks"], of["afterHooks"]].flatMap(all).filter(({ fail }) => fail === true)
      ])
      return {
        ...countsIn(stats, ["tests"], "failures"),
        tests: [
          ...all(tests).map((one) => mochaTest(one, skipped.has(one["fullTitle"]))),
          ...all(failures).flatMap((one) => (listed.has(one["fullTitle"]) ? [] : [mochaTest(one, false)])),
          ...nested.map((one) => mochaTest(one, one["pending"] === true || one["skipped"] === true))
        ]
      }
    })
  },
  {
    tool: "Playwright",
    beginning:
      /^\s*\{\s*"config"\s*:\s*\{[^]*"(?:configFile|rootDir|projects|version)"\s*:|^\s*\{[^]*"suites"\s*:\s*\[[^]*"specs"\s*:/,
    read: json((value) => {
      const { errors, stats, suites } = fieldsOf(value)
      return {
        ...countsIn(stats, ["expected", "unexpected", "flaky", "skipped"], "unexpected", itemsOf(errors).length),
        tests: below(suites, ["suites"]).flatMap(({ names, of }) =>
          all(of["specs"]).flatMap(({ file, tests, title }) =>
            all(tests).map((test) => {
              const [last = {}, ...before] = all(test["results"]).toReversed()
              if (last["status"] === "interrupted") return { names: [...names, title], file, status: last["status"] }
              const messageIn = ({ error, errors }: Fields) => fieldsOf(all(errors)[0] ?? error)["message"]
              const status = { expected: "passed", flaky: "passed", unexpected: "failed" }[String(test["status"])]
              return {
                names: [...names, title],
                file,
                status: status ?? test["status"],
                message: messageIn(last),
                // A test that is expected to fail does so at each try.
                earlier: test["status"] === "expected" ? [] : before.toReversed().map(messageIn),
                durationMs: numberOf(last["duration"])
              }
            })
          )
        )
      }
    })
  },
  {
    tool: "CTRF",
    beginning: /"reportFormat"\s*:\s*"CTRF"|^\s*\{\s*"results"\s*:\s*\{\s*"(?:tool|summary|tests)"/,
    read: json((value) => {
      const { summary, tests } = fieldsOf(fieldsOf(value)["results"])
      return {
        ...countsIn(summary, ["tests"], "failed"),
        tests: all(tests).map(({ duration, filePath, flaky, message, name, retryAttempts, status, suite }) => ({
          names: [...[suite].flat(), name],
          status,
          message,
          file: filePath,
          durationMs: numberOf(duration),
          earlier: flaky === true ? [all(retryAttempts)[0]?.["message"]] : []
        }))
      }
    })
  },
  {
    tool: "Jest",
    beginning: /^\s*\{[^]*"(?:num(?:Failed|Passed|Total)Test(?:Suite)?s|testResults)"\s*:/,
    read: (text, path, log) => {
      const { failedFiles = [], interruption, tests = [] } = readJest(path, text, log) ?? {}
      return {
        interruption,
        tests: [
          ...tests.map(
            ({ durationMs, failureMessage: message, file, fullName, invocations, retryReasons, status }) => ({
              names: [fullName],
              status,
              message,
              file,
              durationMs,
              earlier: Array.from({ length: invocations - 1 }, (_, index) => retryReasons[index])
            })
          ),
          ...failedFiles.map(({ durationMs, failureMessage: message, file }) => ({
            names: [basename(file)],
            status: "failed",
            message,
            file,
            durationMs
          }))
        ]
      }
    }
  },
  {
    tool: "GoogleTest",
    beginning: /^\s*\{\s*"tests"\s*:\s*\d+,\s*"failures"\s*:\s*\d+,\s*"disabled"/,
    read: json((value) => ({
      ...countsIn(value, ["tests"], "failures"),
      tests: all(fieldsOf(value)["testsuites"]).flatMap(({ testsuite }) =>
        all(testsuite).map(({ classname, failures, file, name, result, time }) => ({
          names: [classname, name],
          status: all(failures).length > 0 ? "failed" : result,
          message: all(failures).map(({ failure }) => failure),
          file,
          durationMs: 1000 * (numberOf(String(time).replace(/s$/, "")) ?? 0)
        }))
      )
    }))
  },
  { tool: "TAP", file: /\.tap$/i, beginning: /^(?:TAP version \d+|1\.\.\d+)[ \t]*[\r\n]/, read: tap }
]

const testCase = (one: Result): TestCase => {
  const names = one.names.flatMap((name) => textOf(name)?.trim() || [])
  const meaning = wordMeaning(String(one.status))
  const message = [one.message].flat().flatMap((line) => textOf(line) ?? [])
  return {
    suite: {},
    attributes: {
      name: textOf(one.own) ?? names.at(-1) ?? "",
      ...(one.durationMs === undefined ? {} : { time: String(one.durationMs / 1000) })
    },
    properties: {},
    fullName: names.join(" "),
    file: textOf(one.file),
    device: undefined,
    failure: meaning === "failed" ? message.join("\n") : undefined,
    earlierFailures: (one.earlier ?? []).map((message) => textOf(message) ?? "The report says that a try failed."),
    output: "",
    isSkipped: meaning === "skipped",
    interruption: meaning === undefined ? `the report says ${String(one.status)}` : undefined,
    unknownStatus: undefined
  }
}

const passedFirst = (...both: readonly [Result, Result]): number => {
  const [a, b] = both.map(({ status }) => Number(wordMeaning(String(status)) !== "passed"))
  return (a ?? 0) - (b ?? 0)
}

/** The tries of a test together, of which the last one counts. */
const withTries = (tests: ReadonlyArray<Result>): ReadonlyArray<TestCase> =>
  Array.from(
    // Without a start, nothing shows which is the last one; of two at one time, one that failed.
    groupedBy(tests, (one) => (one.startedAt === undefined ? one : (one.id ?? one))),
    ([, tries]) => {
      const ordered = tries.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || passedFirst(a, b))
      const cases = ordered.map(testCase)
      const earlierFailures = cases.slice(0, -1).flatMap(({ failure }) => failure ?? [])
      return cases.slice(-1).map((last) => ({ ...last, earlierFailures }))
    }
  ).flat()

/** The results in files that are no XML. What looks like results and can't be read has no test cases, and says why. */
const readOthers = (found: ReadonlyArray<Found>, log: ImportLog): ReadonlyArray<Report> => {
  const reports: Array<Report> = []
  const tries: Array<Result> = []
  const report = (
    path: string,
    tool: string,
    tests: ReadonlyArray<TestCase>,
    interruption: string | undefined,
    lacking?: string
  ) => reports.push({ path, cases: tests, interruption, lacking, tool: undefined, form: tool, refusal: undefined })
  for (const { isFolder, isNamed, path } of found) {
    const { kind } = recordingType(path)
    if (isFolder || kind === "screenshot" || kind === "video") continue
    const beginning = beginningOf(path)
    const form = forms.find((one) => one.file?.test(path) === true || one.beginning?.test(beginning) === true)
    const isBroken = form === undefined && extname(path) === ".json" && isBrokenJson(path, isNamed)
    if (isBroken) report(path, "", [], `${basename(path)} can't be read`)
    else if (form === undefined && resultsName.test(path) && countedFailure.test(textIn(path)))
      reports.push(refusedReport(path, "It counts failures, and its form is not known"))
    else if (form === undefined) {
      if (isNamed) log.note(`Not read: ${path}. It is no JUnit report.`)
    } else {
      try {
        const { count = 0, failures = 0, interruption, tests } = form.read(readText(path), path, log)
        const isTry = tests.some(({ id }) => id !== undefined)
        if (isTry) tries.push(...tests)
        const cases = isTry ? [] : tests.map(testCase)
        const failed = cases.filter(({ failure }) => failure !== undefined).length
        const lacks = failures > failed || count > tests.length
        const lacking = lacks
          ? `the report ${basename(path)} counts ${count} tests and ${failures} failures, and has ${tests.length} and ${failed}`
          : undefined
        if (tests.length === 0 && interruption === undefined && lacking === undefined)
          log.note(`Not read: ${path}. It has no tests.`)
        else if (!isTry || interruption !== undefined) report(path, form.tool, cases, interruption, lacking)
      } catch (error) {
        log.problem({ file: path, reason: unreadable(error) })
        report(path, form.tool, [], `${basename(path)} can't be read`)
      }
    }
  }
  const path = found.find((one) => one.path.endsWith("-result.json"))?.path ?? ""
  if (tries.length > 0) report(path, "Allure", withTries(tries), undefined)
  return reports
}

const plain = (name: string): string => name.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim()

const outcomeOf = ({ failure, interruption, isSkipped }: TestCase): string =>
  failure !== undefined || interruption !== undefined ? "failed" : isSkipped ? "skipped" : "passed"

/** Reports without the tests that one of another form has too, with the same result: many tools write the same in several forms. */
const withoutOtherForms = (reports: ReadonlyArray<Report>): ReadonlyArray<Report> => {
  const known: Array<readonly [outcome: string, name: string]> = []
  const byForm = groupedBy(
    reports.toSorted((a, b) => (a.form === undefined ? 0 : 1) - (b.form === undefined ? 0 : 1)),
    ({ form }) => form
  )
  return [...byForm.values()].flatMap((of) => {
    const left = [...known]
    const isElsewhere = (one: TestCase): boolean => {
      const [outcome, name, own] = [outcomeOf(one), plain(one.fullName), plain(one.attributes["name"] ?? "")]
      const at = left.findIndex(([of, other]) => of === outcome && (other === name || ` ${other}`.endsWith(` ${own}`)))
      if (at !== -1) left.splice(at, 1)
      return at !== -1
    }
    const kept = of.map((report) => ({ ...report, cases: report.cases.filter((one) => !isElsewhere(one)) }))
    for (const one of kept.flatMap(({ cases }) => cases)) known.push([outcomeOf(one), plain(one.fullName)])
    return kept
  })
}
