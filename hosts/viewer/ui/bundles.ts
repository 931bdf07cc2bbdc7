/**
 * The scripts of the pages, each of them bundled. In a checkout they are made when they are first asked
 * for; `npm run build` puts a module with the made ones in this one's place, so that what is published needs no bundler.
 */
import { Record } from "effect"
import { build } from "esbuild"
import { join } from "node:path"

/** The scripts there are, and the file of each in the viewer's folder. */
const entries = {
  ready: "ui/readyScript.ts",
  signIn: "session/signInScript.ts",
  replay: "replay/replayScript.ts",
  replayAlone: "replay/replayAloneScript.ts",
  share: "shares/shareScript.ts",
  trace: "trace/client/traceScript.ts",
  compare: "runs/compareScript.ts",
  bridge: "replay/bridge.ts",
  listener: "replay/listener.ts",
  phone: "phone/phone.ts"
} as const
export type ScriptName = keyof typeof entries

/** The names of the scripts. */
export const scriptNames = Record.keys(entries)

const bundle = async (): Promise<Readonly<Record<ScriptName, string>>> => {
  const { outputFiles } = await build({
    entryPoints: Record.map(entries, (file) => join(import.meta.dirname, "..", file)),
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
  return Record.map(entries, (_, name) => {
    const text = texts[name]
    if (text === undefined) throw new Error(`the script ${name} was not made`)
    return text
  })
}

let made: Promise<Readonly<Record<ScriptName, string>>> | undefined

/** Every script, ready to be served. */
export const bundles = (): Promise<Readonly<Record<ScriptName, string>>> => (made ??= bundle())
