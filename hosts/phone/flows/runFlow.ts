import { randomText, whyMissing } from "./commands.ts"
import type { Evaluated, Evaluation } from "./evaluate.ts"
import {
  commandsIn,
  envIn,
  fieldsIn,
  type Flow,
  type FlowCommand,
  flowLimits,
  InvalidFlow,
  scalarIn,
  stepName,
  type StepResult
} from "./flow.ts"

export type { StepResult } from "./flow.ts"

/** A step of a flow as it ran: a command, or one that contains others. */
interface FlowStep {
  readonly name: string
  /** The number of steps that contain it. */
  readonly depth: number
}

/**
 * How a flow ended. `incomplete` if a step was skipped, or the flow was stopped: only a flow of which every step was done
 * can have passed.
 */
export type Verdict = "passed" | "failed" | "incomplete"

/** A file beside a flow. */
export interface FlowFile {
  readonly path: string
  readonly text: string
}

/** Who performs commands, and receives results. */
interface FlowRunner {
  /** Performs a command that contains no other. `evaluate` evaluates an {@link Evaluation} in the app. */
  readonly perform: (command: FlowCommand) => Promise<StepResult>
  /** A step begins; the answer receives its result. */
  readonly began: (step: FlowStep) => (result: StepResult) => void
  readonly isStopped: () => boolean
  readonly platform: "ios" | "android"
  /** Reads a file as a flow of the path `from` names it; `undefined` if there is none. */
  readonly read: (path: string, from: string) => Promise<FlowFile | undefined>
  readonly parse: (text: string) => Flow
}

/** What stands for a secret in the steps of a run that was imported. */
const hiddenSecret = "•••"

/** A text, split at its expressions: `a ${b}` is the text `a ` and the expression `b`. */
const partsOf = (text: string): ReadonlyArray<{ readonly text: string; readonly isScript: boolean }> => {
  const parts: Array<{ text: string; isScript: boolean }> = []
  let plain = ""
  for (let at = 0; at < text.length; at += 1) {
    if (text.startsWith("\\${", at)) {
      plain += "${"
      at += 2
      continue
    }
    const end = text.startsWith("${", at) ? closingBrace(text, at + 2) : undefined
    if (end === undefined) {
      plain += text[at] ?? ""
      continue
    }
    parts.push({ text: plain, isScript: false }, { text: text.slice(at + 2, end).trim(), isScript: true })
    plain = ""
    at = end
  }
  return [...parts, { text: plain, isScript: false }]
}

/** Where the brace closes that was opened before a position, outside of strings. */
const closingBrace = (text: string, from: number): number | undefined => {
  let depth = 1
  let quote = ""
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? ""
    if (quote !== "") {
      if (character === "\\") at += 1
      else if (character === quote) quote = ""
    } else if (`'"\``.includes(character)) quote = character
    else if (character === "{") depth += 1
    else if (character === "}" && --depth === 0) return at
  }
  return undefined
}

const isName = (script: string): boolean =>
  /^[A-Za-z_$][\w$]*$/.test(script) && !/^(?:true|false|null|undefined|NaN|Infinity|output|maestro)$/.test(script)

const skipped = (reason: string): StepResult => ({ status: "skipped", reason })

const failed = (reason: string): StepResult => ({ status: "failed", reason })

const passed: StepResult = { status: "passed" }

const noValue = (unknown: string): StepResult =>
  skipped(
    unknown === hiddenSecret
      ? `a secret in it is hidden as ${hiddenSecret}: write it into the flow`
      : `${unknown} has no value: add it to env at the beginning of the flow`
  )

/** The commands that contain others. */
const containers = new Set(["runFlow", "repeat", "retry"])

/** The commands that name an app. */
const ofApp = new Set(["launchApp", "stopApp", "killApp", "clearState", "setPermissions"])

/** The most times that one command repeats others. */
const maxRepeats = 100

/** What surrounds a command: its variables, and the file that it stands in. */
interface Scope {
  readonly env: Flow["env"]
  readonly path: string
  readonly appId: string | undefined
  readonly depth: number
}

/** Why a value can't be known, as the result of its step. */
class Unknown {
  readonly result: StepResult
  constructor(result: StepResult) {
    this.result = result
  }
}

const isFalse = (value: string): boolean => /^(?:\s*|false|undefined|null|0+(?:\.0+)?)$/i.test(value)

/** Runs a flow to its end or its first failure, as Maestro does. Returns how it ended. */
export const runFlow = async (flow: Flow, runner: FlowRunner): Promise<Verdict> => {
  const { began, isStopped, perform } = runner
  let isWhole = true
  let output = "{}"
  let copiedText: string | undefined

  /** Evaluates scripts in the app. Its answers are texts: the app may have changed them. */
  const evaluated = async (
    scripts: ReadonlyArray<string>,
    env: Flow["env"]
  ): Promise<ReadonlyArray<string> | Unknown> => {
    const request: Evaluation = { scripts, env, output, copiedText: copiedText ?? "", platform: runner.platform }
    const result = await perform({ name: "evaluate", value: request })
    if (result.status !== "passed") return new Unknown(result)
    try {
      const report: Partial<Evaluated> = JSON.parse(result.value ?? "")
      output = String(report.output ?? output)
      return scripts.map((_, index) => String(report.values?.[index] ?? ""))
    } catch {
      return new Unknown(failed("the app’s answer can’t be read"))
    }
  }

  /** A value with its expressions replaced by their values. */
  const filledIn = async (value: unknown, env: Flow["env"]): Promise<unknown> => {
    const scripts = new Map<string, string | undefined>()
    const collect = (one: unknown): void => {
      if (typeof one === "string") {
        if (one.includes(hiddenSecret)) scripts.set(hiddenSecret, undefined)
        for (const part of partsOf(one)) if (part.isScript) scripts.set(part.text, undefined)
      } else if (typeof one === "object" && one !== null) Object.values(one).forEach(collect)
    }
    collect(value)
    for (const script of scripts.keys()) {
      if (script === hiddenSecret) return new Unknown(noValue(script))
      if (!isName(script)) continue
      if (!Object.hasOwn(env, script)) return new Unknown(noValue(`\${${script}}`))
      scripts.set(script, env[script])
    }
    const open = [...scripts].flatMap(([script, known]) => (known === undefined ? [script] : []))
    const values = open.length === 0 ? [] : await evaluated(open, env)
    if (values instanceof Unknown) return values
    open.forEach((script, index) => scripts.set(script, values[index]))
    const fill = (one: unknown): unknown => {
      if (typeof one === "string")
        return partsOf(one)
          .map(({ isScript, text }) => (isScript ? (scripts.get(text) ?? "") : text))
          .join("")
      if (Array.isArray(one)) return one.map(fill)
      if (typeof one !== "object" || one === null) return one
      return Object.fromEntries(Object.entries(one).map(([key, of]) => [key, fill(of)]))
    }
    return fill(value)
  }

  /** Variables, of which each may use those before it. One without a value is left out: steps that use it are skipped. */
  const withEnv = async (env: Flow["env"], more: Flow["env"]): Promise<Flow["env"]> => {
    let all = env
    for (const [name, text] of Object.entries(more)) {
      const value = scalarIn(await filledIn(text, all))
      if (value !== undefined) all = { ...all, [name]: value }
    }
    return all
  }

  /** Whether a condition holds now; a result where that is unknown. */
  const holds = async (condition: unknown, env: Flow["env"]): Promise<boolean | StepResult> => {
    if (condition === undefined) return true
    const filled = await filledIn(condition, env)
    if (filled instanceof Unknown) return filled.result
    const { notVisible, platform, true: expression, visible, ...more } = fieldsIn(filled)
    const [other] = Object.keys(more).filter((name) => name !== "label" && name !== "optional")
    if (other !== undefined) return skipped(`the condition ${other} is not supported`)
    if (platform !== undefined && scalarIn(platform)?.toLowerCase() !== runner.platform) return false
    const value = scalarIn(expression)
    if (expression !== undefined && value === undefined) return skipped("its condition is no text")
    if (value !== undefined && isFalse(value)) return false
    for (const [name, selector] of [
      ["visible", visible],
      ["notVisible", notVisible]
    ] as const) {
      if (selector === undefined) continue
      const result = await perform({ name: "condition", value: { [name]: selector } })
      if (result.status === "skipped") return result
      if (result.status === "failed") return false
    }
    return true
  }

  /** Runs commands in order; `false` when one failed, after which none is run. */
  const all = async (list: ReadonlyArray<FlowCommand>, scope: Scope): Promise<boolean> => {
    if (scope.depth > flowLimits.depth)
      throw new InvalidFlow(`Its commands contain more than ${flowLimits.depth} others.`)
    for (const command of list) {
      if (isStopped()) {
        isWhole = false
        return false
      }
      if (!(await one(command, scope))) return false
    }
    return true
  }

  /** Runs a flow with what its file says to run before and after it. */
  const whole = async (
    { appId, commands, env, onComplete = [], onStart = [] }: Flow,
    scope: Scope
  ): Promise<boolean> => {
    const inner = { ...scope, env: await withEnv(scope.env, env), appId: appId ?? scope.appId }
    const isDone = (await all(onStart, inner)) && (await all(commands, inner))
    return (await all(onComplete, inner)) && isDone
  }

  const fileOf = async (value: unknown, { env, path }: Scope): Promise<FlowFile | Unknown> => {
    const name = await filledIn(scalarIn(value) ?? scalarIn(fieldsIn(value)["file"]) ?? "", env)
    if (name instanceof Unknown) return name
    const wanted = scalarIn(name) ?? ""
    const file = wanted === "" ? undefined : await runner.read(wanted, path)
    return (
      file ??
      new Unknown(skipped(`${wanted || "its file"} is not in the upload: upload the folder of the flows with --flows`))
    )
  }

  const contained = async ({ name, value }: FlowCommand, scope: Scope): Promise<StepResult> => {
    const { commands, env, maxRetries, times, when, while: during } = fieldsIn(value)
    const innerEnv = await withEnv(scope.env, envIn(env))
    if (name === "runFlow") {
      const isWanted = await holds(when, innerEnv)
      if (typeof isWanted === "object") return isWanted
      if (!isWanted) return { status: "passed", reason: "its condition does not hold" }
    }
    const count = await filledIn({ maxRetries, times }, innerEnv)
    if (count instanceof Unknown) return count.result
    const inner = { ...scope, env: innerEnv, depth: scope.depth + 1 }
    let run = (): Promise<boolean> => all(commandsIn(commands), inner)
    if (commands === undefined) {
      const file = await fileOf(value, scope)
      if (file instanceof Unknown) return file.result
      const of = runner.parse(file.text)
      run = () => whole(of, { ...inner, path: file.path })
    }
    const retries = Number(fieldsIn(count)["maxRetries"] ?? 1) + 1
    const most = name === "retry" ? retries : name === "repeat" ? Number(fieldsIn(count)["times"] ?? maxRepeats) : 1
    if (!(most >= 0)) return skipped("the number of its repetitions is no number")
    for (let time = 0; time < most; time += 1) {
      if (time >= maxRepeats) return skipped(`it repeats more than ${maxRepeats} times`)
      const isWanted = await holds(during, innerEnv)
      if (typeof isWanted === "object") return isWanted
      if (!isWanted) break
      const isDone = await run()
      if (isDone && name === "retry") break
      if (!isDone && (name !== "retry" || time + 1 === most || isStopped()))
        return failed(isStopped() ? "it was stopped" : "a step in it failed")
    }
    return passed
  }

  /** Evaluates a script, which may be written as an expression. */
  const script = async (text: string, env: Flow["env"]): Promise<StepResult> => {
    const whole = /^\s*\$\{(.*)\}\s*$/s.exec(text)?.[1]
    const values = await evaluated([whole ?? text], env)
    return values instanceof Unknown ? values.result : passed
  }

  /** The commands that act on no element. They receive their values before these are filled in. */
  const ofFlow: Readonly<Record<string, (value: unknown, scope: Scope) => Promise<StepResult>>> = {
    evalScript: (value, { env }) => script(scalarIn(value) ?? scalarIn(fieldsIn(value)["script"]) ?? "", env),
    runScript: async (value, scope) => {
      const isWanted = await holds(fieldsIn(value)["when"], scope.env)
      if (typeof isWanted === "object") return isWanted
      if (!isWanted) return { status: "passed", reason: "its condition does not hold" }
      const file = await fileOf(value, scope)
      if (file instanceof Unknown) return file.result
      return script(file.text, await withEnv(scope.env, envIn(fieldsIn(value)["env"])))
    }
  }

  const act = async (command: FlowCommand, scope: Scope): Promise<StepResult> => {
    const { name } = command
    if (name === "action") return act({ name: scalarIn(command.value) ?? "", value: undefined }, scope)
    const missing = whyMissing(name)
    if (missing !== undefined) return skipped(missing)
    if (containers.has(name)) return contained(command, scope)
    const scripted = ofFlow[name]
    if (scripted !== undefined) return scripted(command.value, scope)
    if (ofApp.has(name)) {
      const id = await filledIn(scalarIn(command.value) ?? fieldsIn(command.value)["appId"] ?? scope.appId, scope.env)
      const of = await filledIn(flow.appId, scope.env)
      if (typeof id === "string" && typeof of === "string" && id !== of) return skipped(`${id} is another app`)
    }
    // The app has one id, whatever the flow calls it.
    const value = ofApp.has(name) ? withoutAppId(command.value) : command.value
    const filled = await filledIn(value, scope.env)
    if (filled instanceof Unknown) return filled.result
    const { condition, length, text } = fieldsIn(filled)
    const typed = name === "pasteText" ? copiedText : randomText(name, Number(length ?? scalarIn(filled)))
    if (typed !== undefined) return perform({ name: "inputText", value: typed })
    switch (name) {
      case "pasteText":
        return failed("Nothing was copied: use copyTextFrom or setClipboard first")
      case "setClipboard":
        copiedText = scalarIn(filled) ?? scalarIn(text) ?? ""
        return passed
      case "assertTrue": {
        const wanted = scalarIn(filled) ?? scalarIn(condition) ?? ""
        return isFalse(wanted) ? failed(`Assertion is false: ${wanted || "it is empty"}`) : passed
      }
      default: {
        const result = await perform({ name, value: filled })
        if (name === "copyTextFrom" && result.status === "passed") copiedText = result.value ?? ""
        return result
      }
    }
  }

  const one = async (command: FlowCommand, scope: Scope): Promise<boolean> => {
    const isOptional = fieldsIn(command.value)["optional"] === true
    const ended = began({ name: stepName(command), depth: scope.depth })
    const { reason, status: of } = await act(command, scope)
    const status = of === "failed" && isOptional && !isStopped() ? "warned" : of
    if (status === "skipped") isWhole = false
    ended(reason === undefined ? { status } : { status, reason })
    return status !== "failed"
  }

  // A flow that was pasted has no file.
  const env = { MAESTRO_FILENAME: "flow" }
  const isDone = await whole(flow, { env, path: "", appId: flow.appId, depth: 0 })
  return isStopped() ? "incomplete" : !isDone ? "failed" : isWhole ? "passed" : "incomplete"
}

const withoutAppId = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return undefined
  const { appId: _, ...more } = fieldsIn(value)
  return more
}
