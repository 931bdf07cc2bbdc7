/** Finds the command that the arguments name, runs it, and reports errors. */
import { readFileSync, readlinkSync } from "node:fs"
import { constants } from "node:os"
import packageJson from "slipway/package.json" with { type: "json" }
import { type Context, ExitCode, exitCodesText, Stopped, unusable } from "./command/Context.ts"
import type { Command } from "./command/options.ts"
import { commands } from "./commands.ts"

const overview = (program: string, listed: ReadonlyArray<Command>): string => {
  const width = Math.max(...listed.map(({ name }) => name.length))
  return `${program} COMMAND [flags]

Uploads the results of a CI run to a Slipway host, and reports them on the pull request.

Commands:
${listed.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n")}

\`${program} COMMAND --help\` shows its flags.

Settings (a flag overrides the variable, which overrides the CI's variables, which override git):
  SLIPWAY_URL                          the host's address
  SLIPWAY_KEY                          an API key; among the CI's secrets, never in the repository
  SLIPWAY_OWNER, _REPO, _BRANCH,
  _COMMIT, _PR, _BASE, _SOURCE                only if the CI and git don't have them

The operator of the host creates keys (slipway key create). On GitHub, GitLab, CircleCI and Buildkite none is needed
where the host trusts the repository (slipway repo trust OWNER/NAME --github). On GitHub the job needs permissions:
id-token: write, and on GitLab id_tokens: { SLIPWAY_ID_TOKEN: { aud: the host's address } }.

${exitCodesText}`
}

const asksHelp = (args: ReadonlyArray<string>) => args.includes("--help") || args.includes("-h")

const dispatch = (program: string, args: ReadonlyArray<string>, context: Context): Promise<ExitCode> => {
  const [first, second] = args
  const found = commands.find(({ name }) => name === first || name === `${first} ${second}`)
  if (found !== undefined) {
    const rest = args.slice(found.name.split(" ").length)
    if (!asksHelp(rest)) return found.run(rest, context)
    context.out(found.help(program))
    return Promise.resolve(ExitCode.done)
  }
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (first === "--version") context.out(version)
  else if (group.length > 0 && (second === undefined || asksHelp(args))) context.out(overview(program, group))
  else if (first === undefined || asksHelp(args) || first === "help") context.out(overview(program, commands))
  else throw unusable(`There is no command ${args.slice(0, 2).join(" ")}. \`${program} --help\` lists the commands.`)
  return Promise.resolve(ExitCode.done)
}

const explained = async (error: unknown): Promise<Stopped> => {
  if (error instanceof Stopped) return error
  const { hostRefusal } = await import("./settings/settings.ts")
  return (
    hostRefusal(error) ??
    new Stopped(
      ExitCode.fault,
      `This is a fault of this program; please report it.\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
    )
  )
}

/** Runs a command in a context, and answers its exit code. It never rejects. */
export const run = async (program: string, args: ReadonlyArray<string>, context: Context): Promise<ExitCode> => {
  const safe = hidingSecrets(context)
  try {
    return await dispatch(program, args, safe)
  } catch (error) {
    const { code, message } = await explained(error)
    safe.err(`${program}: ${message}`)
    return code
  }
}

const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]

/** Sends all requests of this process through the proxy of the environment, where this Node can. */
const useProxy = async (): Promise<void> => {
  const set = proxyVariables.find((name) => process.env[name])
  if (set === undefined) return
  const { setGlobalProxyFromEnv } = await import("node:http")
  // Node before 24.14 lacks it.
  if (typeof setGlobalProxyFromEnv === "function") return void setGlobalProxyFromEnv()
  process.stderr.write(
    `Warning: ${set} is ignored, because Node ${process.version} can't use it. Node 24.14 and newer can.\n`
  )
}

/**
 * Whether stdout was closed when this process began (`>&-`), so that nobody has its lines: Node opens `/dev/null` instead, for reading
 * too, as no shell does. Where stderr is discarded as well, another program discards all of it. On Linux only.
 */
const isStdoutClosed = (): boolean => {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync("/proc/self/fdinfo/1", "utf8"))?.[1]
    const [out, err] = [1, 2].map((fd) => readlinkSync(`/proc/self/fd/${fd}`))
    return flags?.endsWith("2") === true && out === "/dev/null" && err !== out
  } catch {
    return false
  }
}

/** Prints lines on a stream, and answers why it did not take all of them: a pipe was closed, a disk is full. */
const printingOn = (stream: NodeJS.WriteStream, isClosed?: () => boolean) => {
  let failure: Error | undefined
  const failed = (error: unknown) => void (failure ??= error instanceof Error ? error : new Error(String(error)))
  stream.on("error", failed)
  const write = (text: string, done?: () => void) => {
    try {
      stream.write(text, done)
    } catch (error) {
      // A file, on Node 20.
      failed(error)
      done?.()
    }
  }
  return {
    line: (line: string) => {
      if (isClosed?.() === true) failed(new Error("it is closed; to discard the output, redirect it with > /dev/null"))
      write(`${line}\n`)
    },
    failure: async () => {
      await new Promise<void>((resolve) => write("", resolve))
      return failure
    }
  }
}

/** How long a command may take to stop what it started, in milliseconds. */
const grace = 300

/** What a thread of Node waits for, which `process.exit` would wait for too. */
const blocking = /^(?:FSReq|GetAddrInfoReq)/

/**
 * Ends this process after a signal, with 130 or 143. Where a thread hangs in a read or a look-up, only the signal itself
 * ends it, which shells report as the same code.
 */
const endBy = (signal: NodeJS.Signals): void => {
  if (process.getActiveResourcesInfo().some((name) => blocking.test(name))) process.kill(process.pid, signal)
  else process.exit(128 + constants.signals[signal])
}

/** Runs a command in this process. A success that could not be printed is none. */
export const runHere = async (program: string, args: ReadonlyArray<string>): Promise<ExitCode> => {
  const [out, err] = [printingOn(process.stdout, isStdoutClosed), printingOn(process.stderr)]
  await useProxy()
  const interrupted = new AbortController()
  let by: NodeJS.Signals | undefined
  const interrupt = (signal: NodeJS.Signals) => {
    by = signal
    process.exitCode = 128 + constants.signals[signal]
    interrupted.abort(new Stopped(ExitCode.fault, "It was interrupted."))
    setTimeout(endBy, grace, signal)
  }
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt)
  const code = await run(program, args, {
    env: process.env,
    cwd: process.cwd(),
    out: out.line,
    err: err.line,
    terminal: process.stderr.isTTY ? process.stderr : undefined,
    signal: interrupted.signal
  })
  if (by !== undefined) {
    endBy(by)
    return code
  }
  const failure = await out.failure()
  if (failure !== undefined) err.line(`${program}: The output can't be written to stdout: ${failure.message}`)
  const isPrinted = failure === undefined && (await err.failure()) === undefined
  return isPrinted || code >= ExitCode.usage ? code : ExitCode.usage
}

/** Keys of Slipway and tokens of GitHub and GitLab, and the signed part of presigned URLs, as they look in any text. */
const looksSecret =
  /\bslip_[0-9A-Za-z]{8,}|\bgh[a-z]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}|(?<=\bhttps?:\/\/[^\s?]*\?)[^\s]*sig(?:nature)?=[^\s]*/gi

/** The variables whose values are secrets wherever they are set. */
const secretNames = [
  "SLIPWAY_KEY",
  "SLIPWAY_ID_TOKEN",
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "GITLAB_TOKEN",
  "BITBUCKET_TOKEN",
  "SYSTEM_ACCESSTOKEN",
  "GITEA_TOKEN",
  "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  "CIRCLE_OIDC_TOKEN",
  "CIRCLE_OIDC_TOKEN_V2"
]

/** The same context, whose lines show no secret: whatever a library or the host puts into a message. */
const hidingSecrets = (context: Context): Context => {
  const values = secretNames.flatMap((name) => context.env[name] ?? []).filter((value) => value.length > 3)
  const hide = (line: string) =>
    values.reduce((text, value) => text.replaceAll(value, "•••"), line).replaceAll(looksSecret, "•••")
  return { ...context, out: (line) => context.out(hide(line)), err: (line) => context.err(hide(line)) }
}

/** The version of this program. */
export const { version } = packageJson
