import { Effect, Schema } from "effect"
import { build, type OutputFile } from "esbuild"
import { readdir, readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { readFixture } from "../phone/fixtures/readFixture.ts"

/** An app as a team's CI would hand it over: one script, and the files it may ask for. */
export interface BundledApp {
  readonly entry: string
  readonly bundle: Uint8Array
  readonly bundleContentType: "text/javascript"
  /** Whether a browser can run the bundle by itself; a phone's own it can't. */
  readonly isTransformed: boolean
  readonly files: ReadonlyArray<BundledFile>
}

/** A file beside the bundle; `path` is relative to it, with forward slashes. */
interface BundledFile {
  readonly path: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** The demo app could not be read or built. */
class BundleFailed extends Schema.TaggedError<BundleFailed>()("BundleFailed", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

const entry = "index.js"

const contentTypes: ReadonlyMap<string, string> = new Map([
  [".json", "application/json"],
  [".png", "image/png"]
])

const attempt = <A>(message: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new BundleFailed({ message, cause }) })

const script = attempt("The demo app does not build", () =>
  build({
    absWorkingDir: import.meta.dirname,
    alias: { "react-native": "react-native-web" },
    bundle: true,
    define: { "process.env.NODE_ENV": '"production"' },
    entryPoints: ["app/index.jsx"],
    format: "iife",
    jsx: "automatic",
    logLevel: "silent",
    minify: true,
    outfile: entry,
    platform: "browser",
    sourcemap: "linked",
    target: "es2020",
    write: false
  })
)

const output = Effect.fnUntraced(function* (outputs: ReadonlyArray<OutputFile>, name: string) {
  const found = outputs.find(({ path }) => path.endsWith(name))
  return found === undefined
    ? yield* new BundleFailed({ message: `The build has no ${name}`, cause: undefined })
    : found.contents
})

const asset = Effect.fnUntraced(function* (name: string) {
  const contentType = contentTypes.get(extname(name))
  if (contentType === undefined) {
    return yield* new BundleFailed({ message: `${name} is of no known content type`, cause: undefined })
  }
  const path = `assets/${name}`
  const bytes = yield* attempt(`${path} cannot be read`, () => readFile(join(import.meta.dirname, "app", path)))
  return { path, contentType, bytes: new Uint8Array(bytes) }
})

const assets = attempt("The demo app's assets cannot be listed", () =>
  readdir(join(import.meta.dirname, "app", "assets"))
).pipe(Effect.flatMap((names) => Effect.forEach(names.toSorted(), asset, { concurrency: "unbounded" })))

/** Builds the demo app. The same source gives the same bytes, and nothing is written to disk. */
export const bundleApp: Effect.Effect<BundledApp, BundleFailed> = Effect.gen(function* () {
  const { outputFiles } = yield* script
  const path = `${entry}.map`
  const map = { path, contentType: "application/json", bytes: yield* output(outputFiles, path) }
  return {
    entry,
    bundle: yield* output(outputFiles, entry),
    bundleContentType: "text/javascript",
    isTransformed: true,
    files: [...(yield* assets), map]
  }
})

/** The same app for a phone, as Metro made it: with no target for the web. */
export const nativeApp: Effect.Effect<BundledApp, BundleFailed> = Effect.try({
  try: () => ({
    entry: "main.jsbundle",
    bundleContentType: "text/javascript" as const,
    isTransformed: false,
    ...readFixture(join(import.meta.dirname, "native.zip"))
  }),
  catch: (cause) => new BundleFailed({ message: "The demo app's bundle for a phone cannot be read", cause })
})
