/** What people and programs read in a terminal: the runs and tests of a repository, one run, and what to run again. */
import { mkdir, writeFile } from "node:fs/promises"
import { basename, dirname, resolve } from "node:path"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { plainLine, plainLines } from "../../../core/model/plainText.ts"
import { bytesText, durationText, flakyOnBaseText } from "../../../core/rules/amounts.ts"
import { ciRunFilter } from "../../../core/rules/attempts.ts"
import { missingTexts } from "../../../core/rules/imports.ts"
import type { Client, ListTestRuns, ListTests, Preview, TestOfList, TestRun } from "../../client/index.ts"
import { linesAround, logReader } from "../../viewer/trace/lines.ts"
import { failingStep, momentOf, parseEvent, stepsOf, type TraceEvent } from "../../viewer/trace/steps.ts"
import { type Context, ExitCode, oneOf, Stopped, unusable } from "../command/Context.ts"
import type { failedOptions, Input, runOptions, runsOptions, testsOptions } from "../command/options.ts"
import { isWithin, walk } from "../command/walk.ts"
import { allPages, countOf, nameOf, readReport, readRuns, unlessRefused } from "../comment/report.ts"
import { compare, type Comparison, notCompared } from "../history/comparison.ts"
import { quarantining } from "../history/quarantine.ts"
import { asking, required, type Settings, settingsOf } from "../settings/settings.ts"

/** Rows as columns, without the columns that no row has a text in. A text is one line without colors of a terminal. */
const tableOf = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string | undefined>>) => {
  const texts = rows.map((row) => row.map((text) => (text === undefined ? "" : plainLine(text, 200))))
  const shown = head.flatMap((_, column) => (texts.some((row) => row[column] !== "") ? [column] : []))
  const all = [head, ...texts].map((row) => shown.map((column) => row[column] ?? ""))
  const widths = shown.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)))
  return all.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

/** Prints a list: as one JSON object for programs, or as a table, and how many there are. */
export const print = (
  { err, out }: Context,
  json: object | undefined,
  what: string,
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | undefined>>
): ExitCode => {
  if (json !== undefined) out(JSON.stringify(json))
  else {
    if (rows.length > 0) for (const line of tableOf(head, rows)) out(line)
    err(`${rows.length} ${what}${rows.length === 1 ? "" : "s"}.`)
  }
  return ExitCode.done
}

export const minuteOf = (at: string): string => at.slice(0, 16).replace("T", " ")
const duration = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : durationText(ms))
const deviceOf = ({ device }: TestRun): string | undefined => device?.name ?? device?.platform

/** How a run ended: of a failure also whether it is quarantined, or how it compares with the base branch. */
const statusOf = (
  run: TestRun,
  comparison: Comparison | undefined,
  isQuarantined: ReturnType<typeof quarantining>
): string => {
  if (run.status === "passed")
    return run.attempts?.some(({ status }) => status === "failed") === true ? "flaky" : "passed"
  if (isQuarantined(run)) return "failed, quarantined"
  const [base, results] = [comparison?.base, comparison?.flakyOnBase(run)]
  const verdict = base === undefined ? undefined : comparison?.verdictOf(run)
  const facts = [verdict === "known" ? `known on ${base}` : verdict, results && flakyOnBaseText(base ?? "", results)]
  return ["failed", ...facts.filter((fact) => fact !== undefined)].join(", ")
}

const compared = (
  client: Client,
  settings: Settings & { readonly owner: string; readonly repo: string },
  source: string,
  failed: ReadonlyArray<TestRun>,
  { err, signal }: Context
) =>
  compare(client, { ...settings, source }, failed, signal)
    .catch(notCompared)
    .then((found) => {
      if (!(found instanceof Stopped)) return found
      err(`Warning: ${found.message}`)
      return undefined
    })

const shownByDefault = 20

/** Lists test runs, the newest first. With a source, those of all attempts at it, and which failures are new. */
export const runs = async ({ values }: Input<typeof runsOptions>, context: Context): Promise<ExitCode> => {
  const { json, kind, limit, status, ...given } = values
  const max = Number(limit ?? shownByDefault)
  if (!/^[1-9]\d{0,3}$/.test(limit ?? "1"))
    throw unusable(`--limit must be from 1 to 9999, and is ${JSON.stringify(limit)}.`)
  const settings = required(await settingsOf(given, context), "url", "owner", "repo")
  const { app, owner: org, repo } = settings
  const { branch, pr, source } = given
  const query: ListTestRuns = {
    org,
    repo,
    limit: Math.min(100, max),
    ...withoutUndefined({
      app,
      branch,
      pr: pr === undefined ? undefined : settings.pr,
      kind: oneOf("--kind", kind, ["maestro", "detox"] as const),
      status: oneOf("--status", status, ["passed", "failed"] as const)
    }),
    ...(source === undefined ? {} : ciRunFilter(source))
  }
  const isQuarantined = quarantining(context.cwd)
  return asking(settings, async (client) => {
    const all = await readRuns(client, query, context.signal, ({ length }) => length >= max)
    const found = all.slice(0, max)
    const failed = found.filter((one) => one.status === "failed" && !isQuarantined(one))
    const comparison =
      source === undefined || failed.length === 0
        ? undefined
        : await compared(client, settings, source, failed, context)
    const judged = found.map((run) => ({ ...run, result: statusOf(run, comparison, isQuarantined) }))
    return print(
      context,
      json === true ? { runs: judged } : undefined,
      "run",
      ["ID", "RESULT", "TEST", "APP", "DEVICE", "BRANCH", "COMMIT", "SOURCE", "TIME", "REGISTERED"],
      judged.map((run) => [
        run.id,
        run.result,
        nameOf(run),
        run.app,
        deviceOf(run),
        run.branch,
        run.commitSha?.slice(0, 10),
        run.source,
        duration(run.durationMs),
        minuteOf(run.createdAt)
      ])
    )
  })
}

/** All tests of a list. */
export const readTests = (client: Client, query: ListTests, signal: AbortSignal): Promise<ReadonlyArray<TestOfList>> =>
  allPages(async (page) => {
    const { cursor, tests } = await client.tests.list({ ...query, limit: 100, ...page }, { signal })
    return [tests, cursor]
  })

/** Lists the tests of a repository. */
export const tests = async ({ values }: Input<typeof testsOptions>, context: Context): Promise<ExitCode> => {
  const { branch, broken, flaky, json, ...given } = values
  if (broken === true && flaky === true) throw unusable("Give --broken or --flaky, not both.")
  const settings = required(await settingsOf(given, context), "url", "owner", "repo")
  const { app, owner: org, repo } = settings
  const query: ListTests = {
    org,
    repo,
    ...withoutUndefined({ app, branch }),
    ...(broken === true ? { status: "failed" } : {}),
    ...(flaky === true ? { flaky } : {})
  }
  const found = await asking(settings, (client) => readTests(client, query, context.signal))
  return print(
    context,
    json === true ? { tests: found } : undefined,
    "test",
    ["LAST", "TEST", "APP", "DEVICE", "FAILED", "FLAKY", "TIME", "FAILING SINCE", "MESSAGE"],
    found.map((test: TestOfList & { readonly quarantined?: boolean }) => [
      test.quarantined === true ? `${test.lastStatus}, quarantined` : test.lastStatus,
      test.name,
      test.app,
      test.device,
      `${test.failed} of ${test.runs}`,
      test.flakyRuns === 0 ? undefined : String(test.flakyRuns),
      duration(test.p50Ms),
      test.failingSince &&
        `${test.failingSince.commitSha?.slice(0, 10) ?? "a run"} of ${minuteOf(test.failingSince.at)}`,
      test.failingSince && test.lastMessage
    ])
  )
}

/** The run of an id. */
const readRun = async (client: Client, id: string, signal: AbortSignal): Promise<TestRun> => {
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id))
    throw unusable(`${JSON.stringify(id)} is no id of a run. \`slipway-ci runs\` lists them.`)
  const found = await client.testRuns.read(id, { signal }).catch(unlessRefused)
  if (found !== undefined) return found
  throw new Stopped(ExitCode.host, `The account of the key has no run ${id}. \`slipway-ci runs\` lists them.`)
}

type Recording = Preview["recordings"][number]

/** The bytes of a recording, with the key of its owner. */
const bytesOf = async ({ name, url }: Recording, key: string, signal: AbortSignal): Promise<Uint8Array> => {
  const answer = await fetch(url ?? "", { headers: { authorization: `Bearer ${key}` }, signal }).catch(() => undefined)
  if (answer?.ok === true) return new Uint8Array(await answer.arrayBuffer())
  throw new Stopped(
    ExitCode.host,
    `The recording ${name} can't be read${answer === undefined ? "" : `: ${answer.status}`}.`
  )
}

/** So many bytes of a log are read at most, and so many steps are shown until the failure. */
const maxLogBytes = 32 * 2 ** 20
const stepsShown = 6

const linesOf = (bytes: Uint8Array): ReadonlyArray<string> => new TextDecoder().decode(bytes).split(/\r?\n/)

/** The steps of a run, and which made it fail. */
const readSteps = async (
  run: TestRun,
  recordings: ReadonlyArray<Recording>,
  read: (one: Recording) => Promise<Uint8Array>
) => {
  const recording = recordings.find(({ kind }) => kind === "events")
  if (recording === undefined) return { steps: [], failing: undefined }
  let before: TraceEvent | undefined
  const events = linesOf(await read(recording)).flatMap((line) => {
    const event = parseEvent(line, before, recording.startedAtMs)
    before = event ?? before
    return event ?? []
  })
  const { steps } = stepsOf(events)
  return { steps, failing: run.status === "failed" ? failingStep(steps, run.failedStepIndex) : undefined }
}

/** Shows one run: how it ended and why, the log around its failure, and its recordings. */
export const run = async ({ positionals, values }: Input<typeof runOptions>, context: Context): Promise<ExitCode> => {
  const { download, json, ...given } = values
  const [named, more] = positionals
  if (named === undefined || more !== undefined) throw unusable("Name one run: its id, or the URL of its page.")
  const id = /\/runs\/([^/?#]+)/.exec(named)?.[1] ?? named
  const connection = required(await settingsOf(given, context), "url")
  const { cwd, err, out, signal } = context
  return asking(connection, async (client, key) => {
    const found = await readRun(client, id, signal)
    const { owner, repo } = found
    const settings = { ...connection, owner, repo }
    const preview = await client.previews.read(found.previewShareId, { signal }).catch(unlessRefused)
    if (preview === undefined)
      err("Its recordings can't be read: they were deleted, or the key lacks the scope preview_upload.")
    const recordings = preview?.recordings ?? []
    const read = (one: Recording) => bytesOf(one, key, signal)
    const { failing, steps } = await readSteps(found, recordings, read)
    const moment = failing === undefined ? undefined : momentOf(failing)
    const logs =
      found.status === "passed"
        ? []
        : recordings.filter(({ kind, sizeBytes }) => kind === "log" && sizeBytes <= maxLogBytes)
    const log: Array<{ readonly name: string; readonly lines: ReadonlyArray<string> }> = []
    for (const one of logs) {
      const lines = linesOf(await read(one)).filter((line) => line.trim() !== "")
      const shown = linesAround(lines.map(logReader(one.startedAtMs)), moment)
      log.push({ name: one.name, lines: shown.map(({ text }) => plainLine(text, 500)) })
    }
    const { source } = found
    const comparison =
      source === undefined || found.status === "passed"
        ? undefined
        : await compared(client, settings, source, [found], context)
    const result = statusOf(found, comparison, quarantining(cwd))
    if (download !== undefined) {
      const folder = resolve(cwd, download)
      for (const one of recordings) {
        const file = resolve(folder, one.name)
        // The name is the job's.
        if (!isWithin(folder, file) || file === folder)
          throw new Stopped(ExitCode.host, `The recording ${one.name} has no name of a file.`)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, await read(one))
      }
      err(`${recordings.length} recordings are in ${folder}.`)
    }
    if (json === true) {
      out(JSON.stringify({ run: found, result, failingStep: failing, steps, log, recordings }))
      return ExitCode.done
    }
    out(`${found.status === "passed" ? "✓" : "✗"} ${plainLine(nameOf(found))}: ${result}`)
    out(found.traceUrl)
    const { branch, commitSha, file, job } = found
    const facts = [
      file,
      found.app,
      deviceOf(found),
      job,
      branch,
      commitSha,
      source,
      duration(found.durationMs),
      found.createdAt
    ]
    out(facts.flatMap((fact) => (fact === undefined ? [] : plainLine(fact, 200))).join(" · "))
    const section = (title: string, lines: ReadonlyArray<string>) => {
      if (lines.length === 0) return
      for (const line of ["", `${title}:`, ...lines.map((text) => `  ${text}`)]) out(line)
    }
    section("Message", found.failureMessage === undefined ? [] : plainLines(found.failureMessage).split("\n"))
    const until = failing === undefined ? steps.length : failing.index + 1
    section(
      failing === undefined ? "Last steps" : "Failing step",
      steps
        .slice(Math.max(0, until - stepsShown), until)
        .map(
          ({ depth, index, name, status }) =>
            `${index + 1}. ${"  ".repeat(Math.min(depth, 10))}${plainLine(name, 200)}: ${plainLine(status, 100)}`
        )
    )
    for (const { lines, name } of log) section(`Log ${plainLine(name, 200)}`, lines)
    section(
      "Recordings",
      recordings.length === 0
        ? []
        : tableOf(
            ["NAME", "SIZE", "URL"],
            recordings.map(({ name, sizeBytes, url }) => [name, bytesText(sizeBytes), url])
          ).slice(1)
    )
    return ExitCode.done
  })
}

/** Files below the working folder, whose paths end as one that a report has: without a report of it, Maestro gives only its name. */
const fileFinder = (cwd: string) => {
  let all: ReadonlyArray<string> | undefined
  return (file: string): string | undefined => {
    const skips = (_above: string, name: string) => name === "node_modules" || name.startsWith(".")
    all ??= Array.from(walk(cwd, { skips, followsFolders: false, leftOut: () => {} })).flatMap(({ names, path }) =>
      names === undefined ? [path.slice(cwd.length + 1).replaceAll("\\", "/")] : []
    )
    if (all.includes(file)) return file
    const found = all.filter(
      (path) => path.endsWith(`/${file}`) || path.replace(/\.ya?ml$/, "").replace(/^.*\//, "") === file
    )
    return found.length === 1 ? found[0] : undefined
  }
}

const formats = ["lines", "maestro", "detox", "jest"] as const

/** Lists what to run again of a CI run: the tests whose latest attempt failed, as arguments of the tool, each on a line. */
export const failed = async ({ values }: Input<typeof failedOptions>, context: Context): Promise<ExitCode> => {
  const format = oneOf("--format", values.format, formats) ?? "lines"
  const settings = required(await settingsOf(values, context), "url", "owner", "repo", "source")
  const { cwd, err, out, signal } = context
  const isQuarantined = quarantining(cwd)
  return asking(settings, async (client) => {
    const report = await readReport(client, settings, isQuarantined, signal)
    const { failed, imports, quarantined } = report
    const latest = failed.map(([run]) => run)
    const fileOf = fileFinder(cwd)
    const files = latest.map(({ file }) => (file === undefined ? undefined : fileOf(file)))
    const lacking = format === "lines" ? [] : latest.filter((_, index) => files[index] === undefined)
    if (format === "lines") for (const name of new Set(latest.map(nameOf))) out(name)
    else for (const file of new Set(files.flatMap((file) => file ?? []))) out(file)
    if ((format === "jest" || format === "detox") && latest.length > 0) {
      const names = [...new Set(latest.map(nameOf))].map((name) =>
        name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
      )
      out(`--testNamePattern=^(?:${names.join("|")})$`)
    }
    err(`${latest.length} ${latest.length === 1 ? "test" : "tests"} failed.`)
    for (const run of lacking) err(`${nameOf(run)}: ${run.file ?? "its file"} is not known in ${basename(cwd)}.`)
    const missing = missingTexts(imports)
    if (missing.length > 0)
      err(
        `This CI run is not complete, so that more tests may have failed:\n${missing.map((text) => `  ${text}`).join("\n")}`
      )
    if (quarantined.length > 0) err(`${quarantined.length} more failed in quarantine.`)
    const isEmpty = countOf(report) === 0
    if (isEmpty) err(`The host has no runs of ${settings.source}.`)
    return isEmpty || missing.length > 0 || lacking.length > 0 ? ExitCode.host : ExitCode.done
  })
}
