import { Console, Data, Effect, FileSystem, Option, Path, Runtime, Schema } from "effect"
import {
  challengedId,
  cleanUp,
  coverageLines,
  exitCodes,
  look,
  plan,
  rehearse,
  saltDigits,
  type ExitCode
} from "../run/plan.ts"
import { Flag, type Command } from "effect/cli"
import { commandName } from "../config/commandName.ts"
import { Refused } from "../config/Config.ts"
import { privateKeyIn, renderBadge, renderJson, renderJunit, reportJsonSchema, signed } from "../report/files.ts"
import { paintFor, progressFor, renderConsole } from "../report/console.ts"
import {
  decodeReport,
  diff as difference,
  isWorse,
  renderDiff,
  renderVerification,
  verify as verifyReport
} from "../verify/verify.ts"
import { counted, type Report } from "../report/Report.ts"
import { randomBytes } from "node:crypto"
import { checks } from "../checks/index.ts"
import { configSchema, init, load, loadPart, type FlagValue } from "../config/load/load.ts"
import { renderHtml } from "../report/html.ts"
import { readExpectations } from "../run/judge.ts"
import { planLines, run, type Finished } from "../run/run.ts"
import { Transport } from "../session/transport.ts"

/** A command that ends with another exit code than 0. Everything but this message was printed before. */
class Ended extends Data.TaggedError("Ended")<{
  readonly code: Exclude<ExitCode, 0>
  readonly message: string
}> {
  override get [Runtime.errorExitCode]() {
    return this.code
  }
}

const file = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withMetavar("FILE"), Flag.optional)

const choice = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** The flags of `slipway conformance`. No flag takes a key, because a list of processes shows flags. */
export const flags = {
  url: Flag.String("url").pipe(
    Flag.withDescription("Base URL of the target, without /api/v1 (SLIPWAY_CONFORMANCE_URL)"),
    Flag.optional
  ),
  config: file("config", "Config file (slipway-conformance.json if it is there)"),
  profiles: Flag.Literals("profile", ["builds", "previews", "testRuns"]).pipe(
    Flag.withDescription("What the target claims to be; repeat it for several (all)"),
    Flag.atLeast(0)
  ),
  only: Flag.String("only").pipe(
    Flag.withDescription(
      "Id of a check, of a sentence, or how ids begin (builds.put), to check alone; repeat it for several"
    ),
    Flag.withMetavar("ID"),
    Flag.atLeast(0)
  ),
  tokenLife: Flag.Int("token-life").pipe(
    Flag.withDescription("How many seconds a reservation token lives: it is waited for, and then it must be refused"),
    Flag.withMetavar("SECONDS"),
    Flag.optional
  ),
  keep: choice("keep", "Keep what the run creates on the target, even if the config has `cleanup`"),
  readOnly: choice("read-only", "Create nothing on the target: run only checks that read what the config supplies"),
  plan: choice("plan", "Show the planned checks and their cost, and send nothing"),
  coverage: choice("coverage", "Show every sentence of the interface and the checks that prove it, and send nothing"),
  schema: Flag.Literals("schema", ["config", "report"]).pipe(
    Flag.withDescription("Print the JSON Schema of a config file, or of a report"),
    Flag.optional
  ),
  init: choice("init", "Ask for a config and write it"),
  json: file("report-json", "Write the report as JSON, for verify and diff"),
  junit: file("report-junit", "Write the report as JUnit XML"),
  html: file("report-html", "Write the report as a page"),
  badge: file("badge", "Write the verdict as an SVG badge"),
  thorough: choice("thorough", "Draw ten times as many sequences of requests"),
  runId: Flag.String("run-id").pipe(
    Flag.withDescription(
      "Draw everything as the run of this id did, on other resources of the target if they are left there"
    ),
    Flag.withMetavar("ID"),
    Flag.optional
  ),
  challenge: Flag.String("challenge").pipe(
    Flag.withDescription("A text from a reader of the report: the run follows from it, so it wasn't recorded before"),
    Flag.withMetavar("TEXT"),
    Flag.optional
  ),
  sign: file("sign", "Sign the report with the Ed25519 private key in this PEM file"),
  expected: file("expected-failures", "Checks that may fail: [{check, reason, expires}]")
}

/** The text of a file that was named. */
const readText = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(
    files.readFileString(file),
    () => new Refused({ message: `The file ${file} can't be read` })
  )
})

/** A file that a report is written to, and what is written. */
interface Output<From> {
  readonly file: Option.Option<string>
  readonly text: (from: From) => string
}

const refused = (file: string) => () => new Refused({ message: `The file ${file} can't be written` })

/** Makes sure, before anything else, that the folders of these files are there. */
const makeFolders = Effect.fnUntraced(function* (outputs: ReadonlyArray<Output<never>>) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const { file } of outputs) {
    if (Option.isNone(file)) continue
    const folder = path.dirname(path.resolve(file.value))
    yield* Effect.mapError(files.makeDirectory(folder, { recursive: true }), refused(file.value))
  }
})

/** Writes those that were named. */
export const write = Effect.fnUntraced(function* <From>(outputs: ReadonlyArray<Output<From>>, from: From) {
  const files = yield* FileSystem.FileSystem
  for (const { file, text } of outputs) {
    if (Option.isSome(file)) yield* Effect.mapError(files.writeFileString(file.value, text(from)), refused(file.value))
  }
})

// What is done with reports that were written before, offline.

const parsed = Effect.fnUntraced(function* (file: string) {
  return yield* Effect.mapError(
    Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))(yield* readText(file)),
    () => new Refused({ message: `The file ${file} is not JSON` })
  )
})

const readReport = Effect.fnUntraced(function* (file: string) {
  return yield* Effect.mapError(
    decodeReport(yield* parsed(file)),
    ({ sentences }) => new Refused({ message: `The file ${file} is no report: ${sentences[0] ?? "it doesn't fit"}` })
  )
})

/** Judges the recorded run of a report again. */
export const verify = Effect.fnUntraced(function* (input: { readonly report: string }) {
  const verification = yield* verifyReport(yield* parsed(input.report))
  yield* Console.log(renderVerification(verification, paintFor(process.stdout)).trimEnd())
  if (verification.verdict !== "confirmed") {
    return yield* new Ended({ code: 1, message: `${input.report} is not confirmed` })
  }
})

/** Prints the badge of a report whose recorded run, judged again, has the same verdicts. */
export const badge = Effect.fnUntraced(function* (input: {
  readonly report: string
  readonly link: Option.Option<string>
}) {
  const { verdict } = yield* verifyReport(yield* parsed(input.report))
  if (verdict !== "confirmed") {
    return yield* new Ended({ code: 1, message: `${input.report} is not confirmed: see ${commandName} verify` })
  }
  yield* Console.log(renderBadge(yield* readReport(input.report), Option.getOrUndefined(input.link)).trimEnd())
})

/** Shows what changed from one report to another. Exit 1 when what passed before doesn't pass now. */
export const diff = Effect.fnUntraced(function* (input: { readonly before: string; readonly after: string }) {
  const changed = difference(yield* readReport(input.before), yield* readReport(input.after))
  yield* Console.log(renderDiff(changed, paintFor(process.stdout)).trimEnd())
  const worse = changed.checks.filter(isWorse)
  if (worse.length > 0) {
    return yield* new Ended({ code: 1, message: `${counted(worse.length, "check")} passed before and not now` })
  }
})

type Input = Command.Command.Config.Infer<typeof flags>

/** The values that flags give to the config, by their places in it. */
const said = ({ profiles, thorough, tokenLife, url }: Input): ReadonlyArray<FlagValue> => [
  ...(Option.isSome(url) ? [["--url", "url", url.value] as const] : []),
  ...(Option.isSome(tokenLife) ? [["--token-life", "tokenLifeMs", tokenLife.value * 1000] as const] : []),
  ...(thorough ? [["--thorough", "thorough", true] as const] : []),
  ...(profiles.length > 0 ? [["--profile", "profiles", profiles] as const] : [])
]

const fileOf = ({ config }: Input) => ({ file: Option.getOrUndefined(config) })

/** The config file as a command line names it, where it isn't the usual one. */
const namedFile = ({ config }: Input) =>
  Option.match(config, { onNone: () => ({}), onSome: (configFile) => ({ configFile }) })

const showPlan = Effect.fnUntraced(function* (input: Input) {
  const config = yield* loadPart({ ...fileOf(input), flags: said(input) })
  const { only, readOnly } = input
  const { profiles, supplied } = config
  yield* Console.log(planLines(yield* plan(checks, { profiles, only, readOnly, supplied }), config).join("\n"))
})

const makeConfig = Effect.fnUntraced(function* (input: Input) {
  if (process.stdin.isTTY !== true) {
    const message =
      "--init needs a terminal, and there is none: write the config manually; --schema config describes it"
    return yield* new Refused({ message })
  }
  const { file, variables } = yield* init(Option.getOrUndefined(input.config))
  if (variables.length > 0) yield* Console.log(`A run needs the keys in ${variables.join(", ")}.`)
  yield* Console.log(`Wrote ${file}. Next: run the same command with --plan instead of --init`)
})

const readKey = Effect.fnUntraced(function* (file: string) {
  const key = privateKeyIn(yield* readText(file))
  const how = "openssl genpkey -algorithm ed25519 makes one"
  return key ?? (yield* new Refused({ message: `The file ${file} contains no Ed25519 private key in PEM: ${how}` }))
})

/** What is wrong, in one line. */
const sentence = ({ complaints, exitCode, report }: Finished): string => {
  if (exitCode === exitCodes.suiteFault) {
    const faults = report.checks.filter(({ outcome }) => outcome === "suite-fault").map(({ id }) => id)
    return `The suite has a fault in ${faults.join(", ")}: please report it`
  }
  const verdicts = Object.entries(report.verdicts).map(([profile, verdict]) => `${profile} ${verdict}`)
  // Nothing was violated: checks were skipped, or not made.
  const isPartial = Object.values(report.verdicts).every((verdict) => verdict === "conformant" || verdict === "partial")
  return complaints[0] ?? `${isPartial ? "Not judged in full" : "Not conformant"}: ${verdicts.join(", ")}`
}

const outputs = (input: Input): ReadonlyArray<Output<Report>> => [
  { file: input.json, text: renderJson },
  { file: input.junit, text: (report) => renderJunit(report, namedFile(input)) },
  { file: input.html, text: (report) => renderHtml(report, namedFile(input)) },
  { file: input.badge, text: (report) => renderBadge(report) }
]

const signals = ["SIGINT", "SIGTERM"] as const

/** Is aborted by the first Ctrl-C or `kill`. The next one ends the process. */
const stopSignal = Effect.acquireRelease(
  Effect.sync(() => {
    const controller = new AbortController()
    const stop = () => {
      for (const signal of signals) process.removeListener(signal, stop)
      process.stderr.write("\nThe run ends, is reported and cleaned up. Press Ctrl-C again to leave all as it is.\n")
      controller.abort()
    }
    for (const signal of signals) process.once(signal, stop)
    return { controller, stop }
  }),
  ({ stop }) => Effect.sync(() => signals.forEach((signal) => process.removeListener(signal, stop)))
)

const checkTarget = Effect.fnUntraced(function* (input: Input) {
  const { config, keys } = yield* load({ ...fileOf(input), flags: said(input) })
  const { only, readOnly } = input
  const made = yield* plan(checks, { profiles: config.profiles, only, readOnly, supplied: config.supplied })
  const ids = (yield* plan(checks, { profiles: ["builds", "previews", "testRuns"], only: [], readOnly: false })).whole
  const expectations = Option.isSome(input.expected)
    ? yield* readExpectations(
        yield* readText(input.expected.value),
        ids.map(({ id }) => id)
      )
    : []
  const key = Option.isSome(input.sign) ? yield* readKey(input.sign.value) : undefined
  yield* makeFolders(outputs(input))
  const progress = progressFor(process.stderr)
  const { controller } = yield* stopSignal
  const challenge = Option.getOrUndefined(input.challenge)
  const salt = randomBytes(6).toString("hex")
  const id =
    challenge === undefined
      ? Option.getOrElse(input.runId, () => salt)
      : challengedId(salt.slice(0, saltDigits), challenge)
  if (!/^[0-9a-f]{6,64}$/.test(id)) return yield* new Refused({ message: `--run-id ${id} is not the id of a run` })
  const context = { id, config, keys, signal: controller.signal }
  const claimed = config.profiles.filter((one) => made.planned.some(({ profile }) => profile === one))
  const finished = yield* Effect.gen(function* () {
    const cleaned = (ledger: Report["ledger"]) =>
      input.keep || config.cleanup === undefined ? Effect.undefined : cleanUp({ config, keys }, config.cleanup, ledger)
    yield* look(config, keys)
    const { made: before, problem } = readOnly ? { made: [] } : yield* rehearse(context, claimed)
    if (problem !== undefined) {
      const left = (yield* cleaned(before))?.left ?? []
      for (const one of left) yield* Console.error(`Not removed: ${one}`)
      return yield* problem
    }
    const { report, ...rest } = yield* run({
      ...context,
      challenge,
      plan: made,
      expectations,
      onProgress: (one) => Effect.sync(() => void process.stderr.write(progress(one)))
    })
    const ledger = [...before, ...report.ledger]
    const cleanup = yield* cleaned(ledger)
    return { ...rest, report: { ...report, ledger, ...(cleanup === undefined ? {} : { cleanup }) } }
  }).pipe(Effect.provide(Transport.layer))
  const { complaints, exitCode } = finished
  const report = key === undefined ? finished.report : signed(finished.report, key)
  yield* write(outputs(input), report)
  const paint = paintFor(process.stdout)
  yield* Console.log(renderConsole(report, { paint, complaints, ...namedFile(input) }).trimEnd())
  if (exitCode !== exitCodes.conformant) return yield* new Ended({ code: exitCode, message: sentence(finished) })
}, Effect.scoped)

/** Does what the flags ask for. A defect is reported as a fault of the suite. */
export const check = (input: Input) => {
  const asked = Effect.gen(function* () {
    if (input.init) return yield* makeConfig(input)
    if (Option.isSome(input.schema)) {
      const schema = { config: configSchema, report: reportJsonSchema }[input.schema.value]()
      return yield* Console.log(JSON.stringify(schema, undefined, 2))
    }
    if (input.coverage) return yield* Console.log(coverageLines(checks).join("\n"))
    return yield* input.plan ? showPlan(input) : checkTarget(input)
  })
  return Effect.catchDefect(asked, (defect) => {
    const message = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect)
    return Effect.fail(new Ended({ code: exitCodes.suiteFault, message: `The suite has a fault: ${message}` }))
  })
}
