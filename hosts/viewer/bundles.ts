/**
 * The scripts of the pages, each of them bundled from `client/`. In a checkout they are made when they are first asked
 * for; `npm run build` puts a module with the made ones in this one's place, so that what is published needs no bundler.
 */
import { build } from "esbuild"
import { join } from "node:path"

/** The scripts there are, by the names of their files in `client/`. */
export const scriptNames = [
  "ready",
  "signIn",
  "replay",
  "replayAlone",
  "share",
  "trace",
  "compare",
  "bridge",
  "listener"
] as const
export type ScriptName = (typeof scriptNames)[number]

const bundle = async (): Promise<Readonly<Record<ScriptName, string>>> => {
  const { outputFiles } = await build({
    entryPoints: scriptNames.map((name) => join(import.meta.dirname, "client", `${name}.ts`)),
    bundle: true,
    minify: true,
    write: false,
    outdir: "/",
    format: "esm",
    target: ["chrome111", "firefox115", "safari16.4"],
    charset: "utf8",
    legalComments: "inline"
  })
  const texts = Object.fromEntries(
    outputFiles.map(({ path, text }) => [path.slice(path.lastIndexOf("/") + 1).replace(/\.js$/, ""), text])
  )
  const textOf = (name: ScriptName): string => {
    const text = texts[name]
    if (text === undefined) throw new Error(`the script ${name} was not made`)
    return text
  }
  return {
    ready: textOf("ready"),
    signIn: textOf("signIn"),
    replay: textOf("replay"),
    replayAlone: textOf("replayAlone"),
    share: textOf("share"),
    trace: textOf("trace"),
    compare: textOf("compare"),
    bridge: textOf("bridge"),
    listener: textOf("listener")
  }
}

let made: Promise<Readonly<Record<ScriptName, string>>> | undefined

/** Every script, ready to be served. */
export const bundles = (): Promise<Readonly<Record<ScriptName, string>>> => (made ??= bundle())
