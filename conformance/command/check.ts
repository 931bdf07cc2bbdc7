import { Console, Effect, Option } from "effect"
import type { Command } from "effect/cli"
import { randomBytes } from "node:crypto"
import { checks } from "../checks/index.ts"
import { init } from "../config/load/init.ts"
import { configSchema } from "../config/load/ConfigFile.ts"
import { load, loadPart, usualFile, type FlagValue } from "../config/load/load.ts"
import { renderBadge } from "../report/badge.ts"
import { renderConsole } from "../report/console.ts"
import { renderHtml } from "../report/html/page.ts"
import { renderJson, reportJsonSchema } from "../report/json.ts"
import { renderJunit } from "../report/junit.ts"
import { paintFor } from "../report/paint.ts"
import { progressFor } from "../report/progress.ts"
import type { Report } from "../report/Report.ts"
import { privateKeyIn, signed } from "../report/signature.ts"
import { cleanUp } from "../run/cleanUp.ts"
import { coverageLines } from "../run/coverageLines.ts"
import { planLines } from "../run/estimate.ts"
import { exitCodes } from "../run/exitCode.ts"
import { Refused } from "../config/Refused.ts"
import { readExpectations } from "../run/expectations.ts"
import { look } from "../run/look.ts"
import { plan } from "../run/plan.ts"
import { rehearse } from "../run/rehearse.ts"
import { run, type Finished } from "../run/run.ts"
import { Transport } from "../session/transport.ts"
import { Ended } from "./Ended.ts"
import { makeFolders, readText, write, type Output } from "./files.ts"
import type { flags } from "./flags.ts"
import { commandName } from "../config/commandName.ts"

type Input = Command.Command.Config.Infer<typeof flags>

/** The values that flags give to the config, by their places in it. */
const said = ({ profiles, tokenLife, url }: Input): ReadonlyArray<FlagValue> => [
  ...(Option.isSome(url) ? [["--url", "url", url.value] as const] : []),
  ...(Option.isSome(tokenLife) ? [["--token-life", "tokenLifeMs", tokenLife.value * 1000] as const] : []),
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
  const named = file === usualFile ? "" : ` --config ${file}`
  if (variables.length > 0) yield* Console.log(`A run needs the keys in ${variables.join(", ")}.`)
  yield* Console.log(`Wrote ${file}. Next: ${commandName}${named} --plan`)
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
  return complaints[0] ?? `Not conformant: ${verdicts.join(", ")}`
}

const outputs = (input: Input): ReadonlyArray<Output<Report>> => [
  { file: input.json, text: renderJson },
  { file: input.junit, text: (report) => renderJunit(report, namedFile(input)) },
  { file: input.html, text: (report) => renderHtml(report, namedFile(input)) },
  { file: input.badge, text: renderBadge }
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
  const context = { id: randomBytes(6).toString("hex"), config, keys, signal: controller.signal }
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
