/**
 * The bundled scripts and stylesheets of the pages. In a checkout they are bundled when first requested. `npm run
 * build` replaces this module by one that contains the results, so that the published package needs no bundler.
 */
import { Record } from "effect"
import { build } from "esbuild"
import { hash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { iconFonts, type PageFont } from "../../phone/settings/fonts.ts"

/** The file of each script and of each stylesheet, in the viewer's folder. */
const scripts = {
  every: "ui/everyScript.ts",
  live: "pages/liveScript.ts",
  ready: "ui/readyScript.ts",
  signIn: "session/signInScript.ts",
  replay: "replay/replayScript.ts",
  replayAlone: "replay/replayAloneScript.ts",
  replayPair: "replay/replayPairScript.ts",
  share: "pages/shareScript.ts",
  trace: "trace/client/traceScript.ts",
  compare: "runs/compareScript.ts",
  bridge: "replay/bridge.ts",
  listener: "replay/listener.ts",
  phone: "replay/phoneScript.ts",
  memoryDatabase: "replay/memoryDatabaseScript.ts",
  sqlite: "replay/sqliteScript.ts",
  lottie: "replay/lottieScript.ts",
  skia: "replay/skiaScript.ts",
  recordedResponses: "replay/recordedResponsesScript.ts",
  flows: "replay/flowFrameScript.ts",
  inspector: "replay/inspectorFrameScript.ts",
  flowParser: "replay/flowParserScript.ts",
  sourceNames: "replay/sourceNamesScript.ts"
} as const
const styles = {
  page: "ui/page.css",
  dark: "ui/dark.css",
  charts: "ui/charts.css",
  home: "pages/home.css",
  repository: "repositories/repository.css",
  shares: "pages/shares.css",
  recordings: "content/recordings.css",
  file: "pages/file.css",
  replay: "replay/replay.css",
  replayAlone: "replay/replayAlone.css",
  replayPair: "replay/replayPair.css",
  trace: "trace/trace.css",
  compare: "runs/compare.css"
} as const
export type ScriptName = keyof typeof scripts
export type StyleName = keyof typeof styles

/** The files of fonts for apps in replays, in the packages that have them. */
const fontFiles = {
  ...Record.map(iconFonts, (_, name) => `react-native-vector-icons/Fonts/${name}.ttf`),
  Roboto: "@fontsource-variable/roboto/files/roboto-latin-wght-normal.woff2"
} as const satisfies Readonly<Record<PageFont, string>>

/** A text that the published package loads when it is needed first, since a host would hold it in memory several times. */
type LoadedText = () => Promise<string>

/** A script of the pages. */
export interface ScriptBundle {
  /** The SHA-256 of its text, in lower-case hex. */
  readonly digest: string
  readonly text: LoadedText
}

/** The text of every script and of every stylesheet, and of the examples for each CI by the names of their files. */
export interface Bundles {
  /** Fonts as gzip, in base64. */
  readonly fonts: Readonly<Record<PageFont, LoadedText>>
  readonly scripts: Readonly<Record<ScriptName, ScriptBundle>>
  readonly styles: Readonly<Record<StyleName, string>>
  readonly examples: Readonly<Record<string, string>>
}

const folder = join(import.meta.dirname, "..")

const examples = async (): Promise<Readonly<Record<string, string>>> => {
  const ofCi = join(folder, "../../examples/ci")
  const files = await readdir(ofCi)
  return Object.fromEntries(
    await Promise.all(files.map(async (name) => [name, await readFile(join(ofCi, name), "utf8")] as const))
  )
}

const packages = join(folder, "../../node_modules")

const fonts = async (): Promise<Bundles["fonts"]> => {
  const read = async (file: string) => gzipSync(await readFile(join(packages, file))).toString("base64")
  const files = await Promise.all(
    Object.entries(fontFiles).map(async ([name, file]) => [name, await read(file)] as const)
  )
  const texts = new Map(files)
  return Record.map(fontFiles, (_, name) => async () => texts.get(name) ?? "")
}

const bundle = async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [scripts, styles].flatMap((files) => Object.values(files)).map((file) => join(folder, file)),
    outbase: folder,
    outdir: folder,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    // Yoga reads its own location, which a classic script doesn't have; it needs no file from there.
    define: { "import.meta.url": '""' },
    target: ["chrome111", "firefox115", "safari16.4"],
    charset: "utf8",
    loader: { ".woff2": "binary", ".wasm": "binary" },
    // sql.js imports them in Node only.
    external: ["fs", "path", "crypto"],
    legalComments: "inline"
  })
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]))
  const textOf = (file: string): string => {
    const text = texts.get(join(folder, file.replace(/\.ts$/, ".js")))
    if (text === undefined) throw new Error(`${file} was not bundled`)
    return text
  }
  const pages = {
    fonts: await fonts(),
    scripts: Record.map(scripts, (file) => {
      const text = textOf(file)
      return { digest: hash("sha256", text), text: async () => text }
    }),
    styles: Record.map(styles, textOf),
    examples: await examples()
  }
  const ofFonts = Object.values(fontFiles).map((file) => `node_modules/${file}`)
  return { pages, sources: [...Object.keys(metafile.inputs), ...ofFonts] }
}

let made: ReturnType<typeof bundle> | undefined

/** Every script and every stylesheet, ready to be served. */
export const bundles = async (): Promise<Bundles> => (await (made ??= bundle())).pages

/** The files that they were made of. */
export const bundledFrom = async (): Promise<ReadonlyArray<string>> => (await (made ??= bundle())).sources
