import { ExitCode } from "../command/Context.ts"
import { run } from "../program.ts"

/** What a run of the program printed, and its exit code. */
export interface Ran {
  readonly code: ExitCode
  readonly out: string
  readonly err: string
}

/** Runs the program in this process, with no other variables than those given; where nobody watches, as in CI. */
export const runCi = async (
  args: ReadonlyArray<string>,
  {
    cwd = "/",
    env = {},
    signal = new AbortController().signal
  }: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string; readonly signal?: AbortSignal } = {}
): Promise<Ran> => {
  const out: Array<string> = []
  const err: Array<string> = []
  const code = await run("slipway-ci", args, {
    env,
    cwd,
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    terminal: undefined,
    signal
  })
  return { code, out: out.join("\n"), err: err.join("\n") }
}
