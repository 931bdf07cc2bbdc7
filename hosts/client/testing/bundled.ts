import { build } from "esbuild"
import { join } from "node:path"

/** What bundlers for browsers make of the client: its code, and the files of the repository that it came from. */
export const bundledForBrowsers = async (): Promise<{
  readonly code: string
  readonly files: ReadonlyArray<string>
}> => {
  const root = join(import.meta.dirname, "../../..")
  const { metafile, outputFiles } = await build({
    entryPoints: [join(root, "hosts/client/browser.ts")],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    metafile: true,
    write: false,
    logLevel: "silent"
  })
  return { code: outputFiles.map(({ text }) => text).join(""), files: Object.keys(metafile.inputs) }
}
