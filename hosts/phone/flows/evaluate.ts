/** Evaluates the JavaScript of flows in the frame of an app: what it does there, the app could do itself. */
import type { StepResult } from "./flow.ts"

/** Scripts, and what they can read. */
export interface Evaluation {
  readonly scripts: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** The object `output` as JSON. */
  readonly output: string
  readonly copiedText: string
  readonly platform: string
}

/** The values of the scripts as texts, and the object `output` as JSON afterwards. */
export interface Evaluated {
  readonly values: ReadonlyArray<string>
  readonly output: string
}

/** The most characters of a result. */
export const maxEvaluated = 100_000

/** The globals that a script has, as in Maestro: those of the language, and `console`. */
const language = (
  "Array BigInt Boolean Date Error Infinity Intl JSON Map Math NaN Number Object Promise RangeError RegExp Set String " +
  "Symbol TypeError Uint8Array WeakMap console decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN " +
  "parseFloat parseInt undefined"
).split(" ")

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? (JSON.stringify(value) ?? "") : String(value)

/** An unknown name is `undefined`, as in Maestro. Names that a script declares are local to it. */
const evaluateIn = (names: Map<PropertyKey, unknown>, script: string): unknown => {
  const scope = new Proxy(Object.create(null), {
    has: (_, name) => name !== "eval" && name !== "arguments",
    get: (_, name) => names.get(name),
    set: (_, name, value) => {
      names.set(name, value)
      return true
    }
  })
  // oxlint-disable-next-line typescript/no-implied-eval -- a script of a flow runs in the sandbox of the app
  return new Function("with (arguments[0]) return eval(arguments[1])")(scope, script)
}

/** Evaluates scripts in order. One that needs the network is skipped. */
export const evaluate = ({ copiedText, env, output, platform, scripts }: Evaluation): StepResult => {
  let refused: string | undefined
  const absent = (name: string, reason: string): unknown =>
    new Proxy(() => undefined, {
      get: (_, key) => absent(`${name}.${String(key)}`, reason),
      apply: () => {
        refused = `${name} is not supported: ${reason}`
        throw new Error(refused)
      }
    })
  const shared: unknown = JSON.parse(output)
  const known = [
    ...language.map((name) => [name, Reflect.get(globalThis, name)] as const),
    ...Object.entries(env),
    ["output", shared],
    ["maestro", { copiedText, platform }],
    ["http", absent("http", "an app in a replay has no network")],
    ["faker", absent("faker", "use the commands inputRandom…")],
    ["json", (text: string): unknown => JSON.parse(text)],
    ["relativePoint", (x: number, y: number) => `${Math.ceil(x * 100)}%,${Math.ceil(y * 100)}%`]
  ] as const
  try {
    const values = scripts.map((script) => textOf(evaluateIn(new Map<PropertyKey, unknown>(known), script)))
    if (refused !== undefined) return { status: "skipped", reason: refused }
    const value = JSON.stringify({ values, output: JSON.stringify(shared) } satisfies Evaluated)
    return value.length > maxEvaluated
      ? { status: "skipped", reason: `its values have more than ${maxEvaluated} characters` }
      : { status: "passed", value }
  } catch (error) {
    if (refused !== undefined) return { status: "skipped", reason: refused }
    return { status: "failed", reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
  }
}
